package engine

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/engine/exec"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/plan/sql"
	"github.com/lacunadb/lacuna/types"
)

// export writes the rows of a query to files, in their order and as they come, and gives their number. The files appear when all of them are whole; an error
// or a cancellation leaves what was there before.
func (s *statement) export(e *sql.Export, bound *sql.Bound) (*Result, error) {
	physical, err := s.physical(bound)
	if err != nil {
		return nil, err
	}
	run, err := s.run(physical, false)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	x := &exporter{Export: e, statement: s, files: s.conn.catalog.Files, memory: s.db.budget.Reserve(), open: map[string]*outputFile{}}
	defer x.close()
	if err := x.prepare(); err != nil {
		return nil, s.at(err, e.Offset)
	}
	for {
		b, err := run.Next()
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		if err := x.write(b); err != nil {
			return nil, s.at(err, e.Offset)
		}
	}
	if err := x.commit(); err != nil {
		return nil, s.at(err, e.Offset)
	}
	return s.count(x.rows)
}

// maxOpenFiles bounds the partitions that are written to at a time. The rows of others go into more files later.
const maxOpenFiles = 100

// exporter writes the files of one statement.
type exporter struct {
	*sql.Export
	statement *statement
	files     catalog.FileSystem
	memory    *exec.Reservation
	reserved  int64
	rows      int64

	open    map[string]*outputFile // by directory; "" for a single file
	order   []*outputFile          // that are open, the least recently opened first
	pending []catalog.AtomicFile   // whole, but not to be seen yet
	parts   map[string]int         // how many files a directory has
}

// outputFile is a file being written.
type outputFile struct {
	directory string
	file      catalog.AtomicFile
	writer    catalog.FileWriter
}

func (x *exporter) ctx() context.Context { return x.statement.ctx }

// prepare makes the directory of partitions, or the file, so that there is one without a row too.
func (x *exporter) prepare() error {
	if len(x.PartitionBy) == 0 {
		_, err := x.file("", x.Path)
		return err
	}
	x.parts = map[string]int{}
	if !x.Overwrite {
		there, err := x.files.Glob(x.ctx(), escapePattern(x.Path)+"/**")
		if err != nil {
			return err
		}
		if len(there) > 0 {
			return types.Errorf(types.CodeInvalidParameter, "directory %q is not empty", x.Path).WithHint("OVERWRITE_OR_IGNORE writes beside the files that are there, and over those of the same name.")
		}
	}
	return x.files.MakeDirectory(x.ctx(), x.Path)
}

// escapePattern keeps what means something in a pattern from meaning it.
func escapePattern(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}

// file gives the file of a directory that is being written, or starts it.
func (x *exporter) file(directory, path string) (*outputFile, error) {
	if f := x.open[directory]; f != nil {
		return f, nil
	}
	if len(x.order) == maxOpenFiles {
		oldest := x.order[0]
		if err := x.finish(oldest); err != nil {
			return nil, err
		}
	}
	file, err := x.files.Create(x.ctx(), path)
	if err != nil {
		return nil, err
	}
	writer, err := x.Format.NewWriter(file, x.Columns, x.Options)
	if err != nil {
		_ = file.Abort() // the first error is the one to tell
		return nil, err
	}
	f := &outputFile{directory, file, writer}
	x.open[directory], x.order = f, append(x.order, f)
	return f, nil
}

// finish writes the end of a file, which is then pending.
func (x *exporter) finish(f *outputFile) error {
	if err := f.writer.Close(x.ctx()); err != nil {
		return err
	}
	delete(x.open, f.directory)
	x.order = slices.DeleteFunc(x.order, func(o *outputFile) bool { return o == f })
	x.pending = append(x.pending, f.file)
	return nil
}

// write writes the rows of a batch.
func (x *exporter) write(b *types.Batch) error {
	x.rows += int64(b.Selected)
	columns := make([]*types.Vector, len(x.Positions))
	for i, p := range x.Positions {
		columns[i] = b.Columns[p]
	}
	out := *b
	out.Columns = columns
	if len(x.PartitionBy) == 0 {
		f, err := x.file("", x.Path)
		if err != nil {
			return err
		}
		return x.writeTo(f, &out)
	}
	for _, part := range x.partitions(b) {
		f := x.open[part.directory]
		if f == nil {
			directory := path.Join(strings.ReplaceAll(x.Path, `\`, "/"), part.directory)
			if err := x.files.MakeDirectory(x.ctx(), directory); err != nil {
				return err
			}
			name := fmt.Sprintf("data_%d%s", x.parts[part.directory], x.Format.Extensions()[0])
			x.parts[part.directory]++
			var err error
			if f, err = x.file(part.directory, path.Join(directory, name)); err != nil {
				return err
			}
		}
		if err := x.writeTo(f, out.Select(part.rows)); err != nil {
			return err
		}
	}
	return nil
}

// writeTo hands a batch to a writer and reserves what that keeps.
func (x *exporter) writeTo(f *outputFile, b *types.Batch) error {
	before := f.writer.Buffered()
	if err := f.writer.Write(x.ctx(), b); err != nil {
		return err
	}
	grown := f.writer.Buffered() - before
	if err := x.memory.Grow(grown); err != nil {
		return err
	}
	x.reserved += grown
	return nil
}

// partition is the rows of a batch that go into one directory.
type partition struct {
	directory string
	rows      types.Bitmap
}

// nullPartition is what Hive writes for NULL.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// partitions sorts the selected rows of a batch by the directories that their values name, in the order in which these come.
func (x *exporter) partitions(b *types.Batch) []partition {
	var all []partition
	place := map[string]int{}
	keys := make([]*types.Vector, len(x.PartitionBy))
	for i, p := range x.PartitionBy {
		keys[i] = kernels.Decode(&kernels.Env{Rows: b.Rows}, b.Columns[p])
	}
	var name []byte
	for row := b.Selection.NextSet(0, b.Rows); row < b.Rows; row = b.Selection.NextSet(row+1, b.Rows) {
		name = name[:0]
		for i, v := range keys {
			if i > 0 {
				name = append(name, '/')
			}
			name = append(name, url.PathEscape(x.Partitions[i])...)
			name = append(name, '=')
			if _, _, ok := v.Locate(row); ok {
				name = append(name, escapeValue(types.Text(v, row))...)
			} else {
				name = append(name, nullPartition...)
			}
		}
		at, known := place[string(name)]
		if !known {
			at = len(all)
			place[string(name)] = at
			all = append(all, partition{string(name), make(types.Bitmap, types.BitmapWords(b.Rows))})
		}
		all[at].rows.Set(row)
	}
	return all
}

// escapeValue makes a part of a path of a value: one that is empty or points elsewhere is not possible.
func escapeValue(text string) string {
	return strings.ReplaceAll(url.PathEscape(text), ".", "%2E")
}

// commit ends all files and makes them seen.
func (x *exporter) commit() error {
	for len(x.order) > 0 {
		if err := x.finish(x.order[0]); err != nil {
			return err
		}
	}
	if err := context.Cause(x.ctx()); err != nil {
		return err
	}
	for len(x.pending) > 0 {
		f := x.pending[0]
		x.pending = x.pending[1:]
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// close gives up what was not committed.
func (x *exporter) close() {
	for _, f := range x.order {
		_ = f.file.Abort() // nothing more can be done
	}
	for _, f := range x.pending {
		_ = f.Abort()
	}
	_ = x.memory.Grow(-x.reserved) // giving back does not fail
}
