package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// This file is how much two texts differ. Distances count bytes, as in DuckDB.

func registerDistance(set *expr.Set) {
	for _, f := range []struct {
		name        string
		aliases     []string
		distance    func(a, b []byte) int64
		description string
		example     string
	}{
		{"levenshtein", []string{"editdist3"}, levenshtein, "The number of single bytes to insert, delete or replace to make one text the other.", "levenshtein('kitten', 'sitting') = 3"},
		{"damerau_levenshtein", nil, damerau, "levenshtein in which exchanging two neighbours counts as one step.", "damerau_levenshtein('ca', 'abc') = 2"},
	} {
		kernel := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			a, b := textOf(env, args[0]), textOf(env, args[1])
			return tryRows(env, out, args, func(i int) (int64, bool, *types.Error) {
				x, y := a.at(i), b.at(i)
				if int64(len(x))*int64(len(y)) > maxText/16 {
					return 0, false, types.Errorf(types.CodeProgramLimit, "texts of %d and %d bytes are too long for %s", len(x), len(y), f.name)
				}
				return f.distance(x, y), true, nil
			})
		}
		set.MustAdd(&expr.Family{
			Name: f.name, Aliases: f.aliases, Bind: fixed(f.name, types.BigInt, expr.NullStrict, true, kernel, types.Varchar, types.Varchar),
			Signatures: []string{f.name + "(a VARCHAR, b VARCHAR) -> BIGINT"}, Description: f.description, Example: f.example,
		})
	}
	hamming := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		a, b := textOf(env, args[0]), textOf(env, args[1])
		return tryRows(env, out, args, func(i int) (int64, bool, *types.Error) {
			x, y := a.at(i), b.at(i)
			if len(x) != len(y) {
				return 0, false, types.Errorf(types.CodeInvalidParameter, "hamming compares texts of one length, not of %d and %d bytes", len(x), len(y))
			}
			n := int64(0)
			for k := range x {
				if x[k] != y[k] {
					n++
				}
			}
			return n, true, nil
		})
	}
	set.MustAdd(&expr.Family{
		Name: "hamming", Aliases: []string{"mismatches"}, Bind: fixed("hamming", types.BigInt, expr.NullStrict, true, hamming, types.Varchar, types.Varchar),
		Signatures: []string{"hamming(a VARCHAR, b VARCHAR) -> BIGINT"}, Description: "The number of places at which two texts of one length differ.", Example: "hamming('abc', 'abd') = 1",
	})
	for _, f := range []struct {
		name, description, example string
		similarity                 func(a, b []byte) float64
		canFail                    bool
	}{
		{"jaccard", "The share of the different bytes of either text that are in both.", "jaccard('ab', 'bc') = 0.3333333333333333", jaccard, true},
		{"jaro_similarity", "The Jaro similarity, from 0 to 1.", "jaro_similarity('martha', 'marhta') = 0.9444444444444445", jaro, false},
		{"jaro_winkler_similarity", "The Jaro-Winkler similarity, from 0 to 1: Jaro's, closer for a common beginning.", "jaro_winkler_similarity('martha', 'marhta') = 0.9611111111111111", jaroWinkler, false},
	} {
		kernel := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			a, b := textOf(env, args[0]), textOf(env, args[1])
			return tryRows(env, out, args, func(i int) (float64, bool, *types.Error) {
				x, y := a.at(i), b.at(i)
				switch {
				case f.canFail && (len(x) == 0 || len(y) == 0):
					return 0, false, types.Errorf(types.CodeInvalidParameter, "%s takes no empty text", f.name)
				case int64(len(x))*int64(len(y)) > maxText/16:
					return 0, false, types.Errorf(types.CodeProgramLimit, "texts of %d and %d bytes are too long for %s", len(x), len(y), f.name)
				}
				return f.similarity(x, y), true, nil
			})
		}
		set.MustAdd(&expr.Family{
			Name: f.name, Bind: fixed(f.name, types.Double, expr.NullStrict, true, kernel, types.Varchar, types.Varchar),
			Signatures: []string{f.name + "(a VARCHAR, b VARCHAR) -> DOUBLE"}, Description: f.description, Example: f.example,
		})
	}
}

// levenshtein fills the table of distances between beginnings of a and b, of which one row is kept (Wagner and Fischer, 1974).
func levenshtein(a, b []byte) int64 {
	row := make([]int64, len(b)+1)
	for j := range row {
		row[j] = int64(j)
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = int64(i + 1)
		for j, y := range b {
			step := diagonal
			if x != y {
				step++
			}
			diagonal = row[j+1]
			row[j+1] = min(step, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// damerau is the unrestricted Damerau-Levenshtein distance (Lowrance and Wagner, 1975).
func damerau(a, b []byte) int64 {
	width := len(b) + 2
	table := make([]int64, (len(a)+2)*width)
	at := func(i, j int) *int64 { return &table[(i+1)*width+j+1] }
	most := int64(len(a) + len(b))
	*at(-1, -1) = most
	for i := range len(a) + 1 {
		*at(i, -1), *at(i, 0) = most, int64(i)
	}
	for j := range len(b) + 1 {
		*at(-1, j), *at(0, j) = most, int64(j)
	}
	var last [256]int // the row in which a byte last stood in a, from 1
	for i := 1; i <= len(a); i++ {
		match := 0 // the last place in b that had a[i-1]
		for j := 1; j <= len(b); j++ {
			k, l := last[b[j-1]], match
			cost := int64(1)
			if a[i-1] == b[j-1] {
				cost, match = 0, j
			}
			*at(i, j) = min(*at(i-1, j-1)+cost, *at(i, j-1)+1, *at(i-1, j)+1, *at(k-1, l-1)+int64(i-k-1)+1+int64(j-l-1))
		}
		last[a[i-1]] = i
	}
	return *at(len(a), len(b))
}

func jaccard(a, b []byte) float64 {
	var inA, inB [256]bool
	for _, c := range a {
		inA[c] = true
	}
	for _, c := range b {
		inB[c] = true
	}
	both, either := 0, 0
	for c := range inA {
		if inA[c] && inB[c] {
			both++
		}
		if inA[c] || inB[c] {
			either++
		}
	}
	return float64(both) / float64(either)
}

// jaro compares bytes that match within half of the longer text.
func jaro(a, b []byte) float64 {
	reach := max(max(len(a), len(b))/2-1, 0)
	matchedB := make([]bool, len(b))
	var matchesA []byte
	for i, x := range a {
		for j := max(0, i-reach); j < min(len(b), i+reach+1); j++ {
			if !matchedB[j] && b[j] == x {
				matchedB[j] = true
				matchesA = append(matchesA, x)
				break
			}
		}
	}
	if len(matchesA) == 0 {
		return 0
	}
	moved, k := 0, 0
	for j, y := range b {
		if matchedB[j] {
			if matchesA[k] != y {
				moved++
			}
			k++
		}
	}
	m := float64(len(matchesA))
	return (m/float64(len(a)) + m/float64(len(b)) + (m-float64(moved/2))/m) / 3
}

func jaroWinkler(a, b []byte) float64 {
	similarity := jaro(a, b)
	if similarity <= 0.7 {
		return similarity
	}
	prefix := 0
	for prefix < min(4, len(a), len(b)) && a[prefix] == b[prefix] {
		prefix++
	}
	return similarity + float64(float64(prefix)*0.1*(1-similarity))
}
