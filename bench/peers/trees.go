package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"

	lacunasql "github.com/lacunadb/lacuna/plan/sql"
)

// runTrees makes random SELECTs of operator expressions and compares what DuckDB's parser makes of each with what it makes of Lacuna's print of
// its own tree, fully parenthesised: the same when both read the text alike. It prints the counts and the first texts that are read differently.
func runTrees(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("trees", flag.ContinueOnError)
	runs := flags.Int("runs", 20000, "number of random SELECTs")
	seed := flags.Uint64("seed", 1, "of the random choice")
	show := flags.Int("show", 20, "how many texts of each kind of difference are shown")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return err
	}
	defer db.Close()
	g := &textGenerator{random: rand.New(rand.NewPCG(*seed, 0))}
	counts := map[string]int{}
	for range *runs {
		text := "SELECT " + g.expression(2)
		outcome, detail, err := compareTrees(ctx, db, text)
		if err != nil {
			return err
		}
		counts[outcome]++
		if counts[outcome] <= *show && outcome != treesSame && outcome != bothRefuse {
			fmt.Printf("%s: %s\n    %s\n", outcome, text, detail)
		}
	}
	both := counts[treesSame] + counts[treesDiffer]
	fmt.Printf("%d SELECTs: both accept %d, of these the same tree %d (%.2f %%); both refuse %d; only DuckDB accepts %d; only Lacuna accepts %d\n",
		*runs, both, counts[treesSame], 100*float64(counts[treesSame])/float64(max(1, both)), counts[bothRefuse], counts[onlyDuckDB], counts[onlyLacuna])
	return nil
}

// Outcomes of a comparison.
const (
	treesSame   = "same"
	treesDiffer = "differs"
	bothRefuse  = "both refuse"
	onlyDuckDB  = "only DuckDB accepts"
	onlyLacuna  = "only Lacuna accepts"
)

// compareTrees parses a text with both engines. detail says what Lacuna made of it.
func compareTrees(ctx context.Context, db *sql.DB, text string) (outcome, detail string, err error) {
	want, accepted, err := duckTree(ctx, db, text)
	if err != nil {
		return "", "", err
	}
	statements, parseError := lacunasql.Parse(text)
	switch {
	case accepted && parseError != nil:
		return onlyDuckDB, parseError.Error(), nil
	case !accepted && parseError == nil:
		return onlyLacuna, want, nil
	case !accepted:
		return bothRefuse, "", nil
	}
	printed := lacunasql.SQL(statements[0])
	got, accepted, err := duckTree(ctx, db, printed)
	switch {
	case err != nil:
		return "", "", err
	case !accepted:
		return treesDiffer, printed + ": " + got, nil
	case got != want:
		return treesDiffer, printed, nil
	}
	return treesSame, "", nil
}

// queryLocation is where a node stood in its text, which parentheses change.
var queryLocation = regexp.MustCompile(`"query_location":\d+,?`)

// duckTree gives DuckDB's tree of a SELECT without places, or its message when it does not accept the text.
func duckTree(ctx context.Context, db *sql.DB, text string) (tree string, accepted bool, err error) {
	if err := db.QueryRowContext(ctx, "SELECT json_serialize_sql(?::VARCHAR)::VARCHAR", text).Scan(&tree); err != nil {
		return "", false, err
	}
	var status struct {
		Error   bool   `json:"error"`
		Message string `json:"error_message"`
	}
	if err := json.Unmarshal([]byte(tree), &status); err != nil {
		return "", false, err
	}
	if status.Error {
		return status.Message, false, nil
	}
	return queryLocation.ReplaceAllString(tree, ""), true, nil
}

// textGenerator writes random expressions without types: only their structure matters.
type textGenerator struct{ random *rand.Rand }

func (g *textGenerator) pick(words ...string) string { return words[g.random.IntN(len(words))] }

// one reports true once in n times.
func (g *textGenerator) one(n int) bool { return g.random.IntN(n) == 0 }

var treeOperators = []string{
	"and", "and", "or", "+", "+", "-", "*", "*", "/", "%", "^", "||", "=", "<", ">=", "<>", "&", "|", "<<", "//", "@>",
	"is distinct from", "is not distinct from", "like", "not like", "ilike", "glob", "similar to",
}

// expression writes up to four operands with operators between and predicates behind them.
func (g *textGenerator) expression(depth int) string {
	var b strings.Builder
	for i := range 1 + g.random.IntN(4) {
		if i > 0 {
			b.WriteString(" " + g.pick(treeOperators...) + " ")
		}
		if g.one(8) {
			b.WriteString("not ")
		}
		b.WriteString(g.operand(depth))
		b.WriteString(g.suffix())
	}
	return b.String()
}

func (g *textGenerator) operand(depth int) string {
	switch g.random.IntN(16) {
	case 0:
		return "-" + g.pick("a", "b", "1")
	case 1:
		return g.pick("a", "b") + "::" + g.pick("int", "varchar", "double")
	case 2:
		return g.pick("a", "b") + "[1]"
	case 3:
		return g.pick("'x'", "1", "2.5", "null", "true")
	case 4:
		if g.one(3) {
			return "~" + g.pick("a", "b")
		}
	}
	if depth > 0 {
		switch g.random.IntN(8) {
		case 0:
			return "(" + g.expression(depth-1) + ")"
		case 1:
			return "f(" + g.expression(depth-1) + ")"
		case 2:
			return "case when " + g.expression(depth-1) + " then 1 else b end"
		}
	}
	return g.pick("a", "b", "c", "t.d")
}

func (g *textGenerator) suffix() string {
	switch g.random.IntN(14) {
	case 0:
		return " is null"
	case 1:
		return " is not null"
	case 2:
		return " in (1, a)"
	case 3:
		return " between " + g.operand(0) + " and " + g.operand(0)
	case 4:
		return " not between " + g.operand(0) + g.pick(" + 1", " || b", "") + " and " + g.operand(0)
	case 5:
		return " collate nocase"
	case 6:
		return " at time zone 'UTC'"
	case 7:
		return " is true"
	}
	return ""
}
