package sql

import (
	"strings"
	"testing"
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
