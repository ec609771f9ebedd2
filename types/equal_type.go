package types

import (
	"reflect"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// sameSchema compares what schemas have beside their fields' types: the number of fields and their own metadata.
func sameSchema(a, b *arrow.Schema, opts EqualOptions) bool {
	return a.NumFields() == b.NumFields() && (!opts.CheckMetadata || a.Metadata().Equal(b.Metadata()))
}

// sameDeclaration compares the fields that declare two columns.
func sameDeclaration(a, b arrow.Field, opts EqualOptions) bool {
	if !opts.IgnoreEncoding {
		return sameField(a, b, opts)
	}
	x, err1 := importField(a, unionBare)
	y, err2 := importField(b, unionBare)
	return err1 == nil && err2 == nil && x.Name == y.Name && x.Type.equal(y.Type, opts.IgnoreFieldNullability) &&
		(opts.IgnoreFieldNullability || x.Nullable == y.Nullable) && (!opts.CheckMetadata || sameMetadata(a, b))
}

// sameField compares the names, flags and types of fields.
func sameField(a, b arrow.Field, opts EqualOptions) bool {
	return a.Name == b.Name && samePart(a, b, opts)
}

// samePart is sameField for a part of a list or map, whose name is anybody's choice.
func samePart(a, b arrow.Field, opts EqualOptions) bool {
	return (opts.IgnoreFieldNullability || a.Nullable == b.Nullable) && (!opts.CheckMetadata || a.Metadata.Equal(b.Metadata)) &&
		sameType(a.Type, b.Type, opts)
}

// sameType is arrow.TypeEqual with one rule for all types: names of list and map parts do not count, nullability does unless the options say otherwise, and
// metadata of fields only if they ask for it.
func sameType(a, b arrow.DataType, opts EqualOptions) bool {
	if a == nil || b == nil || a.ID() != b.ID() {
		return false
	}
	switch x := a.(type) {
	case arrow.ExtensionType:
		y, ok := b.(arrow.ExtensionType)
		return ok && x.ExtensionName() == y.ExtensionName() && x.Serialize() == y.Serialize() && sameType(x.StorageType(), y.StorageType(), opts)
	case *arrow.DictionaryType:
		y, ok := b.(*arrow.DictionaryType)
		return ok && x.Ordered == y.Ordered && sameType(x.IndexType, y.IndexType, opts) && sameType(x.ValueType, y.ValueType, opts)
	case *arrow.RunEndEncodedType:
		y, ok := b.(*arrow.RunEndEncodedType)
		return ok && (opts.IgnoreFieldNullability || x.ValueNullable == y.ValueNullable) && sameType(x.RunEnds(), y.RunEnds(), opts) && sameType(x.Encoded(), y.Encoded(), opts)
	case *arrow.StructType:
		y, ok := b.(*arrow.StructType)
		return ok && sameFields(x.Fields(), y.Fields(), opts)
	case arrow.UnionType:
		y, ok := b.(arrow.UnionType)
		return ok && slices.Equal(x.TypeCodes(), y.TypeCodes()) && sameFields(x.Fields(), y.Fields(), opts)
	case *arrow.MapType:
		y, ok := b.(*arrow.MapType)
		return ok && x.KeysSorted == y.KeysSorted && samePart(x.KeyField(), y.KeyField(), opts) && samePart(x.ItemField(), y.ItemField(), opts)
	case *arrow.FixedSizeListType:
		y, ok := b.(*arrow.FixedSizeListType)
		return ok && x.Len() == y.Len() && samePart(x.ElemField(), y.ElemField(), opts)
	case arrow.ListLikeType:
		y, ok := b.(arrow.ListLikeType)
		return ok && samePart(x.ElemField(), y.ElemField(), opts)
	case *arrow.TimestampType: // which keeps its zone, once loaded, beside what it is
		y, ok := b.(*arrow.TimestampType)
		return ok && x.Unit == y.Unit && x.TimeZone == y.TimeZone
	}
	return reflect.DeepEqual(a, b)
}

func sameFields(a, b []arrow.Field, opts EqualOptions) bool {
	return slices.EqualFunc(a, b, func(f, g arrow.Field) bool { return sameField(f, g, opts) })
}

// sameMetadata compares the metadata of fields and of those below them, whose types are one in SQL whatever their encodings.
func sameMetadata(a, b arrow.Field) bool {
	if !a.Metadata.Equal(b.Metadata) {
		return false
	}
	x, ok1 := decodedType(a.Type).(arrow.NestedType)
	y, ok2 := decodedType(b.Type).(arrow.NestedType)
	return !ok1 || !ok2 || slices.EqualFunc(x.Fields(), y.Fields(), sameMetadata)
}

// decodedType gives the type below dictionaries, run-end encoding and extensions.
func decodedType(dt arrow.DataType) arrow.DataType {
	for {
		dt = valueType(dt)
		ext, ok := dt.(arrow.ExtensionType)
		if !ok {
			return dt
		}
		dt = ext.StorageType()
	}
}
