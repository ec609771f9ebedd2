package csv

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSplit compares the fields of records with those of a plain description of them: values of every length, in and out of quotes, so that every place of a
// word of the chunk is where one ends.
func TestSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, delimiter := range []byte{',', ' ', '\t', 'x'} {
		for range 3000 {
			s := &splitter{dialect: dialect{delimiter: delimiter, quote: '"'}, columns: 1 + rng.IntN(6)}
			s.fields = make([][]field, s.columns)
			end := []string{"\n", "\r\n", "\r"}[rng.IntN(3)]
			var text strings.Builder
			var records [][]string
			var lengths []int
			for i := range s.fields {
				s.fields[i] = []field{}
			}
			for range 1 + rng.IntN(5) {
				record := make([]string, max(1, s.columns+rng.IntN(3)-1))
				for i := range record {
					if i > 0 {
						text.WriteByte(delimiter)
					}
					value := ""
					for range rng.IntN(20) {
						value += string("ab\"-"[rng.IntN(3)])
					}
					if strings.HasPrefix(value, `"`) || rng.IntN(4) == 0 {
						value = strings.ReplaceAll(value, `"`, "\r")
						text.WriteString(`"` + value + `"`)
					} else {
						text.WriteString(value)
					}
					record[i] = value
				}
				records = append(records, record)
				text.WriteString(end)
				lengths = append(lengths, text.Len())
			}
			chunk, at := []byte(text.String()), 0
			for i, record := range records {
				next, fields, wrong := s.record(chunk, at)
				want := noProblem
				switch {
				case len(record) < s.columns:
					want = tooFew
				case len(record) > s.columns:
					want = tooMany
				}
				if next != lengths[i] || fields != len(record) || wrong != want {
					t.Fatalf("%q at %d: next %d, %d fields, problem %d; want %d, %q, %d", chunk, at, next, fields, wrong, lengths[i], record, want)
				}
				at = next
			}
			for i, noted := range s.fields {
				var values, want []string
				for _, f := range noted {
					values = append(values, string(f.bytes(chunk)))
				}
				for _, record := range records {
					if i < len(record) {
						want = append(want, record[i])
					}
				}
				if !slices.Equal(values, want) {
					t.Fatalf("%q: field %d is %q, want %q", chunk, i, values, want)
				}
			}
		}
	}
}
