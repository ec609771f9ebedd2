package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// The table has one column per entry: its heading and the cell of a figure.
var tableColumns = []struct {
	heading string
	cell    func(f *figure, zen4 bool) string
}{
	{"kernel", func(f *figure, _ bool) string { return f.Kernel }},
	{"type", func(f *figure, _ bool) string { return f.Type }},
	{"null %", func(f *figure, _ bool) string { return fmt.Sprint(f.Nulls) }},
	{"selected %", func(f *figure, _ bool) string {
		if f.Selectivity < 0 {
			return ""
		}
		return fmt.Sprint(f.Selectivity)
	}},
	{"rows", func(f *figure, _ bool) string { return rowsText(f.Rows) }},
	{"tier", func(f *figure, _ bool) string { return f.Tier }},
	{"ns/row", func(f *figure, _ bool) string { return fmt.Sprintf("%.3f", f.Nanos) }},
	{"GB/s", func(f *figure, _ bool) string { return fmt.Sprintf("%.1f", f.gbs()) }},
	{"x arrow-go", func(f *figure, _ bool) string { return optional("%.1f", f.timesPeer()) }},
	{"goal", func(f *figure, _ bool) string { return optional("%g", f.GoalPeer) }},
	{"of limit", func(f *figure, _ bool) string {
		if f.Probe == "" {
			return ""
		}
		return fmt.Sprintf("%.2f %s", f.ofLimit(), f.Probe)
	}},
	{"goal ", func(f *figure, _ bool) string { return optional("%g", f.GoalLimit) }},
	{"verdict", func(f *figure, zen4 bool) string { return f.verdict(zen4) }},
}

func optional(format string, x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf(format, x)
}

func rowsText(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%dM", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%dK", n>>10)
	}
	return fmt.Sprint(n)
}

func printHeader(w io.Writer) {
	for i, c := range tableColumns {
		fmt.Fprintf(w, "%s%s", separator(i), c.heading)
	}
	fmt.Fprint(w, " |\n")
	for i := range tableColumns {
		fmt.Fprintf(w, "%s%s", separator(i), "---")
	}
	fmt.Fprint(w, " |\n")
}

func printFigure(w io.Writer, f *figure, zen4 bool) {
	for i, c := range tableColumns {
		fmt.Fprintf(w, "%s%s", separator(i), c.cell(f, zen4))
	}
	fmt.Fprint(w, " |\n")
}

func separator(i int) string {
	if i == 0 {
		return "| "
	}
	return " | "
}

func printMachine(w io.Writer, m *machine) {
	fmt.Fprintf(w, "%s, %d cores, %s, %s, arrow-go %s, commit %s, %s, %s plan", m.CPU, m.Cores, m.System, m.Go, m.Arrow, m.Commit, m.Time, m.Plan)
	if m.Load != "" {
		fmt.Fprintf(w, ", load %s at the start", m.Load)
	}
	fmt.Fprintln(w)
}

// printSummary counts the goals met and names the kernels furthest from theirs.
func printSummary(w io.Writer, r *results) {
	met, all := map[int]int{}, map[int]int{}
	var sizes []int
	var short []figure
	for _, f := range r.figures {
		verdict := f.verdict(r.machine.Zen4)
		if verdict == "" {
			continue
		}
		if all[f.Rows] == 0 {
			sizes = append(sizes, f.Rows)
		}
		all[f.Rows]++
		if verdict == "met" {
			met[f.Rows]++
		} else {
			short = append(short, f)
		}
	}
	fmt.Fprintln(w)
	for _, rows := range sizes {
		fmt.Fprintf(w, "Goals met with %s rows: %d of %d.\n", rowsText(rows), met[rows], all[rows])
	}
	if len(short) == 0 {
		return
	}
	slices.SortStableFunc(short, func(a, b figure) int {
		return compareFloats(a.distance(r.machine.Zen4), b.distance(r.machine.Zen4))
	})
	fmt.Fprint(w, "\nFurthest from their goals:\n\n")
	printHeader(w)
	for _, f := range short[:min(len(short), 15)] {
		printFigure(w, &f, r.machine.Zen4)
	}
}

func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// writeReport writes base.md and the plots that it shows beside it.
func writeReport(r *results, base string) error {
	plots, err := writePlots(r, base)
	if err != nil {
		return err
	}
	file, err := os.Create(base + ".md")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	fmt.Fprint(w, "# Kernels beside arrow-go\n\n")
	printMachine(w, &r.machine)
	fmt.Fprintf(w, `
Made by `+"`go run . report ../results/%s`"+` in bench/kernels, whose README says what is measured and how.

`, filepath.Base(base)+".jsonl")
	for _, p := range plots {
		fmt.Fprintf(w, "## %s\n\n![%s](%s)\n\n", p.title, p.title, filepath.Base(p.path))
	}
	fmt.Fprint(w, "## Goals\n")
	printSummary(w, r)
	fmt.Fprint(w, "\n## Geometric means of the speed-up over arrow-go\n\n")
	printMeans(w, r)
	fmt.Fprint(w, "\n## All figures\n\n")
	printHeader(w)
	for _, f := range r.figures {
		printFigure(w, &f, r.machine.Zen4)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}

// printMeans has a row per kernel and a column per size and tier.
func printMeans(w io.Writer, r *results) {
	type column struct {
		rows int
		tier string
	}
	type cell struct {
		kernel string
		column
	}
	var names []string
	var columns []column
	logs := map[cell][]float64{}
	for _, f := range r.figures {
		if f.PeerNanos == 0 {
			continue
		}
		c := column{f.Rows, f.Tier}
		if !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
		if !slices.Contains(names, f.Kernel) {
			names = append(names, f.Kernel)
		}
		key := cell{f.Kernel, c}
		logs[key] = append(logs[key], math.Log(f.timesPeer()))
	}
	fmt.Fprint(w, "| kernel |")
	for _, c := range columns {
		fmt.Fprintf(w, " %s %s |", rowsText(c.rows), c.tier)
	}
	fmt.Fprint(w, "\n|---|")
	for range columns {
		fmt.Fprint(w, "---:|")
	}
	for _, name := range names {
		fmt.Fprintf(w, "\n| %s |", name)
		for _, c := range columns {
			fmt.Fprintf(w, " %s |", optional("%.1f", geometricMean(logs[cell{name, c}])))
		}
	}
	fmt.Fprintln(w)
}

// geometricMean takes logarithms; 0 for none.
func geometricMean(logs []float64) float64 {
	if len(logs) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range logs {
		sum += x
	}
	return math.Exp(sum / float64(len(logs)))
}
