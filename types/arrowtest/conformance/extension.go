package conformance

import (
	"fmt"
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// extensionType is an extension type of any name over any storage, which the process does not register.
type extensionType struct {
	arrow.ExtensionBase
	name string
}

func newExtension(name string, storage arrow.DataType) arrow.DataType {
	return &extensionType{arrow.ExtensionBase{Storage: storage}, name}
}

type extensionArray struct{ array.ExtensionArrayBase }

func (t *extensionType) ArrayType() reflect.Type { return reflect.TypeFor[extensionArray]() }

func (t *extensionType) ExtensionName() string { return t.name }

func (t *extensionType) String() string {
	return fmt.Sprintf("extension(%s)<%s>", t.name, t.Storage)
}

func (t *extensionType) Serialize() string { return "" }

func (t *extensionType) Deserialize(storage arrow.DataType, _ string) (arrow.ExtensionType, error) {
	return &extensionType{arrow.ExtensionBase{Storage: storage}, t.name}, nil
}

func (t *extensionType) ExtensionEquals(other arrow.ExtensionType) bool {
	return other.ExtensionName() == t.name && arrow.TypeEqual(t.Storage, other.StorageType())
}
