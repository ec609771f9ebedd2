package arrowjson

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
)

// ReadOptions says how JSON becomes Arrow data.
type ReadOptions struct {
	// Lenient reads null under a required field as zero, the empty string and so on, where it is an error else.
	Lenient bool
	// IgnoreUnknown passes by keys that no field has, which are errors else.
	IgnoreUnknown bool

	// What follows is for a Reader.

	// BatchRows is the largest number of rows of a batch, 4096 when it is 0. Batches are also smaller when their rows are long. A batch with more different values
	// than the dictionary keys of the schema can count is an error of kind ErrDictKeyOverflow that ends the stream.
	BatchRows int
	// MaxRowBytes is the longest text of a row, 64 MiB when it is 0; a longer one ends the stream with an error.
	MaxRowBytes int
	// Skip is asked about every row that cannot be read. When it gives true, the stream goes on behind that row, else, or when it is nil, the stream ends with the
	// error. A text that does not show where the row ends, and one that fails to be read, ends the stream in any case.
	Skip func(*types.Error) bool
}

// maxText is the longest text of Unmarshal: within it no number of rows or elements exceeds Arrow's offsets.
const maxText = math.MaxInt32

// Unmarshal reads a JSON array as an array of the type and nullability of field; the caller releases it. The name of the field counts for the paths of errors
// only. The text may have up to 2 GiB. Errors are those of the package comment, and what types.Export says when the rows are too many for run ends
// or dictionary keys of the type.
func Unmarshal(text []byte, field arrow.Field, options ReadOptions) (arrow.Array, error) {
	s, err := newShape(field, field.Name)
	if err != nil {
		return nil, err
	}
	v, err := readArray(text, newField(s), options)
	if err != nil {
		return nil, err
	}
	return types.Export(v, field.Type, exportOptions)
}

// exportOptions: nulls stand in their variants already.
var exportOptions = types.ExportOptions{AllowLossy: true}

// UnmarshalBatch reads a JSON array of objects as a record batch; the caller releases it. Otherwise it is Unmarshal.
func UnmarshalBatch(text []byte, schema *arrow.Schema, options ReadOptions) (arrow.RecordBatch, error) {
	s, err := rowShape(schema)
	if err != nil {
		return nil, err
	}
	v, err := readArray(text, newField(s), options)
	if err != nil {
		return nil, err
	}
	return exportRows(v, schema)
}

func exportRows(v *types.Vector, schema *arrow.Schema) (arrow.RecordBatch, error) {
	return types.ExportBatch(types.NewBatch(v.Children(), v.Len(), 0), schema, exportOptions)
}

// readArray reads the values of an array that is the whole text.
func readArray(text []byte, rows *field, options ReadOptions) (*types.Vector, error) {
	if len(text) > maxText {
		return nil, types.Errorf(types.CodeProgramLimit, "a text of %d bytes is too long to be read at once", len(text)).WithHint("use a Reader")
	}
	d := decoder{options: options, origin: types.Position{Line: 1, Column: 1}}
	d.Text, d.Strict = text, true
	more, ok := false, d.Expect('[')
	if ok {
		more = !d.Accept(']')
	}
	for ok && more {
		if ok = rows.read(&d); ok {
			d.row++
			more, ok = d.more(']')
		}
	}
	if d.Space(); ok && d.At < len(text) {
		d.Fail("text follows the array")
	}
	if err := d.fault(); err != nil {
		return nil, err
	}
	return rows.finish(), nil
}
