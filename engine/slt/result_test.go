package slt

import (
	"strings"
	"testing"
)

func TestCanonicalNumber(t *testing.T) {
	tests := map[string]string{
		"20.0000000000000000": "20", "20": "20", "0.50": "0.5", ".5": "0.5", "-.50": "-0.5", "007": "7", "0": "0", "0.0": "0",
		"-0": "-0", "+1.": "1", "1e3": "1000", "1.5E-3": "0.0015", "100": "100", "12345678901234567890.10": "12345678901234567890.1",
		"NaN": "NaN", "Infinity": "Infinity", "x": "x", "": "", "1.2.3": "1.2.3", "1e999": "1e999", "NULL": "NULL",
	}
	for text, want := range tests {
		if got := canonicalNumber(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestFormatValue(t *testing.T) {
	tests := []struct {
		dialect     Dialect
		letter      string
		value, want string
	}{
		{SQLite, "I", "true", "1"}, {SQLite, "I", "false", "0"}, {SQLite, "I", "3.75", "3"}, {SQLite, "I", "-3.75", "-3"},
		{SQLite, "I", "9223372036854775807", "9223372036854775807"}, {SQLite, "I", "x", "x"}, {SQLite, "I", "NULL", "NULL"},
		{SQLite, "R", "2", "2.000"}, {SQLite, "R", "1.23456", "1.235"}, {SQLite, "R", "x", "x"}, {SQLite, "R", "NULL", "NULL"},
		{SQLite, "T", "a\nbé", "a@b@"}, {SQLite, "T", "", "(empty)"}, {SQLite, "T", "1.50", "1.50"},
		{RS, "I", "true", "true"}, {RS, "R", "1.23456", "1.23456"}, {RS, "T", "a\tb\n\ré", `a\tb\n\ré`}, {RS, "T", "", "(empty)"},
	}
	for _, test := range tests {
		if got := formatValue(test.dialect, test.letter, 0, test.value); got != test.want {
			t.Errorf("%v %s %q: got %q, want %q", test.dialect, test.letter, test.value, got, test.want)
		}
	}
}

// TestHashLine compares with a sum made by another program: printf '1\n2\n' | md5sum.
func TestHashLine(t *testing.T) {
	if got, want := hashLine([]string{"1", "2"}), "2 values hashing to 6ddb4095eb719e2a9f0a3f95677d24e0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDiff(t *testing.T) {
	want := strings.Split("a b c d e f g h", " ")
	got := strings.Split("a b c d X f g h i", " ")
	shown := "(- expected 8 lines, + got 9 lines)\n  ...\n  c\n  d\n- e\n+ X\n  f\n  g\n  h\n+ i"
	if text := diff(want, got); text != shown {
		t.Errorf("got\n%s\nwant\n%s", text, shown)
	}
	long := make([]string, 5000)
	if text := diff(long, nil); strings.Count(text, "\n") != maxDiffLines+1 || !strings.Contains(text, "4960 more lines") {
		t.Errorf("a long diff is not cut:\n%.200s", text)
	}
	for i := range long {
		long[i] = "x"
	}
	if text := diff(make([]string, 5000), long); !strings.Contains(text, "+ x") {
		t.Errorf("a diff beyond the size of the table shows no actual line:\n%.200s", text)
	}
}
