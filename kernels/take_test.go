package kernels

import (
	"errors"
	"testing"

	"github.com/lacunadb/lacuna/types"
)

// TestCheckIndicesBlocks has the fault in every place of the blocks that indices are looked at in, valid and under a null.
func TestCheckIndicesBlocks(t *testing.T) {
	for n := range 11 {
		indices := make([]uint32, n)
		if err := CheckIndices(indices, nil, 1); err != nil {
			t.Fatalf("%d zeros: %v", n, err)
		}
		for i := range indices {
			for _, fault := range []uint32{1, 1 << 31, 1<<32 - 1} {
				indices[i] = fault
				var e *types.Error
				if err := CheckIndices(indices, nil, 1); !errors.As(err, &e) || !errors.Is(err, types.ErrIndexOutOfBounds) || e.Row != int64(i) {
					t.Fatalf("index %d at %d of %d: %v", fault, i, n, err)
				}
				valid := make(types.Bitmap, types.BitmapWords(n))
				types.FillBitmap(valid, n)
				valid.Clear(i)
				if err := CheckIndices(indices, valid, 1); err != nil {
					t.Fatalf("index %d under a null: %v", fault, err)
				}
			}
			indices[i] = 0
		}
	}
	if err := CheckIndices(nil, nil, 0); err != nil {
		t.Fatal(err)
	}
}
