package slt

import (
	"fmt"
	"strings"
)

const (
	maxDiffLines   = 40   // shown
	maxDiffCells   = 4e6  // of the table that finds the longest common subsequence
	diffContext    = 2    // equal lines shown around a difference
	missingMessage = "- " // expected, not there
	extraMessage   = "+ " // there, not expected
)

// diff shows how the actual lines differ from the expected ones: "-" is expected and missing, "+" is there and not expected.
func diff(want, got []string) string {
	var lines []string
	for _, edit := range edits(want, got) {
		lines = append(lines, edit.mark+edit.text)
	}
	lines = dropContext(lines)
	more := len(lines) - maxDiffLines
	if more > 0 {
		lines = append(lines[:maxDiffLines], fmt.Sprintf("... and %d more lines", more))
	}
	header := fmt.Sprintf("(- expected %d lines, + got %d lines)", len(want), len(got))
	return header + "\n" + strings.Join(lines, "\n")
}

type edit struct{ mark, text string }

// edits aligns the two lists along a longest common subsequence; lists too long for that are compared line by line.
func edits(want, got []string) []edit {
	var result []edit
	for len(want) > 0 && len(got) > 0 && want[0] == got[0] {
		result = append(result, edit{"  ", want[0]})
		want, got = want[1:], got[1:]
	}
	var common [][]int32 // common[i][j]: length of a longest common subsequence of want[i:] and got[j:]
	if (len(want)+1)*(len(got)+1) <= maxDiffCells {
		common = longestCommon(want, got)
	}
	i, j := 0, 0
	for i < len(want) || j < len(got) {
		switch {
		case i < len(want) && j < len(got) && want[i] == got[j]:
			result = append(result, edit{"  ", want[i]})
			i, j = i+1, j+1
		case j == len(got), i < len(want) && (common == nil && i <= j || common != nil && common[i+1][j] >= common[i][j+1]):
			result = append(result, edit{missingMessage, want[i]})
			i++
		default:
			result = append(result, edit{extraMessage, got[j]})
			j++
		}
	}
	return result
}

func longestCommon(want, got []string) [][]int32 {
	common := make([][]int32, len(want)+1)
	for i := range common {
		common[i] = make([]int32, len(got)+1)
	}
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(got) - 1; j >= 0; j-- {
			if want[i] == got[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	return common
}

// dropContext leaves out equal lines that are far from any difference.
func dropContext(lines []string) []string {
	keep := make([]bool, len(lines))
	for i, line := range lines {
		if line[:2] == "  " {
			continue
		}
		for near := max(0, i-diffContext); near <= min(len(lines)-1, i+diffContext); near++ {
			keep[near] = true
		}
	}
	var kept []string
	for i, line := range lines {
		if keep[i] {
			kept = append(kept, line)
		} else if i == 0 || keep[i-1] {
			kept = append(kept, "  ...")
		}
	}
	return kept
}
