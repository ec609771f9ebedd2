package arrowjson_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowjson"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// FuzzUnmarshal reads any text as any type. What can be read is clean, is written as JSON and reads back as the same. The Reader agrees with UnmarshalBatch.
func FuzzUnmarshal(f *testing.F) {
	for seed := range uint64(60) {
		field := fuzzField(seed)
		arr := arrowtest.RandomArray(rand.New(rand.NewPCG(seed, 19)), memory.DefaultAllocator, field.Type, 3, arrowtest.Options{})
		if text, err := arrowjson.Marshal(field, arr.Data(), arrowjson.WriteOptions{OnViolation: arrowjson.ViolationNull}); err == nil {
			f.Add(seed, text)
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, text []byte) {
		field := fuzzField(seed)
		arr, err := arrowjson.Unmarshal(text, field, arrowjson.ReadOptions{Lenient: seed%3 == 0, IgnoreUnknown: seed%2 == 0})
		if err == nil {
			checkClean(t, types.Validate(field, arr.Data(), types.ValidateStrict))
			again, err := arrowjson.Marshal(field, arr.Data(), arrowjson.WriteOptions{})
			if err != nil {
				t.Fatalf("%s from %s: %v", field, text, err)
			}
			checkRoundTrip(t, field, arr.Data(), again)
		}
		schema := arrow.NewSchema([]arrow.Field{field, {Name: "d", Type: arrow.PrimitiveTypes.Int32}}, nil)
		r, err := arrowjson.NewReader(bytes.NewReader(text), schema, arrowjson.ReadOptions{BatchRows: 2, MaxRowBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		var batches []arrow.RecordBatch
		for r.Next() {
			checkClean(t, types.ValidateBatch(r.RecordBatch(), types.ValidateStrict))
			r.RecordBatch().Retain()
			batches = append(batches, r.RecordBatch())
		}
		if start := bytes.TrimLeft(text, " \t\r\n"); len(start) == 0 || start[0] != '[' {
			return
		}
		whole, err := arrowjson.UnmarshalBatch(text, schema, arrowjson.ReadOptions{})
		if (err == nil) != (r.Err() == nil) {
			t.Fatalf("%s from %s: UnmarshalBatch gives %v, the Reader %v", schema, text, err, r.Err())
		}
		if err == nil && whole.NumRows() != array.NewTableFromRecords(schema, batches).NumRows() {
			t.Fatalf("%s from %s: other rows", schema, text)
		}
	})
}

// fuzzField draws a field named c.
func fuzzField(seed uint64) arrow.Field {
	rng := rand.New(rand.NewPCG(seed, 20))
	dt := arrowtest.RandomType(rng, 1+int(seed%3))
	return arrow.Field{Name: "c", Type: dt, Nullable: dt.ID() == arrow.NULL || rng.IntN(2) == 0}
}
