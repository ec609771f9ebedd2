package types_test

import (
	"errors"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// Rounding up to the bytes of a bitmap must not overflow, whatever numbers of rows and offsets an array claims.
func TestHugeRowCounts(t *testing.T) {
	bits := memory.NewBufferBytes([]byte{0xff})
	for _, claim := range []struct{ rows, offset int }{{math.MaxInt, 0}, {math.MaxInt - 6, 0}, {1, math.MaxInt - 1}, {1 << 62, 1<<62 - 1}} {
		for _, dt := range []arrow.DataType{arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Uint16, arrow.StructOf()} {
			data := node(dt, claim.rows, -1, claim.offset, nil, bits, bits, bits)
			if err := types.Validate(nullable("c", dt), data, types.ValidateLayout); !errors.Is(err, types.ErrInvalidLayout) {
				t.Errorf("%s, %d rows at %d: Validate gives %v", dt, claim.rows, claim.offset, err)
			}
			if _, err := types.ImportData(data, types.ImportOptions{}); !errors.Is(err, types.ErrInvalidLayout) {
				t.Errorf("%s, %d rows at %d: Import gives %v", dt, claim.rows, claim.offset, err)
			}
		}
	}
}

// Arrow's constructors panic on arrays with too few buffers, also when the arrays are empty.
func TestValidateCountsBuffers(t *testing.T) {
	for _, dt := range arrowtest.FlatTypes() {
		if dt.ID() == arrow.NULL {
			continue
		}
		data := node(dt, 0, 0, 0, nil, nil)
		if err := types.Validate(nullable("c", dt), data, types.ValidateLayout); !errors.Is(err, types.ErrInvalidLayout) {
			t.Errorf("%s with one buffer: %v", dt, err)
		}
	}
}

// TestRowsWithoutMemory refuses to count to numbers that only metadata claim.
func TestRowsWithoutMemory(t *testing.T) {
	for _, dt := range []arrow.DataType{arrow.Null, arrow.StructOf(), &arrow.FixedSizeBinaryType{}} {
		for _, n := range []int{1 << 33, 1 << 62} {
			nulls := 0
			if dt == arrow.Null {
				nulls = n
			}
			data := array.NewData(dt, n, []*memory.Buffer{nil, nil}, nil, nulls, 0)
			if _, err := types.ImportData(data, types.ImportOptions{}); !errors.Is(err, types.ErrUnsupported) {
				t.Errorf("%d rows of %s: %v", n, dt, err)
			}
			if err := types.Validate(arrow.Field{Type: dt, Nullable: true}, data, types.ValidateContents); !errors.Is(err, types.ErrUnsupported) {
				t.Errorf("validate %d rows of %s: %v", n, dt, err)
			}
		}
	}
}
