package types_test

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// BenchmarkImport measures batches of 8192 rows, with nulls.
func BenchmarkImport(b *testing.B) {
	const rows = 8192
	for _, dt := range []arrow.DataType{
		arrow.PrimitiveTypes.Int64, arrow.FixedWidthTypes.Boolean, &arrow.Decimal128Type{Precision: 15, Scale: 2}, &arrow.Decimal128Type{Precision: 38, Scale: 2},
		arrow.BinaryTypes.String, arrow.BinaryTypes.StringView, arrow.ListOf(arrow.PrimitiveTypes.Int64),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		arrow.SparseUnionOf([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String}}, []int8{0, 1}),
	} {
		arr := arrowtest.RandomArray(rand.New(rand.NewPCG(1, 2)), memory.DefaultAllocator, dt, rows, arrowtest.Options{NoSlices: true})
		b.Run(dt.Name(), func(b *testing.B) {
			pool := types.NewPool()
			typ, _ := types.ImportType(dt, arrow.Metadata{})
			b.SetBytes(rows)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := types.Import(arr, types.ImportOptions{Pool: pool, Type: typ}); err != nil {
					b.Fatal(err)
				}
				pool.Release(0)
			}
		})
	}
}
