// Command kernels compares Lacuna's kernels with arrow/compute of arrow-go and with the bandwidth of the memory. See README.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lacunadb/lacuna/kernels/asm"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 0 && args[0] == "report" {
		return reportCommand(args[1:])
	}
	if len(args) > 0 && args[0] == "encoded" {
		return encodedCommand(args[1:])
	}
	flags := flag.NewFlagSet("kernels", flag.ContinueOnError)
	full := flags.Bool("full", false, "every size up to 16M rows, every share of nulls and selected rows (about half an hour)")
	quick := flags.Bool("quick", false, "everything once with few rows: checks the results, times mean nothing")
	rows := flags.String("rows", "", "measure with these numbers of rows in place of the plan's, such as 65536,16777216")
	only := flags.String("kernels", "", "measure only kernels with one of these words in their name, separated by commas")
	out := flags.String("o", "", "file that the figures are written to, for the report command")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	name := "default"
	switch {
	case *full:
		name = "full"
	case *quick:
		name = "quick"
	}
	p := newPlan(name, *only)
	if *rows != "" {
		p.sizes = nil
		for text := range strings.SplitSeq(*rows, ",") {
			n, err := strconv.Atoi(text)
			if err != nil || n < 64 || n > 1<<28 {
				return fmt.Errorf("-rows: %q is no number of rows from 64 to %d", text, 1<<28)
			}
			p.sizes = append(p.sizes, n)
		}
		name += " -rows " + *rows
	}
	r := &results{machine: thisMachine(name)}
	printMachine(os.Stdout, &r.machine)
	fmt.Println()
	printHeader(os.Stdout)
	err := measureAll(p, func(f figure) {
		r.figures = append(r.figures, f)
		printFigure(os.Stdout, &f, r.machine.Zen4)
	})
	if err != nil {
		return err
	}
	if !*quick {
		printSummary(os.Stdout, r)
	}
	if *out == "" {
		return nil
	}
	return r.write(*out)
}

// newPlan gives the plan of a name, for the kernels with one of the words in their name.
func newPlan(name, words string) *plan {
	p := &plan{
		sizes: []int{1 << 10, 64 << 10, 1 << 20}, nulls: []int{0, 10}, selectivities: []int{1, 50, 99},
		tiers: tiers(), rounds: 11, sample: time.Millisecond,
		only: func(kernel string) bool {
			return slices.ContainsFunc(strings.Split(words, ","), func(word string) bool { return strings.Contains(kernel, word) })
		},
	}
	switch name {
	case "full":
		p.sizes = []int{1 << 10, 64 << 10, 1 << 20, 16 << 20}
		p.nulls, p.selectivities = []int{0, 1, 10, 50}, []int{1, 10, 50, 90, 99}
		p.rounds, p.sample = 11, 2*time.Millisecond
	case "quick":
		p.sizes = []int{1 << 10, 4099}
		p.rounds, p.sample = 1, 0
	}
	return p
}

// tiers gives the tiers up to the one in use, which LACUNA_CPU may cap.
func tiers() []string {
	all := asm.Tiers()
	return all[:slices.Index(all, asm.Active())+1]
}

func reportCommand(args []string) error {
	flags := flag.NewFlagSet("kernels report", flag.ContinueOnError)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("usage: go run . report FIGURES.jsonl")
	}
	path := flags.Arg(0)
	r, err := readResults(path)
	if err != nil {
		return err
	}
	return writeReport(r, strings.TrimSuffix(path, filepath.Ext(path)))
}
