package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/lacunadb/lacuna/types"
)

// kinds are the error codes of the specification.
var kinds = map[string]error{
	"ErrNullInRequired": types.ErrNullInRequired, "ErrNoNullHost": types.ErrNoNullHost, "ErrNullCondition": types.ErrNullCondition,
	"ErrExtensionStorageChanged": types.ErrExtensionStorage, "ErrMissingRequiredField": types.ErrMissingRequiredField,
	"ErrIndexOutOfBounds": types.ErrIndexOutOfBounds, "ErrLengthMismatch": types.ErrLengthMismatch, "ErrInvalidLayout": types.ErrInvalidLayout,
	"ErrUnknownTypeCode": types.ErrUnknownTypeCode, "ErrTypeCodeRange": types.ErrTypeCodeRange, "ErrNoCommonType": types.ErrNoCommonType,
	"ErrCastOverflow": types.ErrCastOverflow, "ErrCastInvalid": types.ErrCastInvalid, "ErrNoMember": types.ErrNoMember,
	"ErrAmbiguousMember": types.ErrAmbiguousMember, "ErrNoMemberCast": types.ErrNoMemberCast, "ErrLossyExport": types.ErrLossyExport,
	"ErrRunEndOverflow": types.ErrRunEndOverflow, "ErrDictKeyOverflow": types.ErrDictKeyOverflow, "ErrUnsupported": types.ErrUnsupported,
}

// wantError is an expected error; what is not given is not compared.
type wantError struct {
	Error string  `json:"error"`
	Path  *string `json:"path"`
	Row   *int64  `json:"row"`
	Count *int64  `json:"count"`
}

// compare gives nil when the answer is the wanted one.
func (s *Step) compare(got any, err error) error {
	if bytes.HasPrefix(s.Want, []byte("{")) {
		var want wantError
		if err := decode(s.Want, &want); err != nil {
			return err
		}
		return want.compare(got, err)
	}
	if err != nil {
		return err
	}
	if a, ok := got.(Array); ok {
		want, err := ParseArray(s.Want)
		if err != nil {
			return err
		}
		return compareArrays(a, want, s.Flag("layout"))
	}
	text, err := json.Marshal(got)
	if err != nil {
		return err
	}
	var want bytes.Buffer
	if err := json.Compact(&want, s.Want); err != nil {
		return err
	}
	if want.String() != string(text) {
		return fmt.Errorf("got %s, want %s", text, want.String())
	}
	return nil
}

func (want *wantError) compare(got any, err error) error {
	kind, known := kinds[want.Error]
	if !known {
		return fmt.Errorf("unknown error code %s", want.Error)
	}
	if err == nil {
		return fmt.Errorf("got %v, want %s", got, want.Error)
	}
	var e *types.Error
	if !errors.Is(err, kind) || !errors.As(err, &e) {
		return fmt.Errorf("got error %w, want %s", err, want.Error)
	}
	switch {
	case want.Path != nil && *want.Path != e.Path:
		return fmt.Errorf("%w: path %q, want %q", err, e.Path, *want.Path)
	case want.Row != nil && *want.Row != e.Row:
		return fmt.Errorf("%w: row %d, want %d", err, e.Row, *want.Row)
	case want.Count != nil && *want.Count != e.Count:
		return fmt.Errorf("%w: count %d, want %d", err, e.Count, *want.Count)
	}
	return nil
}

// compareArrays compares type, nullability and rows by Equal with floats bit by bit, and with layout the run ends; a result must also be clean at the
// strictest level.
func compareArrays(got, want Array, layout bool) error {
	if !arrow.TypeEqual(got.Field.Type, want.Field.Type) || got.Field.Nullable != want.Field.Nullable {
		return fmt.Errorf("got type %s, want %s", got.Field, want.Field)
	}
	if len(got.Chunks) != 1 || len(want.Chunks) != 1 {
		return errors.New("result in chunks")
	}
	if err := types.Validate(got.Field, got.Data(), types.ValidateStrict); err != nil {
		return fmt.Errorf("result is not clean: %w", err)
	}
	a, err := Import(got)
	if err != nil {
		return err
	}
	b, err := Import(want)
	if err != nil {
		return fmt.Errorf("wanted array: %w", err)
	}
	// The Arrow types are equal, and so are the encodings.
	if !types.EqualWith(a, b, types.EqualOptions{BitwiseFloats: true, IgnoreEncoding: true}) {
		return fmt.Errorf("got %s, want %s", rowsText(a), rowsText(b))
	}
	if layout && !(a.Encoding() == types.RunEnd && b.Encoding() == types.RunEnd && slices.Equal(a.RunEnds(), b.RunEnds())) {
		return fmt.Errorf("got runs %v, want %v", a.RunEnds(), b.RunEnds())
	}
	return nil
}

// Import makes a vector of an array as it lies, nulls within variants kept apart.
func Import(a Array) (*types.Vector, error) {
	return types.ImportData(a.Data(), types.ImportOptions{Unions: types.UnionTagged})
}

func rowsText(v *types.Vector) string {
	rows := make([]any, v.Len())
	for i := range rows {
		rows[i] = types.Value(v, i)
	}
	return fmt.Sprintf("%s %s %v", v.Encoding(), v.Type(), rows)
}
