package engine_test

import (
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/engine"
)

// encodings gives the encoding of each column of a result, d for dictionaries, r for runs, p for plain, and the rows.
func encodings(t *testing.T, db *engine.DB, sql string) (string, [][]string) {
	t.Helper()
	result, err := db.Query(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer result.Release()
	kinds := ""
	for _, f := range result.Schema().Fields() {
		switch f.Type.ID() {
		case arrow.DICTIONARY:
			kinds += "d"
		case arrow.RUN_END_ENCODED:
			kinds += "r"
		default:
			kinds += "p"
		}
	}
	var rows [][]string
	for batch, err := range result.All() {
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		for i := range int(batch.NumRows()) {
			row := make([]string, batch.NumCols())
			for c, a := range batch.Columns() {
				row[c] = a.ValueStr(i)
			}
			rows = append(rows, row)
		}
	}
	return kinds, rows
}

// TestEncodingsSurvive checks that dictionaries and runs go through queries, and through Arrow files, to Arrow: columns as they are, and what the functions
// make; not what is computed of them.
func TestEncodingsSurvive(t *testing.T) {
	for _, options := range []engine.Options{{Threads: 1}, {Threads: 2, BatchRows: 3}, {OptimizerOff: true}} {
		db := open(t, options)
		file := "'" + filepath.Join(t.TempDir(), "encoded.arrow") + "'"
		const values = "(SELECT i, CASE WHEN i % 7 = 3 THEN NULL ELSE 'text ' || i % 5 END AS s FROM range(1000) r(i))"
		const encoded = "(SELECT i, dictionary_encode(s) AS d, run_end_encode(i // 100) AS r, s FROM " + values + ")"
		mustExec(t, db, "COPY (SELECT d, r, i, s FROM "+encoded+") TO "+file+" (ROW_GROUP_SIZE 100)")
		for _, c := range []struct{ sql, kinds, plain string }{
			{"SELECT * FROM " + file, "drpp", "SELECT s, i // 100, i, s FROM " + values},
			{"SELECT d, r FROM " + file + " WHERE i % 3 = 1 AND d <> 'text 2'", "dr", "SELECT s, i // 100 FROM " + values + " WHERE i % 3 = 1 AND s <> 'text 2'"},
			{"SELECT r, d FROM " + file + " ORDER BY d DESC, i LIMIT 50", "rd", "SELECT i // 100, s FROM " + values + " ORDER BY s DESC, i LIMIT 50"},
			{"SELECT d AS x, count(*) FROM " + file + " GROUP BY d ORDER BY ALL", "dp", "SELECT s, count(*) FROM " + values + " GROUP BY s ORDER BY ALL"},
			{"SELECT DISTINCT d FROM " + file + " ORDER BY 1", "d", "SELECT DISTINCT s FROM " + values + " ORDER BY 1"},
			{"SELECT upper(d), r + 1, decode(d) FROM " + file, "ppp", "SELECT upper(s), i // 100 + 1, s FROM " + values},
			{"SELECT a.d, b.r FROM " + file + " a LEFT JOIN " + file + " b ON a.i = b.i - 990 ORDER BY a.i", "dr", "SELECT a.s, b.i // 100 FROM " + values + " a LEFT JOIN " + values + " b ON a.i = b.i - 990 ORDER BY a.i"},
			{"SELECT d FROM " + file + " WHERE i < 9 UNION ALL SELECT d FROM " + file + " WHERE i > 990", "d", "SELECT s FROM " + values + " WHERE i < 9 UNION ALL SELECT s FROM " + values + " WHERE i > 990"},
			{"SELECT d FROM " + file + " WHERE i < 9 UNION ALL SELECT 'x'", "p", "SELECT s FROM " + values + " WHERE i < 9 UNION ALL SELECT 'x'"},
			{"WITH q AS (SELECT d, r FROM " + file + ") SELECT * FROM q WHERE r = 4", "dr", "SELECT s, i // 100 FROM " + values + " WHERE i // 100 = 4"},
			{"SELECT d FROM (SELECT d, row_number() OVER (ORDER BY i DESC) AS n FROM " + file + ") WHERE n <= 10 ORDER BY n", "d", "SELECT s FROM " + values + " WHERE i >= 990 ORDER BY i DESC"},
			{"SELECT dictionary_encode(1), run_end_encode(NULL::INTEGER), dictionary_encode(NULL)", "drp", "SELECT 1, NULL::INTEGER, NULL"},
			{"SELECT d FROM " + file + " WHERE false", "d", "SELECT s FROM " + values + " WHERE false"},
		} {
			kinds, rows := encodings(t, db, c.sql)
			_, want := encodings(t, db, c.plain)
			if kinds != c.kinds {
				t.Errorf("%+v: %s: columns are %s, want %s", options, c.sql, kinds, c.kinds)
			}
			if len(rows) != len(want) {
				t.Errorf("%+v: %s: %d rows, want %d", options, c.sql, len(rows), len(want))
				continue
			}
			for i := range rows {
				for k := range rows[i] {
					if rows[i][k] != want[i][k] {
						t.Errorf("%+v: %s: row %d is %v, want %v", options, c.sql, i, rows[i], want[i])
						break
					}
				}
			}
		}
		// Tables that statements make have no encodings of their own.
		mustExec(t, db, "CREATE TABLE made AS SELECT * FROM "+file)
		if kinds, _ := encodings(t, db, "SELECT * FROM made"); kinds != "pppp" {
			t.Errorf("the columns of a table made are %s", kinds)
		}
	}
}
