package mem

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// statisticsTable makes a table of a key, a number out of 100 with a fifth of nulls, a text out of 20 that comes in runs, as a dictionary too, and a
// list.
func statisticsTable(t *testing.T, rows int) *Table {
	t.Helper()
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: arrow.PrimitiveTypes.Int64}, {Name: "number", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.String}, {Name: "dictionary", Type: dictionary, Nullable: true},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	random := rand.New(rand.NewPCG(1, 2))
	var records []arrow.RecordBatch
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if random.IntN(5) == 0 {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.Int32Builder).Append(int32(random.IntN(100)))
		}
		text := fmt.Sprintf("value %02d", i*20/rows)
		b.Field(2).(*array.StringBuilder).Append(text)
		if err := b.Field(3).(*array.BinaryDictionaryBuilder).AppendString(text); err != nil {
			t.Fatal(err)
		}
		b.Field(4).AppendNull()
		if i%7000 == 6999 || i == rows-1 {
			records = append(records, b.NewRecordBatch())
		}
	}
	table, err := FromRecords(schema, records)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		r.Release()
	}
	return table
}

func TestStatistics(t *testing.T) {
	for _, rows := range []int{500, 100_000} {
		t.Run(fmt.Sprint(rows), func(t *testing.T) {
			table := statisticsTable(t, rows)
			defer table.Release()
			s := table.Statistics()
			if s.Rows != int64(rows) || s.RowsConfidence != catalog.Exact || len(s.Columns) != 5 {
				t.Fatalf("%+v", s)
			}
			near := func(what string, got, want int64) {
				if float64(got) < 0.7*float64(want) || float64(got) > 1.3*float64(want) {
					t.Errorf("%s: %d, want about %d", what, got, want)
				}
			}
			key, number, list := s.Columns[0], s.Columns[1], s.Columns[4]
			near("greatest key", types.Value(key.Max, 0).(int64), int64(rows))
			if least := types.Value(key.Min, 0).(int64); least < 0 || least > int64(rows)/100 {
				t.Errorf("least key %d", least)
			}
			if rows > sampleRows {
				// All of the sample differ: whether that is a key or a number with few repetitions it does not say.
				if key.DistinctConfidence != catalog.Unknown {
					t.Errorf("%d keys counted in a sample", key.Distinct)
				}
			} else {
				near("keys", key.Distinct, int64(rows))
			}
			near("numbers", number.Distinct, 100)
			near("nulls", number.Nulls, int64(rows)/5)
			for _, c := range []int{2, 3} {
				near("texts", s.Columns[c].Distinct, 20)
				if low, high := types.Text(s.Columns[c].Min, 0), types.Text(s.Columns[c].Max, 0); low != "value 00" || high != "value 19" {
					t.Errorf("column %d lies between %s and %s", c, low, high)
				}
			}
			if list.BoundsConfidence != catalog.Unknown || list.DistinctConfidence != catalog.Unknown {
				t.Errorf("list: %+v", list)
			}
		})
	}
}

func TestStatisticsOfNoRows(t *testing.T) {
	table, err := FromRecords(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}}, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	if s := table.Statistics(); s.Rows != 0 || len(s.Columns) != 1 || s.Columns[0].Min != nil {
		t.Errorf("%+v", s)
	}
}

func BenchmarkStatistics(b *testing.B) {
	rows := sampledRows(1 << 20)
	table := statisticsTable(&testing.T{}, 1<<20)
	defer table.Release()
	for b.Loop() {
		for i := range table.columns[:4] {
			table.columns[i].sample(rows, table.rows)
		}
	}
}
