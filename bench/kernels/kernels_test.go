package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestQuick checks the results of every workload under every tier, runs each contender, and makes the report of the figures.
func TestQuick(t *testing.T) {
	r := &results{machine: thisMachine("quick")}
	if err := measureAll(newPlan("quick", ""), func(f figure) { r.figures = append(r.figures, f) }); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(t.TempDir(), "quick")
	if err := r.write(base + ".jsonl"); err != nil {
		t.Fatal(err)
	}
	back, err := readResults(base + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(back.figures) != len(r.figures) || back.machine != r.machine {
		t.Fatalf("read %d figures, wrote %d", len(back.figures), len(r.figures))
	}
	if err := writeReport(back, base); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(base + ".md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"quick-speedup.svg", "quick-nulls.svg", "quick-size.svg"} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(base), name)); err != nil || !strings.Contains(string(text), name) {
			t.Errorf("no plot %s: %v", name, err)
		}
	}
}

// TestEncoded checks that every kernel gives on runs what it gives on rows.
func TestEncoded(t *testing.T) {
	if err := measureEncoded(io.Discard, newPlan("quick", "")); err != nil {
		t.Fatal(err)
	}
}

func TestVerdict(t *testing.T) {
	f := figure{Nanos: 1, Bytes: 8, PeerNanos: 10, ProbeGBs: 10, GoalPeer: 8, GoalLimit: 0.9}
	if got := f.verdict(true); got != "short" {
		t.Errorf("0.8 of the limit: %s", got)
	}
	if got := f.verdict(false); got != "met" {
		t.Errorf("on another CPU: %s", got)
	}
	f.Nanos = 2
	if got := f.verdict(false); got != "short" {
		t.Errorf("5 times arrow-go: %s", got)
	}
	f.GoalPeer = 0
	if got := f.verdict(false); got != "" {
		t.Errorf("no goal: %s", got)
	}
}

// TestProbes checks that the probes in assembly read and copy every byte of whole blocks.
func TestProbes(t *testing.T) {
	src, dst := make([]byte, 5*blockBytes), make([]byte, 5*blockBytes)
	for i := range src {
		src[i] = byte(i * 7)
	}
	if readBlocks(src) != readWords(src) {
		t.Error("the sums differ")
	}
	copyBlocks(dst, src)
	if string(dst) != string(src) {
		t.Error("the copy differs")
	}
}
