package main

import (
	"database/sql"
	"math/rand/v2"
	"testing"
)

// TestTrees compares random expressions' trees with DuckDB's. Lacuna accepts more texts, for it takes a NOT as an operand anywhere; what both accept has the
// same tree, but for the words `x op NOT NULL y`, which DuckDB reads as (x op) NOTNULL.
func TestTrees(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	g := &textGenerator{random: rand.New(rand.NewPCG(7, 0))}
	counts := map[string]int{}
	for range 3000 {
		text := "SELECT " + g.expression(2)
		outcome, detail, err := compareTrees(t.Context(), db, text)
		if err != nil {
			t.Fatal(err)
		}
		counts[outcome]++
		if outcome == onlyDuckDB {
			t.Errorf("%s: %s", text, detail)
		}
	}
	if same, both := counts[treesSame], counts[treesSame]+counts[treesDiffer]; both < 1000 || same*1000 < both*995 {
		t.Errorf("of %d texts that both accept %d have the same tree", both, same)
	}
}
