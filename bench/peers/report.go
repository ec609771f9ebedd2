package main

import (
	"fmt"
	"io"
	"strings"
)

// report writes measurements as a Markdown table. With two engines it has their ratio, the time of the second divided by that
// of the first.
func report(w io.Writer, title string, engines []Engine, measurements []measurement) error {
	ratios := len(engines) == 2
	header := []string{"query", "rows"}
	for _, engine := range engines {
		header = append(header, engine.Name()+" ms")
	}
	if ratios {
		header = append(header, engines[1].Name()+" / "+engines[0].Name())
	}
	table := [][]string{header}
	millis := make([][]float64, len(engines))
	var ratio []float64
	for _, m := range measurements {
		row := []string{m.query.name, fmt.Sprint(m.rows)}
		if m.problem != nil {
			row = append(row, "failed: "+strings.ReplaceAll(firstLine(m.problem.Error()), "|", "\\|"))
			table = append(table, pad(row, len(header)))
			continue
		}
		for e := range engines {
			ms := m.medians[e].Seconds() * 1e3
			millis[e] = append(millis[e], ms)
			row = append(row, fmt.Sprintf("%.2f", ms))
		}
		if ratios {
			ratio = append(ratio, m.medians[1].Seconds()/m.medians[0].Seconds())
			row = append(row, fmt.Sprintf("%.2f", ratio[len(ratio)-1]))
		}
		table = append(table, row)
	}
	if len(millis[0]) > 0 {
		row := []string{"geometric mean", ""}
		for e := range engines {
			row = append(row, fmt.Sprintf("%.2f", geometricMean(millis[e])))
		}
		if ratios {
			row = append(row, fmt.Sprintf("%.2f", geometricMean(ratio)))
		}
		table = append(table, pad(row, len(header)))
	}

	var text strings.Builder
	fmt.Fprintf(&text, "### %s\n\n", title)
	for i, row := range table {
		fmt.Fprintf(&text, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&text, "|---%s\n", strings.Repeat("|---:", len(header)-1)+"|")
		}
	}
	text.WriteByte('\n')
	_, err := io.WriteString(w, text.String())
	return err
}

func pad(row []string, length int) []string {
	for len(row) < length {
		row = append(row, "")
	}
	return row
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
