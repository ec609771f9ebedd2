package csv

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// noted collects faults.
type noted struct{ faults []catalog.Reject }

func (n *noted) File(catalog.RejectsFile) int64 { return 0 }

func (n *noted) Add(_ int64, r catalog.Reject) error {
	n.faults = append(n.faults, r)
	return nil
}

// TestRejects checks places and kinds of faults in chunks and batches of every size: each place is where the text has it.
func TestRejects(t *testing.T) {
	text := "\xEF\xBB\xBFa,b,d\r\n1,x,2024-01-01\r\n2,y\r\n\"\xFF\",z,2024-01-02\r\n" + "q,\"two\r\nlines\",2024-01-03\r\n3,w,2024-01-03,extra,more\r\n4,\"a\"\"b\",nope\r\n\"5\"x,u,2024-01-05\r\n6,\"open\r\n7,t,2024-01-06\r\n"
	columns := []types.FieldValue{{Name: "a", Value: "INTEGER"}, {Name: "b", Value: "VARCHAR"}, {Name: "d", Value: "DATE"}}
	want := []struct {
		line   int64
		kind   string
		column int
		at     string // what stands at the place of the fault
		text   string
	}{
		{3, "MISSING COLUMNS", 2, "\r\n\"\xFF", "2,y"}, {4, "INVALID ENCODING", 0, "\xFF", "\"\uFFFD\",z,2024-01-02"}, {5, "CAST", 1, "q,", "q,\"two\r\nlines\",2024-01-03"},
		{7, "TOO MANY COLUMNS", 4, ",extra", "3,w,2024-01-03,extra,more"}, {8, "CAST", 3, "nope", "4,\"a\"\"b\",nope"}, {9, "UNQUOTED VALUE", 3, "", "\"5\"x,u,2024-01-05"},
		{10, "UNQUOTED VALUE", 2, "", "6,\"open\r\n7,t,2024-01-06"},
	}
	for _, chunk := range []int{1, 10, 33, 64, chunkBytes} {
		for _, batch := range []int{1, 3, 100} {
			n := &noted{}
			opened, err := Format{}.Open(t.Context(), catalog.OpenRequest{
				Files: memoryFiles{data: []byte(text)}, Path: "a.csv", Type: typeOf, Rejects: n, Options: catalog.Options{"columns": columns, "header": true, "delim": ",", "quote": "\""},
			})
			if err != nil {
				t.Fatal(err)
			}
			vectors, err := readAll(opened.(*table), chunk, batch)
			if err != nil {
				t.Fatalf("chunks of %d: %v", chunk, err)
			}
			kept := 0
			for i := range vectors[0].Len() {
				if types.Text(vectors[0], i) == "1" {
					kept++
				}
			}
			if kept != 1 {
				t.Errorf("chunks of %d: %d rows of the one that is right", chunk, kept)
			}
			slices.SortStableFunc(n.faults, func(a, b catalog.Reject) int { return cmp.Compare(a.Line, b.Line) })
			if len(n.faults) != len(want) {
				t.Fatalf("chunks of %d, batches of %d: %v", chunk, batch, n.faults)
			}
			for i, w := range want {
				f := n.faults[i]
				if f.Line != w.line || f.Kind != w.kind || f.Column != w.column || f.Text != w.text {
					t.Errorf("chunks of %d, batches of %d: fault %d is %+v, want %+v", chunk, batch, i, f, w)
				}
				if w.at != "" && !strings.HasPrefix(text[f.Byte-1:], w.at) {
					t.Errorf("chunks of %d: fault %d is at byte %d, %q", chunk, i, f.Byte, text[f.Byte-1:])
				}
				if start := text[:f.LineByte-1]; f.Kind != "INVALID ENCODING" && !bytes.HasSuffix([]byte(start), []byte("\r\n")) {
					t.Errorf("chunks of %d: fault %d: a line does not begin at byte %d", chunk, i, f.LineByte)
				}
			}
		}
	}
}
