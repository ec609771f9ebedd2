package sql

import (
	"os"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// tpchColumn is a column of TPC-H and what a source would know of it at scale factor 1.
type tpchColumn struct {
	name     string
	typ      types.Type
	distinct int64 // 0: not counted, as in most files
	min, max any   // nil: no bounds
}

// tpchTables are the tables of TPC-H at scale factor 1, with the bounds that Parquet footers have. Distinct values are as dbgen makes them, for texts.
func tpchTables() map[string]tpchTable {
	money := types.Decimal(15, 2)
	key := func(name string, max int) tpchColumn {
		return tpchColumn{name: name, typ: types.BigInt, min: 1, max: max}
	}
	small := func(name string, low, high int) tpchColumn {
		return tpchColumn{name: name, typ: types.Integer, min: low, max: high}
	}
	amount := func(name, low, high string) tpchColumn {
		return tpchColumn{name: name, typ: money, min: low, max: high}
	}
	text := func(name string, distinct int64) tpchColumn {
		return tpchColumn{name: name, typ: types.Varchar, distinct: distinct}
	}
	date := func(name, low, high string) tpchColumn {
		return tpchColumn{name: name, typ: types.Date, min: low, max: high}
	}
	return map[string]tpchTable{
		"region": {5, []tpchColumn{small("r_regionkey", 0, 4), text("r_name", 5), text("r_comment", 5)}},
		"nation": {25, []tpchColumn{small("n_nationkey", 0, 24), text("n_name", 25), small("n_regionkey", 0, 4), text("n_comment", 25)}},
		"supplier": {10_000, []tpchColumn{
			key("s_suppkey", 10_000), text("s_name", 10_000), text("s_address", 10_000), small("s_nationkey", 0, 24), text("s_phone", 10_000),
			amount("s_acctbal", "-998.22", "9999.72"), text("s_comment", 10_000),
		}},
		"customer": {150_000, []tpchColumn{
			key("c_custkey", 150_000), text("c_name", 150_000), text("c_address", 150_000), small("c_nationkey", 0, 24), text("c_phone", 150_000),
			amount("c_acctbal", "-999.99", "9999.99"), text("c_mktsegment", 5), text("c_comment", 150_000),
		}},
		"part": {200_000, []tpchColumn{
			key("p_partkey", 200_000), text("p_name", 200_000), text("p_mfgr", 5), text("p_brand", 25), text("p_type", 150), small("p_size", 1, 50),
			text("p_container", 40), amount("p_retailprice", "901.00", "2098.99"), text("p_comment", 130_000),
		}},
		"partsupp": {800_000, []tpchColumn{
			key("ps_partkey", 200_000), key("ps_suppkey", 10_000), small("ps_availqty", 1, 9999), amount("ps_supplycost", "1.00", "1000.00"),
			text("ps_comment", 800_000),
		}},
		"orders": {1_500_000, []tpchColumn{
			key("o_orderkey", 6_000_000), key("o_custkey", 150_000), text("o_orderstatus", 3), amount("o_totalprice", "857.71", "555285.16"),
			date("o_orderdate", "1992-01-01", "1998-08-02"), text("o_orderpriority", 5), text("o_clerk", 1000), small("o_shippriority", 0, 0),
			text("o_comment", 1_480_000),
		}},
		"lineitem": {6_001_215, []tpchColumn{
			key("l_orderkey", 6_000_000), key("l_partkey", 200_000), key("l_suppkey", 10_000), small("l_linenumber", 1, 7),
			amount("l_quantity", "1.00", "50.00"), amount("l_extendedprice", "901.00", "104949.50"), amount("l_discount", "0.00", "0.10"),
			amount("l_tax", "0.00", "0.08"), text("l_returnflag", 3), text("l_linestatus", 2), date("l_shipdate", "1992-01-02", "1998-12-01"),
			date("l_commitdate", "1992-01-31", "1998-10-31"), date("l_receiptdate", "1992-01-04", "1998-12-31"), text("l_shipinstruct", 4),
			text("l_shipmode", 7), text("l_comment", 3_600_000),
		}},
	}
}

// tpchTable is a table's rows and columns.
type tpchTable struct {
	rows    int64
	columns []tpchColumn
}

// tpchCatalog knows the tables of TPC-H at scale factor 1, without rows. Without counted, texts have no distinct counts, as in Parquet files.
func tpchCatalog(t testing.TB, counted bool) *catalog.Catalog {
	t.Helper()
	c := planCatalog(t)
	for name, table := range tpchTables() {
		s := &schemaTable{rows: table.rows}
		for _, column := range table.columns {
			s.schema = append(s.schema, types.Field{Name: column.name, Type: column.typ})
			of := catalog.ColumnStatistics{NullsConfidence: catalog.Exact}
			if column.min != nil {
				of.Min, of.Max, of.BoundsConfidence = constant(t, column.typ, column.min), constant(t, column.typ, column.max), catalog.Exact
			}
			if counted && column.distinct > 0 {
				of.Distinct, of.DistinctConfidence = column.distinct, catalog.Estimated
			}
			s.columns = append(s.columns, of)
		}
		if _, _, err := c.Create(catalog.Object{Schema: catalog.DefaultSchema, Name: name, Table: s}, catalog.ConflictReplaces); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// constant makes a value; dates are texts.
func constant(t testing.TB, typ types.Type, value any) *types.Vector {
	t.Helper()
	if text, ok := value.(string); ok && typ.Kind() == types.KindDate {
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		value = day
	}
	v, err := types.NewValue(typ, value)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestGoldenTPCH shows the plans of all queries of TPC-H at scale factor 1.
func TestGoldenTPCH(t *testing.T) {
	c := tpchCatalog(t, true)
	datadriven.RunTest(t, "testdata/tpch.test", func(t *testing.T, d *datadriven.TestData) string {
		var name string
		d.ScanArgs(t, "query", &name)
		text, err := os.ReadFile("../../engine/testdata/tpch/queries/" + name + ".sql")
		if err != nil {
			t.Fatal(err)
		}
		bound, err := bindOne(c, string(text))
		if err != nil {
			return err.Error() + "\n"
		}
		return explainText(t, &plan.Optimizer{IDs: bound.IDs}, bound.Plan)
	})
}
