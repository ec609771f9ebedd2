package sql

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/types"
)

// BenchmarkParseTPCH parses the 22 queries; a query is one operation.
func BenchmarkParseTPCH(b *testing.B) {
	list := tpch(b)
	bytes := 0
	for _, text := range list {
		bytes += len(text)
	}
	b.SetBytes(int64(bytes / len(list)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := Parse(list[i%len(list)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseSmall(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("SELECT a FROM t WHERE b = 1"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParseValues parses a VALUES list of 10,000 rows.
func BenchmarkParseValues(b *testing.B) {
	text := "INSERT INTO t VALUES (0, 'x', 1.5)" + strings.Repeat(", (12345, 'some text', 67.89)", 10_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParseBindTPCH parses and binds the 22 queries; a query is one operation.
func BenchmarkParseBindTPCH(b *testing.B) {
	list := tpch(b)
	c := tpchCatalog(b, true)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := bindOne(c, list[i%len(list)]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "queries/s")
}

// BenchmarkHostile parses and binds texts that are large or deep. What is refused is refused with an error that names a limit.
func BenchmarkHostile(b *testing.B) {
	c := planCatalog(b)
	for _, test := range []struct {
		name, text string
		refused    bool
	}{
		{"10 MB of VALUES", "VALUES (0, 'some text', 1.5)" + strings.Repeat(", (12345, 'some text', 67.89)", 10<<20/29), false},
		{"100,000 casts", "SELECT 1" + strings.Repeat("::int", 100_000), true},
		{"1,900 casts", "SELECT 1" + strings.Repeat("::int", 1_900), false},
		{"100,000 parentheses", "SELECT " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000), true},
		{"400 parentheses", "SELECT " + strings.Repeat("(", 400) + "1" + strings.Repeat(")", 400), false},
		{"9,000 conditions", "SELECT a FROM t WHERE a = 0" + strings.Repeat(" OR a = 1", 9_000), false},
		{"4,000 joins", "SELECT 1 FROM t AS t0" + numbered(" JOIN t AS t%d ON t0.a = t%[1]d.a", 4_000), false},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.SetBytes(int64(len(test.text)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := bindOne(c, test.text)
				var e *types.Error
				if test.refused != (err != nil) || err != nil && (!errors.As(err, &e) || e.Code != types.CodeTooComplex) {
					b.Fatal(err)
				}
			}
		})
	}
}

// numbered repeats a format for the numbers from 1 to n.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1)
	}
	return b.String()
}
