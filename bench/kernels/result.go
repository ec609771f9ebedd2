package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
)

// A figure is the measured time of one kernel over one input in one tier. Times are medians, in nanoseconds per row.
type figure struct {
	Kernel      string  `json:"kernel"`
	Type        string  `json:"type"`
	Nulls       int     `json:"nulls"`       // percent
	Selectivity int     `json:"selectivity"` // percent; -1: nothing is selected
	Rows        int     `json:"rows"`
	Tier        string  `json:"tier"`
	Nanos       float64 `json:"ns"`
	Bytes       float64 `json:"bytes"`                   // per row, read and written by an ideal kernel
	PeerNanos   float64 `json:"arrow_ns,omitempty"`      // 0: arrow-go has no such kernel
	Probe       string  `json:"probe,omitempty"`         // what the memory was asked for: read or copy
	ProbeGBs    float64 `json:"probe_gb_s,omitempty"`    // and what it gave
	GoalPeer    float64 `json:"goal_arrow,omitempty"`    // times arrow-go; 0: no goal
	GoalLimit   float64 `json:"goal_of_limit,omitempty"` // share of the probe
}

func (f *figure) gbs() float64 { return f.Bytes / f.Nanos }

// timesPeer is how many times as fast as arrow-go the kernel is; 0 without a peer.
func (f *figure) timesPeer() float64 { return f.PeerNanos / f.Nanos }

// ofLimit is the share of the probe's bandwidth; 0 without a probe.
func (f *figure) ofLimit() float64 {
	if f.ProbeGBs == 0 {
		return 0
	}
	return f.gbs() / f.ProbeGBs
}

// verdict says whether the goals are reached: "met", "short" or nothing where there is none. The share of the bandwidth only
// counts on the CPU that the goals were measured on.
func (f *figure) verdict(zen4 bool) string {
	limit := f.GoalLimit
	if !zen4 {
		limit = 0
	}
	switch {
	case f.GoalPeer == 0 && limit == 0:
		return ""
	case f.GoalPeer > 0 && f.PeerNanos > 0 && f.timesPeer() < f.GoalPeer, limit > 0 && f.ofLimit() < limit:
		return "short"
	}
	return "met"
}

// distance is the smallest share of a goal that is reached; 1 and more is met.
func (f *figure) distance(zen4 bool) float64 {
	share := 1e9
	if f.GoalPeer > 0 && f.PeerNanos > 0 {
		share = f.timesPeer() / f.GoalPeer
	}
	if zen4 && f.GoalLimit > 0 {
		share = min(share, f.ofLimit()/f.GoalLimit)
	}
	return share
}

// A machine is where figures come from.
type machine struct {
	CPU    string `json:"cpu"`
	Zen4   bool   `json:"zen4"`
	Cores  int    `json:"cores"`
	System string `json:"system"`
	Go     string `json:"go"`
	Arrow  string `json:"arrow"`
	Commit string `json:"commit"`
	Time   string `json:"time"`
	Load   string `json:"load,omitempty"` // of the system when measuring began, where it is known: figures of a busy machine are noisy
	Plan   string `json:"plan"`
}

func thisMachine(planName string) machine {
	m := machine{
		CPU: cpuid.CPU.BrandName, Zen4: isZen4(), Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
		Time: time.Now().UTC().Format("2006-01-02 15:04 MST"), Plan: planName,
	}
	if m.CPU == "" {
		m.CPU = "unknown"
	}
	m.CPU += fmt.Sprintf(" (family %#x, model %#x)", cpuid.CPU.Family, cpuid.CPU.Model)
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range build.Deps {
			if dependency.Path == "github.com/apache/arrow-go/v18" {
				m.Arrow = dependency.Version
			}
		}
	}
	if out, err := exec.Command("git", "describe", "--always", "--dirty", "--abbrev=10").Output(); err == nil {
		m.Commit = strings.TrimSpace(string(out))
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load, _, _ = strings.Cut(string(text), " ")
	}
	return m
}

// isZen4 reports the CPUs that the goals hold for.
func isZen4() bool {
	c := cpuid.CPU
	if c.VendorID != cpuid.AMD || c.Family != 0x19 {
		return false
	}
	switch c.Model >> 4 {
	case 0x1, 0x6, 0x7, 0xa:
		return true
	}
	return false
}

// results are figures and where they come from.
type results struct {
	machine machine
	figures []figure
}

// write writes results as lines of JSON, so that two runs differ line by line: the machine, then a figure a line.
func (r *results) write(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	err = e.Encode(r.machine)
	for _, f := range r.figures {
		if err == nil {
			f.Nanos, f.PeerNanos, f.ProbeGBs = rounded(f.Nanos), rounded(f.PeerNanos), rounded(f.ProbeGBs)
			err = e.Encode(f)
		}
	}
	if err == nil {
		err = w.Flush()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}

// rounded gives four significant digits.
func rounded(x float64) float64 {
	var y float64
	fmt.Sscanf(fmt.Sprintf("%.4g", x), "%g", &y)
	return y
}

func readResults(path string) (*results, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	d := json.NewDecoder(bufio.NewReader(file))
	r := &results{}
	if err := d.Decode(&r.machine); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for d.More() {
		var f figure
		if err := d.Decode(&f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		r.figures = append(r.figures, f)
	}
	return r, nil
}
