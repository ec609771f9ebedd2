package arrowjson_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types/arrowjson"
)

const benchRows = 10_000

// benchText gives JSON lines of an integer, a float, a text, a timestamp and a list.
func benchText(b *testing.B) (*arrow.Schema, []byte) {
	b.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "price", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "name", Type: arrow.BinaryTypes.String}, {Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}},
		{Name: "tags", Type: arrow.ListOfNonNullable(arrow.PrimitiveTypes.Int32)},
	}, nil)
	rng := rand.New(rand.NewPCG(1, 2))
	var text []byte
	for i := range benchRows {
		text = strconv.AppendInt(append(text, `{"id":`...), int64(i)*1_000_003, 10)
		text = strconv.AppendFloat(append(text, `,"price":`...), float64(rng.IntN(100_000))/100, 'f', 2, 64)
		text = append(append(text, `,"name":"`...), strings.Repeat("name", 1+rng.IntN(5))...)
		text = append(text, `","at":"2024-05-06T07:08:09.123456Z","tags":[1,22,333]}`+"\n"...)
	}
	return schema, text
}

func BenchmarkWriter(b *testing.B) {
	schema, text := benchText(b)
	r, err := arrowjson.NewReader(bytes.NewReader(text), schema, arrowjson.ReadOptions{BatchRows: benchRows})
	if err != nil || !r.Next() {
		b.Fatal(err)
	}
	w, err := arrowjson.NewWriter(io.Discard, schema, arrowjson.WriteOptions{Lines: true})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Write(r.RecordBatch()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReader(b *testing.B) {
	schema, text := benchText(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := arrowjson.NewReader(bytes.NewReader(text), schema, arrowjson.ReadOptions{})
		if err != nil {
			b.Fatal(err)
		}
		for r.Next() {
		}
		if r.Err() != nil {
			b.Fatal(r.Err())
		}
		r.Release()
	}
}
