package types

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
)

// ImportRows is ImportData for the rows from to to (half open) of an array, without a slice of it that somebody would have to release. Rows
// outside the window are not looked at, except for dictionaries, which are imported whole. The vector exports as that slice of the array
// again. Rows in errors count from the window's start.
func ImportRows(data arrow.ArrayData, from, to int, opts ImportOptions) (*Vector, error) {
	typ := opts.Type
	if typ.kind == KindNull {
		var err error
		if typ, err = importType(data.DataType(), arrow.Metadata{}, opts.Unions); err != nil {
			return nil, err
		}
	}
	im := importer{pool: opts.Pool, trusted: opts.Trusted, viewSpan: math.MaxUint32}
	return im.vector(data, typ, from, to-from, nil)
}
