package parquet

import (
	"errors"
	"os"
	"strings"
	"testing"

	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/lacunadb/lacuna/types"
)

// writeIDs writes a file of row groups with the columns id, 0 to groups*rows-1, and text, "row N" or null.
func writeIDs(t testing.TB, path string, groups, rows int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	root, err := schema.NewGroupNode("schema", arrowparquet.Repetitions.Required, schema.FieldList{
		schema.NewInt64Node("id", arrowparquet.Repetitions.Required, -1),
		schema.MustPrimitive(schema.NewPrimitiveNodeLogical("text", arrowparquet.Repetitions.Optional, schema.StringLogicalType{}, arrowparquet.Types.ByteArray, -1, -1)),
	}, -1)
	if err != nil {
		t.Fatal(err)
	}
	w := file.NewParquetWriter(f, root, file.WithWriterProps(arrowparquet.NewWriterProperties(arrowparquet.WithCompression(compress.Codecs.Zstd))))
	must := func(_ int64, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for g := range groups {
		group := w.AppendRowGroup()
		ids := make([]int64, rows)
		var texts []arrowparquet.ByteArray
		levels := make([]int16, rows)
		for i := range ids {
			ids[i] = int64(g*rows + i)
			if i%3 != 1 {
				levels[i] = 1
				texts = append(texts, arrowparquet.ByteArray("this is row "+strings.Repeat("x", i%20)))
			}
		}
		c, err := group.NextColumn()
		if err != nil {
			t.Fatal(err)
		}
		must(c.(*file.Int64ColumnChunkWriter).WriteBatch(ids, nil, nil))
		must(0, c.Close())
		if c, err = group.NextColumn(); err != nil {
			t.Fatal(err)
		}
		must(c.(*file.ByteArrayColumnChunkWriter).WriteBatch(texts, levels, nil))
		must(0, c.Close())
		must(0, group.Close())
	}
	must(0, w.Close())
}

// wantError checks an error's code and a part of its message.
func wantError(t *testing.T, err error, code types.Code, part string) {
	t.Helper()
	var e *types.Error
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(e.Message, part) {
		t.Errorf("error %v (want %s, %q)", err, code, part)
	}
}
