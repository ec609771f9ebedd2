package csv

import (
	"context"
	"slices"

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
	t := &table{files: request.Files, path: request.Path, size: file.Size(), settings: s, rejects: request.Rejects, chunkBytes: chunkBytes}
	like, _ := request.Like.(*table)
	if like != nil {
		// The form of the first file of a list is that of all, and so are the types of its columns; their order is each file's own.
		compression := s.compression
		copied := *like.settings
		s = &copied
		s.compression, s.names, s.positioned, s.types = compression, nil, nil, nil
		s.known.delimiter, s.known.quote, s.known.skip, s.known.header = true, true, true, true
		s.known.columns = s.known.columns || !s.header
		t.settings = s
	}
	sample, err := readSample(ctx, file, s)
	if err == nil {
		err = s.sniff(sample)
	}
	if err != nil {
		return nil, within(err, "file %q", t.path)
	}
	if like != nil {
		for i, c := range s.columns {
			if at := columnNamed(like.settings.columns, c.name); at >= 0 {
				if first := like.settings.columns[at].typ; c.typ.Kind() == types.KindDouble && first.IsInteger() && !like.settings.known.columns {
					return nil, types.Errorf(types.CodeDatatypeMismatch, "column %s is %s in file %q and %s in file %q", types.QuoteIdent(c.name), c.typ, t.path, first, like.path).
						WithHint("With union_by_name = true it is %s in both, or name its type in types.", c.typ)
				}
				s.columns[i].typ, s.columns[i].order = like.settings.columns[at].typ, like.settings.columns[at].order
			}
		}
	}
	t.rows = t.size / t.rowBytes()
	for i, c := range t.settings.columns {
		t.settings.columns[i].text = t.settings.isForcedText(c.name)
		t.schema = append(t.schema, types.Field{Name: c.name, Type: c.typ, Nullable: true})
	}
	return t, nil
}

func columnNamed(columns []column, name string) int {
	return slices.IndexFunc(columns, func(c column) bool { return c.name == name })
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
	rejects  catalog.Rejects
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
