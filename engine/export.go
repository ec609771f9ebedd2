package engine

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strconv"
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

// maxOpenFiles bounds the partitions that are written to at a time. Where there are more, so many rows are held before they are written, partition after
// partition, that most files get more than a few.
const (
	maxOpenFiles = 100
	maxHeldRows  = 1 << 19
)

// bufferShare is the part of the budget, a quarter, that the buffers of partitions may take: the query needs some too.
const bufferShare = 4

// exporter writes the files of one statement.
type exporter struct {
	*sql.Export
	statement *statement
	files     catalog.FileSystem
	memory    *exec.Reservation
	reserved  int64 // of memory
	rows      int64
	uses      int64 // of open files

	open    map[string]*outputFile // by directory; "" for a single file
	pending []catalog.AtomicFile   // whole, but not to be seen yet
	parts   map[string]int         // how many files a directory has

	held      []*types.Batch // rows of partitions that wait for more of the same
	heldRows  int
	heldBytes int64  // reserved for them
	text      []byte // scratch
}

// outputFile is a file being written.
type outputFile struct {
	directory string
	file      catalog.AtomicFile
	writer    catalog.FileWriter
	reserved  int64 // bytes, for what the writer holds
	used      int64 // the number of the last use, of exporter.uses
}

func (x *exporter) ctx() context.Context { return x.statement.ctx }

// prepare makes the directory of partitions, or the file, so that there is one without a row too.
func (x *exporter) prepare() error {
	if len(x.PartitionBy) == 0 {
		_, err := x.start("", x.Path)
		return err
	}
	x.parts = map[string]int{}
	if !x.Overwrite {
		there, err := x.files.Glob(x.ctx(), escapePattern(x.Path)+"/**")
		if err != nil {
			return err
		}
		if len(there) > 0 {
			return types.Errorf(types.CodeInvalidParameter, "directory %q is not empty", x.Path).WithHint("OVERWRITE_OR_IGNORE writes beside the files that are there, and over those of the same name; APPEND writes files of new names.")
		}
	}
	return x.files.MakeDirectory(x.ctx(), x.Path)
}

// escapePattern keeps what means something in a pattern from meaning it.
func escapePattern(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}

// start begins a file.
func (x *exporter) start(directory, path string) (*outputFile, error) {
	if len(x.open) == maxOpenFiles {
		if err := x.finish(x.first(func(a, b *outputFile) bool { return a.used < b.used })); err != nil {
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
	f := &outputFile{directory: directory, file: file, writer: writer}
	x.open[directory] = f
	return f, nil
}

// first gives the open file that comes before all others.
func (x *exporter) first(before func(a, b *outputFile) bool) *outputFile {
	var first *outputFile
	for _, f := range x.open {
		if first == nil || before(f, first) {
			first = f
		}
	}
	return first
}

// finish writes the end of a file, which is then pending.
func (x *exporter) finish(f *outputFile) error {
	if err := f.writer.Close(x.ctx()); err != nil {
		return err
	}
	if err := f.file.Close(); err != nil {
		return err
	}
	_ = x.reserve(f, -f.reserved) // giving back does not fail
	delete(x.open, f.directory)
	x.pending = append(x.pending, f.file)
	return nil
}

// write writes the rows of a batch, which it may keep.
func (x *exporter) write(b *types.Batch) error {
	x.rows += int64(b.Rows)
	switch {
	case len(x.PartitionBy) == 0:
		return x.writeTo(x.open[""], b.WithColumns(x.fileColumns(b)))
	case len(x.parts) <= maxOpenFiles:
		return x.writeParts(b)
	}
	// To write each batch at once would take a file for each few rows, as others are opened between them.
	size := 2 * int64(b.MemorySize()) // with their concatenation
	if err := x.memory.Grow(size); err != nil {
		if err := x.writeHeld(); err != nil {
			return err
		}
		return x.writeParts(b)
	}
	x.held, x.heldRows, x.heldBytes = append(x.held, b), x.heldRows+b.Rows, x.heldBytes+size
	if x.heldRows >= maxHeldRows || x.heldBytes > x.statement.db.budget.Limit()/bufferShare {
		return x.writeHeld()
	}
	return nil
}

// writeHeld writes the rows that were held, partition after partition.
func (x *exporter) writeHeld() error {
	if len(x.held) == 0 {
		return nil
	}
	columns := make([]*types.Vector, len(x.held[0].Columns))
	for c := range columns {
		vectors := make([]*types.Vector, len(x.held))
		for i, b := range x.held {
			vectors[i] = b.Columns[c]
		}
		columns[c] = kernels.Concat(&kernels.Env{}, vectors)
	}
	b := types.NewBatch(columns, x.heldRows, x.held[0].Sequence)
	x.held, x.heldRows = nil, 0
	defer x.release()
	return x.writeParts(b)
}

// release gives back the memory of rows that were held.
func (x *exporter) release() {
	_ = x.memory.Grow(-x.heldBytes) // giving back does not fail
	x.heldBytes = 0
}

// fileColumns gives the columns of a batch that go into the files.
func (x *exporter) fileColumns(b *types.Batch) []*types.Vector {
	columns := make([]*types.Vector, len(x.Positions))
	for i, p := range x.Positions {
		columns[i] = b.Columns[p]
	}
	return columns
}

// writeParts writes rows to the files of their partitions.
func (x *exporter) writeParts(b *types.Batch) error {
	columns := x.fileColumns(b)
	for _, part := range x.partitions(b) {
		f := x.open[part.directory]
		if f == nil {
			var err error
			if f, err = x.startPart(part.directory); err != nil {
				return err
			}
		}
		rows := make([]*types.Vector, len(columns))
		for i, v := range columns {
			rows[i] = kernels.Take(&kernels.Env{}, v, part.rows, nil)
		}
		if err := x.writeTo(f, types.NewBatch(rows, len(part.rows), b.Sequence)); err != nil {
			return err
		}
	}
	return nil
}

// startPart begins the next file of a partition.
func (x *exporter) startPart(partition string) (*outputFile, error) {
	directory := strings.TrimRight(filepath.ToSlash(x.Path), "/") + "/" + partition
	if err := x.files.MakeDirectory(x.ctx(), directory); err != nil {
		return nil, err
	}
	name := strings.ReplaceAll(x.FileName, "{i}", strconv.Itoa(x.parts[partition]))
	if strings.Contains(name, "{uuid}") {
		name = strings.ReplaceAll(name, "{uuid}", newUUID())
	}
	x.parts[partition]++
	return x.start(partition, directory+"/"+name)
}

// newUUID gives a random UUID, version 4.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// writeTo hands a batch to a writer and reserves what that keeps. Where partitions together keep too much, files end before their time, the largest first.
func (x *exporter) writeTo(f *outputFile, b *types.Batch) error {
	x.uses++
	f.used = x.uses
	if err := f.writer.Write(x.ctx(), b); err != nil {
		return err
	}
	grown := f.writer.Buffered() - f.reserved
	err := x.reserve(f, grown)
	if len(x.PartitionBy) == 0 {
		return err
	}
	for err != nil || x.reserved > x.statement.db.budget.Limit()/bufferShare {
		largest := x.first(func(a, b *outputFile) bool { return a.reserved > b.reserved })
		if largest.reserved == 0 {
			largest = f
		}
		if err := x.finish(largest); err != nil || largest == f {
			return err
		}
		if err != nil {
			err = x.reserve(f, grown)
		}
	}
	return nil
}

// reserve takes memory for what a file's writer keeps, or gives it back.
func (x *exporter) reserve(f *outputFile, bytes int64) error {
	if err := x.memory.Grow(bytes); err != nil {
		return err
	}
	f.reserved, x.reserved = f.reserved+bytes, x.reserved+bytes
	return nil
}

// partition is the rows of a batch that go into one directory.
type partition struct {
	directory string
	rows      []uint32
}

// nullPartition is what Hive writes for NULL.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// partitions sorts the rows of a batch by the directories that their values name, in the order in which these come.
func (x *exporter) partitions(b *types.Batch) []partition {
	var all []partition
	place := map[string]int{}
	keys, labels := make([]*types.Vector, len(x.PartitionBy)), make([][]byte, len(x.PartitionBy))
	for i, p := range x.PartitionBy {
		keys[i] = kernels.Decode(&kernels.Env{Rows: b.Rows}, b.Columns[p])
		labels[i] = append(appendEscaped(nil, []byte(x.Partitions[i])), '=')
	}
	var name []byte
	for row := range b.Rows {
		name = name[:0]
		for i, v := range keys {
			if i > 0 {
				name = append(name, '/')
			}
			name = append(name, labels[i]...)
			if _, _, ok := v.Locate(row); ok {
				x.text = types.AppendText(x.text[:0], v, row)
				name = appendEscaped(name, x.text)
			} else {
				name = append(name, nullPartition...)
			}
		}
		at, known := place[string(name)]
		if !known {
			at = len(all)
			all = append(all, partition{directory: string(name)})
			place[all[at].directory] = at
		}
		all[at].rows = append(all[at].rows, uint32(row))
	}
	return all
}

// appendEscaped appends a text as part of a path: all but letters, digits and - _ . ~ as %XX, as DuckDB has it.
func appendEscaped(dst, text []byte) []byte {
	for _, c := range text {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == '~':
			dst = append(dst, c)
		default:
			dst = append(dst, '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		}
	}
	return dst
}

// commit ends all files and makes them seen.
func (x *exporter) commit() error {
	if err := x.writeHeld(); err != nil {
		return err
	}
	for len(x.open) > 0 {
		if err := x.finish(x.first(func(a, b *outputFile) bool { return a.used < b.used })); err != nil {
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
	x.release()
	for _, f := range x.open {
		_ = f.file.Abort() // nothing more can be done
		_ = x.reserve(f, -f.reserved)
	}
	for _, f := range x.pending {
		_ = f.Abort()
	}
}
