package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// TestStatisticsBoundTheData reads files and checks that no value is outside its column's bounds and that nulls are counted right, over
// the table and over each row group.
func TestStatisticsBoundTheData(t *testing.T) {
	for _, g := range generated {
		table := openTable(t, "testdata/"+g.file+".parquet")
		statistics := table.Statistics()
		bounded := 0
		for i, f := range table.Schema() {
			c := statistics.Columns[i]
			nulls := int64(0)
			request := allColumns(table)
			request.Columns = request.Columns[i:][:1]
			err := eachBatch(table, request, func(b *types.Batch) error {
				v := b.Columns[0]
				nulls += int64(types.NullCount(nil, v))
				if c.Min != nil {
					bounded++
					checkBounds(t, f.Name, v, c.Min, c.Max, f.Type.IsFloat())
				}
				if l := table.tree.columns[i].leaf; l != nil {
					group := &table.meta.groups[b.Sequence.Morsel()]
					if p := pruningBounds(l, &group.columns[l.index], group.rows); p.Min != nil {
						checkBounds(t, f.Name, v, p.Min, p.Max, false)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if c.NullsConfidence == catalog.Exact && c.Nulls != nulls {
				t.Errorf("%s, %s: %d nulls instead of %d", g.file, f.Name, c.Nulls, nulls)
			}
		}
		if bounded == 0 && g.file != "int96" {
			t.Errorf("%s: no column has bounds", g.file)
		}
	}
}

func checkBounds(t *testing.T, name string, v, least, greatest *types.Vector, exceptNaN bool) {
	t.Helper()
	for _, side := range []struct {
		op    kernels.CompareOp
		bound *types.Vector
	}{{kernels.Less, least}, {kernels.Greater, greatest}} {
		outside, err := kernels.Compare(nil, side.op, v, types.NewConstant(side.bound, v.Len()))
		if err != nil {
			t.Fatal(name, err)
		}
		rows := kernels.TrueRows(nil, outside)
		if rows == nil {
			rows = types.Bitmap{}
		}
		for i := rows.NextSet(0, v.Len()); i < v.Len() && len(rows) > 0; i = rows.NextSet(i+1, v.Len()) {
			if x := types.Value(v, i); !exceptNaN || x == x {
				t.Fatalf("%s: %v is outside %v to %v", name, x, types.Value(least, 0), types.Value(greatest, 0))
			}
		}
	}
}

// TestTPCHStatistics checks figures of a DuckDB file.
func TestTPCHStatistics(t *testing.T) {
	table := openTable(t, tpch("lineitem"))
	s := table.Statistics()
	if s.Rows != 60175 || s.RowsConfidence != catalog.Exact || s.Source != "parquet footer" {
		t.Errorf("%d rows", s.Rows)
	}
	for name, want := range map[string]string{
		"l_shipdate":   "1992-01-04 to 1998-11-29, 0 nulls",
		"l_quantity":   "1.00 to 50.00, 0 nulls",
		"l_returnflag": "A to R, 0 nulls",
	} {
		c := s.Columns[table.Schema().Index(name)]
		if got := fmt.Sprintf("%s to %s, %d nulls", types.Text(c.Min, 0), types.Text(c.Max, 0), c.Nulls); got != want || c.BoundsConfidence != catalog.Exact {
			t.Errorf("%s: %s instead of %s", name, got, want)
		}
	}
	if c := s.Columns[table.Schema().Index("l_returnflag")]; c.Distinct != 3 || c.DistinctConfidence != catalog.Estimated {
		t.Errorf("l_returnflag: %d distinct values", c.Distinct)
	}
}

// TestTrustedStatistics checks which statistics are believed.
func TestTrustedStatistics(t *testing.T) {
	leafOf := func(e schemaElement, byType bool) *leaf {
		e.name, e.repetition = []byte("c"), repetitionOptional
		if e.logical.kind == 0 && e.converted == 0 {
			e.converted = convertedNone
		}
		b := &schemaBuilder{elements: []schemaElement{e}}
		n, err := b.node(0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		n.leaf.byType = byType
		return n.leaf
	}
	i32 := func(x int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(x)) }
	f64 := func(x float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)) }
	integer := schemaElement{physical: physicalInt32}
	unsigned := schemaElement{physical: physicalInt32, logical: logicalType{kind: logicalInteger, bits: 32}}
	text := schemaElement{physical: physicalByteArray, logical: logicalType{kind: logicalString}}
	double := schemaElement{physical: physicalDouble}
	for name, c := range map[string]struct {
		element  schemaElement
		byType   bool
		min, max []byte
		old      bool
		want     string
	}{
		"integer":                    {integer, true, i32(-5), i32(7), false, "-5 to 7"},
		"integer, no orders":         {integer, false, i32(-5), i32(7), false, "-5 to 7"},
		"integer, old":               {integer, true, i32(-5), i32(7), true, "-5 to 7"},
		"integer, wrong order":       {integer, true, i32(7), i32(-5), false, "unknown"},
		"integer, wrong length":      {integer, true, i32(7)[:3], i32(8), false, "unknown"},
		"integer, one side":          {integer, true, nil, i32(8), false, "unknown"},
		"unsigned":                   {unsigned, true, i32(5), i32(-1), false, "5 to 4294967295"},
		"unsigned, old":              {unsigned, true, i32(5), i32(6), true, "unknown"},
		"text":                       {text, true, []byte("a"), []byte("zö"), false, "a to zö"},
		"text, no orders":            {text, false, []byte("a"), []byte("z"), false, "unknown"},
		"text, old":                  {text, true, []byte("a"), []byte("z"), true, "unknown"},
		"text, cut in a character":   {text, true, []byte("a"), []byte("zö")[:2], false, "unknown"},
		"double":                     {double, true, f64(-1), f64(2), false, "-1.0 to nan"},
		"double, NaN":                {double, true, f64(math.NaN()), f64(2), false, "unknown"},
		"double, old":                {double, true, f64(-1), f64(2), true, "unknown"},
		"INT96":                      {schemaElement{physical: physicalInt96}, true, make([]byte, 12), make([]byte, 12), false, "unknown"},
		"decimal of varying length":  {schemaElement{physical: physicalByteArray, logical: logicalType{kind: logicalDecimal, precision: 5, scale: 1}}, true, []byte{0xff}, []byte{1, 0}, false, "-0.1 to 25.6"},
		"boolean":                    {schemaElement{physical: physicalBoolean}, true, []byte{0}, []byte{1}, false, "false to true"},
		"boolean, wrong length":      {schemaElement{physical: physicalBoolean}, true, []byte{}, []byte{1}, false, "unknown"},
		"date":                       {schemaElement{physical: physicalInt32, logical: logicalType{kind: logicalDate}}, true, i32(0), i32(1), false, "1970-01-01 to 1970-01-02"},
		"interval":                   {schemaElement{physical: physicalFixed, length: 12, converted: convertedInterval}, true, make([]byte, 12), make([]byte, 12), false, "unknown"},
		"text, as good as empty":     {text, true, []byte{}, []byte{}, false, " to "},
		"fixed bytes, other lengths": {schemaElement{physical: physicalFixed, length: 3}, true, []byte("abc"), []byte("b"), false, "abc to b"},
	} {
		l := leafOf(c.element, c.byType)
		chunk := columnChunk{known: true, physical: l.physical}
		chunk.statistics = chunkStatistics{nulls: 1, distinct: -1, min: c.min, max: c.max}
		if c.old {
			chunk.statistics = chunkStatistics{nulls: 1, distinct: -1, oldMin: c.min, oldMax: c.max}
		}
		b := pruningBounds(l, &chunk, 10)
		got := "unknown"
		if b.Min != nil {
			got = types.Text(b.Min, 0) + " to " + types.Text(b.Max, 0)
		}
		if got != c.want {
			t.Errorf("%s: %s instead of %s", name, got, c.want)
		}
		if b.Nulls != 1 || b.Rows != 10 {
			t.Errorf("%s: %d nulls of %d rows", name, b.Nulls, b.Rows)
		}
	}
	l := leafOf(integer, true)
	chunk := columnChunk{known: true, physical: l.physical, statistics: chunkStatistics{nulls: 11}}
	if b := pruningBounds(l, &chunk, 10); b.Nulls != -1 {
		t.Errorf("%d nulls in 10 rows are believed", b.Nulls)
	}
}
