package csv

import (
	"context"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Format is the format of delimited text.
type Format struct{}

var _ catalog.WritableFormat = Format{}

// Name gives "csv".
func (Format) Name() string { return "csv" }

// Extensions gives the endings of delimited text.
func (Format) Extensions() []string { return []string{".csv", ".tsv"} }

// ReadOptions gives the options of read_csv, which are DuckDB's.
func (Format) ReadOptions() []catalog.Option { return readOptions() }

// Open sniffs what the options do not say. A file of which nothing can be made is one column of texts.
func (Format) Open(ctx context.Context, request catalog.OpenRequest) (catalog.Table, error) {
	s, err := newSettings(request)
	if err != nil {
		return nil, err
	}
	file, err := request.Files.Open(ctx, request.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t := &table{files: request.Files, path: request.Path, size: file.Size(), settings: s, chunkBytes: chunkBytes}
	if like, ok := request.Like.(*table); ok {
		// What the first file of a list is, all are.
		copied := *like.settings
		copied.compression = s.compression
		t.settings = &copied
	} else {
		sample, err := readSample(ctx, file, s)
		if err == nil {
			err = s.sniff(sample)
		}
		if err != nil {
			return nil, within(err, "file %q", t.path)
		}
	}
	t.rows = t.size / t.rowBytes()
	for i, c := range t.settings.columns {
		t.settings.columns[i].text = t.settings.isForcedText(c.name)
		t.schema = append(t.schema, types.Field{Name: c.name, Type: c.typ, Nullable: true})
	}
	return t, nil
}

func (s *settings) isForcedText(name string) bool { return s.notNull[lower(name)] }

// table is a file that was looked at.
type table struct {
	files    catalog.FileSystem
	path     string
	size     int64
	settings *settings
	schema   types.Schema
	rows     int64 // estimated
	// chunkBytes is how much of the file a worker takes at a time: chunkBytes but in tests.
	chunkBytes int
}

// rowBytes guesses the length of a record.
func (t *table) rowBytes() int64 { return max(1, int64(len(t.settings.columns))*8) }

// Schema gives the columns, which may all be NULL.
func (t *table) Schema() types.Schema { return t.schema }

// Statistics gives a guess of the number of rows.
func (t *table) Statistics() catalog.Statistics {
	return catalog.Statistics{Rows: t.rows, RowsConfidence: catalog.Estimated, Source: "file size"}
}

// Applies accepts no filter.
func (t *table) Applies(*expr.Expr) bool { return false }
