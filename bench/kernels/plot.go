package main

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// A savedPlot is a plot that the report shows.
type savedPlot struct{ title, path string }

// writePlots draws what the figures have enough of.
func writePlots(r *results, base string) ([]savedPlot, error) {
	var saved []savedPlot
	for _, p := range []struct {
		suffix string
		draw   func(r *results) *plot.Plot
		height vg.Length
	}{
		{"speedup", speedupPlot, 8 * vg.Inch},
		{"nulls", nullsPlot, 5 * vg.Inch},
		{"size", sizePlot, 5 * vg.Inch},
	} {
		drawing := p.draw(r)
		if drawing == nil {
			continue
		}
		path := fmt.Sprintf("%s-%s.svg", base, p.suffix)
		drawing.BackgroundColor = color.White
		if err := drawing.Save(9*vg.Inch, p.height, path); err != nil {
			return nil, err
		}
		saved = append(saved, savedPlot{drawing.Title.Text, path})
	}
	return saved, nil
}

// plotRows is the size of the plots that show one: of those measured, the one nearest to 64K rows.
func plotRows(r *results) int {
	best, off := 0, math.Inf(1)
	for _, f := range r.figures {
		if d := math.Abs(math.Log(float64(f.Rows) / (64 << 10))); d < off {
			best, off = f.Rows, d
		}
	}
	return best
}

// label names a kernel and its type, and what is selected where there is a choice.
func label(f *figure) string {
	name := f.Kernel
	if f.Type != "bitmap" && f.Type != "bool" {
		name += ", " + f.Type
	}
	if f.Kernel == "filter" {
		name += fmt.Sprintf(", %d %%", f.Selectivity)
	}
	return name
}

// speedupPlot has bars of the speed-up over arrow-go per kernel, on a logarithmic scale, one for each tier.
func speedupPlot(r *results) *plot.Plot {
	rows, tiers := plotRows(r), []string{}
	nulls := 0
	for _, f := range r.figures {
		if f.Nulls == 10 {
			nulls = 10
		}
	}
	var names []string
	values := map[string]map[string]float64{}
	for _, f := range slices.Backward(r.figures) { // the first kernel comes out on top
		if f.Rows != rows || f.Nulls != nulls || f.PeerNanos == 0 {
			continue
		}
		name := label(&f)
		if values[name] == nil {
			names, values[name] = append(names, name), map[string]float64{}
		}
		values[name][f.Tier] = math.Log10(f.timesPeer())
		if !slices.Contains(tiers, f.Tier) {
			tiers = append(tiers, f.Tier)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(tiers)
	slices.Reverse(tiers) // generic comes out above
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Speed-up over arrow-go, %s rows, %d %% null", rowsText(rows), nulls)
	p.X.Label.Text = "times as fast as arrow/compute (logarithmic)"
	p.X.Tick.Marker = powersOfTen{}
	width := vg.Points(480 / float64(len(names)) / float64(len(tiers)) * 0.8)
	for i, tier := range tiers {
		bars := make(plotter.Values, len(names))
		for j, name := range names {
			bars[j] = values[name][tier]
		}
		chart, err := plotter.NewBarChart(bars, width)
		if err != nil {
			return nil
		}
		chart.Horizontal, chart.LineStyle.Width, chart.Color = true, 0, plotutil.Color(len(tiers)-1-i)
		chart.Offset = width * vg.Length(float64(i)-float64(len(tiers)-1)/2)
		p.Add(chart)
		p.Legend.Add(tier, chart)
	}
	p.Add(plotter.NewGrid())
	p.NominalY(names...)
	p.X.Max += 0.2 // room for the legend
	return p
}

// powersOfTen marks a scale of logarithms with the numbers themselves.
type powersOfTen struct{}

func (powersOfTen) Ticks(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Floor(least); e <= math.Ceil(most); e++ {
		for m := 1.0; m < 10; m++ {
			at := e + math.Log10(m)
			if at < least-1e-9 || at > most+1e-9 {
				continue
			}
			tick := plot.Tick{Value: at}
			if m == 1 || m == 2 || m == 5 {
				tick.Label = fmt.Sprintf("%g", math.Round(math.Pow(10, at)*1000)/1000)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// shownKernels are those of the line plots, by label.
var shownKernels = []string{
	"compare with constant, int64", "filter, int64, 50 %", "filter, utf8, 50 %", "take at random, int64", "cast to int32, int64", "sum, int64",
	"where and sum, int64",
}

// nullsPlot has lines of the time per row against the share of nulls.
func nullsPlot(r *results) *plot.Plot {
	rows := plotRows(r)
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Time per row against the share of nulls, %s rows", rowsText(rows))
	p.X.Label.Text, p.Y.Label.Text = "null rows, percent", "ns per row (logarithmic)"
	return linePlot(p, r, func(f *figure) (float64, bool) { return float64(f.Nulls), f.Rows == rows })
}

// sizePlot has lines of the time per row against the number of rows.
func sizePlot(r *results) *plot.Plot {
	nulls := 0
	for _, f := range r.figures {
		if f.Nulls == 10 {
			nulls = 10
		}
	}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Time per row against the number of rows, %d %% null", nulls)
	p.X.Label.Text, p.Y.Label.Text = "rows", "ns per row (logarithmic)"
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = sizeTicks(r)
	return linePlot(p, r, func(f *figure) (float64, bool) { return float64(f.Rows), f.Nulls == nulls })
}

func sizeTicks(r *results) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	seen := map[int]bool{}
	for _, f := range r.figures {
		if !seen[f.Rows] {
			seen[f.Rows] = true
			ticks = append(ticks, plot.Tick{Value: float64(f.Rows), Label: rowsText(f.Rows)})
		}
	}
	return ticks
}

// linePlot draws the shown kernels in the best tier (solid) and in arrow-go (dashed), with x from a figure that counts. It gives nil
// when no line has two points.
func linePlot(p *plot.Plot, r *results, x func(f *figure) (float64, bool)) *plot.Plot {
	best := r.figures[len(r.figures)-1].Tier
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	drawn := 0
	for i, name := range shownKernels {
		var ours, theirs plotter.XYs
		for _, f := range r.figures {
			at, counts := x(&f)
			if !counts || f.Tier != best || label(&f) != name {
				continue
			}
			ours = append(ours, plotter.XY{X: at, Y: f.Nanos})
			if f.PeerNanos > 0 {
				theirs = append(theirs, plotter.XY{X: at, Y: f.PeerNanos})
			}
		}
		if len(ours) < 2 {
			continue
		}
		drawn++
		for side, points := range []plotter.XYs{ours, theirs} {
			line, err := plotter.NewLine(points)
			if err != nil {
				continue
			}
			line.Color = plotutil.Color(i)
			line.Width = vg.Points(1.5)
			if side == 1 {
				line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
			}
			p.Add(line)
			if side == 0 {
				p.Legend.Add(name, line)
			}
		}
	}
	if drawn == 0 {
		return nil
	}
	p.Title.Text += " (dashed: arrow-go)"
	p.Add(plotter.NewGrid())
	p.Y.Max *= 50 // room for the legend
	p.Legend.Top = true
	return p
}
