package catalog

import (
	"context"
	"path"
	"strings"

	"github.com/lacunadb/lacuna/kernels/expr"
)

// Catalog knows the tables, views, file formats and functions that a session sees. Safe for concurrent use: readers see one published version
// of the names, which is never changed.
type Catalog struct {
	Files     FileSystem
	Functions *expr.Set // not changed after the database is open, except under the catalog's user's own lock
	formats   []Format

	database  *names // shared by all sessions
	temporary *names // the session's own
}

// New makes the catalog of a database, over a file system with formats and functions, as its first session sees it.
func New(files FileSystem, functions *expr.Set, formats ...Format) *Catalog {
	return &Catalog{
		Files: files, Functions: functions, formats: formats, database: newNames(DefaultSchema), temporary: newNames(TemporarySchema),
	}
}

// Session gives the catalog of another session: it shares everything but the temporary objects, of which it has none yet.
func (c *Catalog) Session() *Catalog {
	s := *c
	s.temporary = newNames(TemporarySchema)
	return &s
}

// OpenFile opens a file, or the files of a pattern, by the format of its name's ending.
func (c *Catalog) OpenFile(ctx context.Context, name string) (Table, error) {
	return c.OpenFiles(ctx, FilesRequest{Names: []string{name}})
}

func fileEnding(name string) string {
	return strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
}

func (c *Catalog) formatOf(name string) Format {
	ending := fileEnding(uncompressedName(name))
	for _, f := range c.formats {
		for _, e := range f.Extensions() {
			if e == ending {
				return f
			}
		}
	}
	return nil
}
