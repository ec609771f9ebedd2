package scalar

import (
	"testing"
	"time"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// TestSessionZone takes TIMESTAMP WITH TIME ZONE apart in the session's zone, on both sides of a change to summer time.
func TestSessionZone(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Skip(err)
	}
	set := newSet()
	call := func(name, part, instant string) string {
		t.Helper()
		at, err := time.Parse(time.RFC3339, instant)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := types.NewValue(types.Varchar, part)
		v, err := types.NewValue(types.TimestampTZ, at)
		if err != nil {
			t.Fatal(err)
		}
		f, err := set.Lookup(name).Bind([]expr.Arg{{Type: types.Varchar, Constant: text, Literal: true}, {Type: types.TimestampTZ}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Kernel(&kernels.Env{Zone: zone, Rows: 1}, f.Result, []*types.Vector{text, v})
		if err != nil {
			t.Fatal(err)
		}
		return types.Text(r, 0)
	}
	for _, c := range []struct{ name, part, instant, want string }{
		{"date_part", "hour", "2024-01-15T03:30:00Z", "22"},
		{"date_part", "day", "2024-01-15T03:30:00Z", "14"},
		{"date_part", "hour", "2024-07-15T03:30:00Z", "23"},
		{"date_part", "epoch", "2024-07-15T03:30:00Z", "1721014200.0"},
		{"date_part", "timezone", "2024-07-15T03:30:00Z", "-14400"},
		{"date_part", "timezone_hour", "2024-01-15T03:30:00Z", "-5"},
		{"date_trunc", "day", "2024-01-15T03:30:00Z", "2024-01-14 05:00:00+00"},
		// The day of the change begins at -5, its afternoon is at -4.
		{"date_trunc", "day", "2024-03-10T20:00:00Z", "2024-03-10 05:00:00+00"},
		{"date_trunc", "month", "2024-03-20T20:00:00Z", "2024-03-01 05:00:00+00"},
		{"date_trunc", "hour", "2024-03-10T20:10:00Z", "2024-03-10 20:00:00+00"},
	} {
		if got := call(c.name, c.part, c.instant); got != c.want {
			t.Errorf("%s('%s', %s) = %s, want %s", c.name, c.part, c.instant, got, c.want)
		}
	}
}

// TestInfiniteDates checks that infinity has no parts and stays itself when truncated.
func TestInfiniteDates(t *testing.T) {
	set := newSet()
	for sql, want := range map[string]string{
		"year(DATE 'infinity')":                          "BIGINT NULL",
		"epoch(TIMESTAMP '-infinity')":                   "DOUBLE NULL",
		"date_trunc('year', DATE 'infinity')":            "TIMESTAMP infinity",
		"date_trunc('hour', TIMESTAMP '-infinity')":      "TIMESTAMP -infinity",
		"date_trunc('millennium', '2024-05-05')":         "TIMESTAMP 2000-01-01 00:00:00",
		"date_part('year', NULL)":                        "BIGINT NULL",
		"date_trunc('week', TIMESTAMP_S '2024-05-05')":   "TIMESTAMP_S 2024-04-29 00:00:00",
		"date_trunc('second', TIMESTAMP_S '1901-05-05')": "TIMESTAMP_S 1901-05-05 00:00:00",
	} {
		if got := evaluate(set, sql); got != want {
			t.Errorf("%s = %s, want %s", sql, got, want)
		}
	}
}
