package catalog

import (
	"context"
	"path"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// DefaultSchema is the schema of names written without one.
const DefaultSchema = "main"

// Format is a kind of file that a query can name in FROM.
type Format interface {
	// Name is what read_<name> is called after.
	Name() string
	// Extensions are the file name endings, with the dot, lower case.
	Extensions() []string
	// Open reads what is needed to know the schema of a file. The table holds no file open; each scan opens it again and fails when
	// the file has changed.
	Open(ctx context.Context, files FileSystem, path string) (Table, error)
}

// Catalog knows the tables, file formats and functions of one database. Safe for concurrent use: readers see one published version, which
// is never changed.
type Catalog struct {
	Files     FileSystem
	Functions *expr.Set // not changed after the database is open, except under the catalog's user's own lock
	formats   []Format

	write   sync.Mutex // serialises writers
	version atomic.Pointer[version]
}

// version is one state of all names.
type version struct {
	tables map[string]entry // by lower-case schema.name
}

type entry struct {
	schema, name string // as they were given
	table        Table
}

// New makes a catalog over a file system with formats and functions.
func New(files FileSystem, functions *expr.Set, formats ...Format) *Catalog {
	c := &Catalog{Files: files, Functions: functions, formats: formats}
	c.version.Store(&version{tables: map[string]entry{}})
	return c
}

func key(schema, name string) string { return strings.ToLower(schema) + "." + strings.ToLower(name) }

// Put makes a table known under a name of the default schema, in the place of one of that name when replace is set.
func (c *Catalog) Put(name string, t Table, replace bool) (old Table, err error) {
	c.write.Lock()
	defer c.write.Unlock()
	k := key(DefaultSchema, name)
	before := c.version.Load()
	if e, taken := before.tables[k]; taken {
		if !replace {
			return nil, types.Errorf(types.CodeDuplicateTable, "relation %q already exists", name)
		}
		old = e.table
	}
	next := before.clone()
	next.tables[k] = entry{schema: DefaultSchema, name: name, table: t}
	c.version.Store(next)
	return old, nil
}

// Remove forgets a table and gives it back.
func (c *Catalog) Remove(name string) (Table, error) {
	c.write.Lock()
	defer c.write.Unlock()
	k := key(DefaultSchema, name)
	before := c.version.Load()
	e, known := before.tables[k]
	if !known {
		return nil, c.undefined(before, name)
	}
	next := before.clone()
	delete(next.tables, k)
	c.version.Store(next)
	return e.table, nil
}

func (v *version) clone() *version {
	next := &version{tables: make(map[string]entry, len(v.tables)+1)}
	for k, e := range v.tables {
		next.tables[k] = e
	}
	return next
}

// Table finds a table by its name, in any case. schema may be empty. A name that is unknown but looks like a file (FROM 'a.parquet') is for
// OpenFile.
func (c *Catalog) Table(schema, name string) (Table, error) {
	if schema == "" {
		schema = DefaultSchema
	}
	v := c.version.Load()
	if e, ok := v.tables[key(schema, name)]; ok {
		return e.table, nil
	}
	if !strings.EqualFold(schema, DefaultSchema) {
		name = schema + "." + name
	}
	return nil, c.undefined(v, name)
}

func (c *Catalog) undefined(v *version, name string) error {
	e := types.Errorf(types.CodeUndefinedTable, "relation %q does not exist", name)
	names := make([]string, 0, len(v.tables))
	for _, t := range v.tables {
		names = append(names, t.name)
	}
	if near := Nearest(name, names); len(near) > 0 {
		return e.WithHint("Did you mean %s?", quoteAll(near))
	}
	if c.formatOf(name) != nil {
		return e.WithHint("To read a file, write its path in single quotes: FROM '%s'.", name)
	}
	return e
}

// Names gives the names of all tables, sorted.
func (c *Catalog) Names() []string {
	v := c.version.Load()
	names := make([]string, 0, len(v.tables))
	for _, t := range v.tables {
		names = append(names, t.name)
	}
	sort.Strings(names)
	return names
}

// Tables gives every table, in no order.
func (c *Catalog) Tables() []Table {
	v := c.version.Load()
	all := make([]Table, 0, len(v.tables))
	for _, t := range v.tables {
		all = append(all, t.table)
	}
	return all
}

// OpenFile opens a file by the format of its name's ending. A pattern that matches one file means that file.
func (c *Catalog) OpenFile(ctx context.Context, name string) (Table, error) {
	format := c.formatOf(name)
	if ending := fileEnding(name); format == nil && laterFormats[ending] {
		return nil, types.Errorf(types.CodeFeatureNotSupported, "reading %s files is not supported (%q)", ending, name)
	}
	if format == nil {
		endings := []string{}
		for _, f := range c.formats {
			endings = append(endings, f.Extensions()...)
		}
		return nil, types.Errorf(types.CodeUndefinedTable, "no known file format for %q", name).
			WithHint("Known endings are %s.", strings.Join(endings, ", "))
	}
	if strings.ContainsAny(name, "*?[") {
		paths, err := c.Files.Glob(ctx, name)
		switch {
		case err != nil:
			return nil, err
		case len(paths) == 0:
			return nil, types.Errorf(types.CodeUndefinedFile, "no files match %q", name)
		case len(paths) > 1:
			return nil, types.Errorf(types.CodeFeatureNotSupported, "reading %d files at once is not supported (%q)", len(paths), name)
		}
		name = paths[0]
	}
	return format.Open(ctx, c.Files, name)
}

// laterFormats are endings of files that users of DuckDB name in FROM and that Lacuna does not read yet.
var laterFormats = map[string]bool{
	".csv": true, ".tsv": true, ".json": true, ".jsonl": true, ".ndjson": true, ".arrow": true, ".arrows": true, ".feather": true, ".ipc": true,
}

func fileEnding(name string) string {
	return strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
}

func (c *Catalog) formatOf(name string) Format {
	ending := fileEnding(name)
	for _, f := range c.formats {
		for _, e := range f.Extensions() {
			if e == ending {
				return f
			}
		}
	}
	return nil
}
