package catalog

import (
	"context"
	"io"

	"github.com/lacunadb/lacuna/types"
)

// Format is a kind of file that a query can read: by FROM 'path' when the path ends with one of its extensions, and by read_<name>.
type Format interface {
	// Name is what read_<name> and COPY's FORMAT call it, lower case.
	Name() string
	// Extensions are the file name endings, with the dot, lower case. Where a format reads compressed files, "a.csv.gz" is found by ".csv".
	Extensions() []string
	// ReadOptions are the named parameters of read_<name>, besides those that every format has and the catalog handles.
	ReadOptions() []Option
	// Open reads what is needed to know the schema of a file. The table holds no file open; each scan opens it again and fails when
	// the file has changed.
	Open(ctx context.Context, request OpenRequest) (Table, error)
}

// OpenRequest says what Format.Open opens.
type OpenRequest struct {
	Files FileSystem
	Path  string // one file's, no pattern
	// Options are those of ReadOptions that were given, already of their types.
	Options Options
	// Type reads the name of a type as SQL writes it, for options that name some. Nil knows none.
	Type func(name string) (types.Type, error)
	// Like is nil, or the table that Open gave for the first file of a list with the same options: what it found out about the form of that
	// file (a delimiter, the types of columns) holds for this one too.
	Like Table
	// Rejects takes what is left out because errors are ignored; nil drops it. A format that has no option for it leaves it alone.
	Rejects Rejects
}

// Inspector is a Format that has table functions about its files, beside the one that gives their rows: parquet_metadata and the like.
type Inspector interface {
	Format
	FileFunctions() []FileFunction
}

// FileFunction is a table function about files. Its first argument is a path, a pattern or a list of them.
type FileFunction struct {
	Name string // lower case
	// Schema are its columns; all are nullable.
	Schema types.Schema
	// Rows gives the rows about one file, with values as types.FromValues takes them.
	Rows func(ctx context.Context, files FileSystem, path string) ([][]any, error)
}

// WritableFormat is a Format that COPY ... TO can write.
type WritableFormat interface {
	Format
	// WriteOptions are the options of COPY ... TO, besides those that every format has and the statement handles.
	WriteOptions() []Option
	// NewWriter starts a file of rows with a schema, written to w, which stays the caller's. A type that the format cannot hold is an error with
	// CodeFeatureNotSupported that names the column.
	NewWriter(w io.Writer, schema types.Schema, options Options) (FileWriter, error)
}

// FileWriter writes the rows of one file, in the order of its calls. Used by one goroutine at a time. It needs no end when the file is given up.
type FileWriter interface {
	// Write adds the selected rows of a batch, which is borrowed: what is kept of it for later is copied.
	Write(ctx context.Context, batch *types.Batch) error
	// Buffered gives about how many bytes of memory the writer holds for rows that it has not written yet.
	Buffered() int64
	// Close writes what is left and the end of the file.
	Close(ctx context.Context) error
}

// Option is a named parameter of a format.
type Option struct {
	Name string // lower case, as DuckDB calls it
	// Type is what a value is cast to: a LIST accepts a single element too. types.Null accepts a constant of any type.
	Type types.Type
	// Aliases are other names of the same option.
	Aliases []string
}

// Options are the options that a statement gives, by Option.Name, as types.Value gives their values. A NULL value is not in it.
type Options map[string]any

// OptionOr gives the value of an option, or a default when it was not given. The type is that of types.Value for the Option's type.
func OptionOr[T any](o Options, name string, otherwise T) T {
	if v, ok := o[name].(T); ok {
		return v
	}
	return otherwise
}
