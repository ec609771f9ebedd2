package catalog

import (
	"sort"
	"strings"
)

// maxNearest is how many names a hint offers.
const maxNearest = 3

// Nearest gives the candidates that a mistyped name most likely meant, best first, at most three: those within an edit distance of a third
// of the name's length (at least one edit), or that contain it. Distinct, in their own spelling.
func Nearest(name string, candidates []string) []string {
	type scored struct {
		name     string
		distance int
	}
	wanted := strings.ToLower(name)
	limit := max(1, (len([]rune(wanted))+2)/3)
	var found []scored
	seen := map[string]bool{}
	for _, c := range candidates {
		lower := strings.ToLower(c)
		if seen[lower] {
			continue
		}
		seen[lower] = true
		d := editDistance(wanted, lower, limit)
		if d > limit && len(wanted) >= 3 && (strings.Contains(lower, wanted) || strings.Contains(wanted, lower) && len(lower) >= 3) {
			d = limit
		}
		if d <= limit {
			found = append(found, scored{c, d})
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		if found[i].distance != found[j].distance {
			return found[i].distance < found[j].distance
		}
		return found[i].name < found[j].name
	})
	var names []string
	for _, f := range found[:min(len(found), maxNearest)] {
		names = append(names, f.name)
	}
	return names
}

// editDistance is the optimal string alignment distance (insert, delete, replace, swap neighbours), or more than limit when it is more.
func editDistance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > limit || -d > limit {
		return limit + 1
	}
	beforeLast := make([]int, len(y)+1)
	last := make([]int, len(y)+1)
	row := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], beforeLast[j-2]+1)
			}
		}
		beforeLast, last, row = last, row, beforeLast
	}
	return last[len(y)]
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = `"` + n + `"`
	}
	return strings.Join(quoted, " or ")
}

// DidYouMean gives a hint that offers the nearest names, or the empty string when none is near.
func DidYouMean(name string, candidates []string) string {
	if near := Nearest(name, candidates); len(near) > 0 {
		return "Did you mean " + quoteAll(near) + "?"
	}
	return ""
}
