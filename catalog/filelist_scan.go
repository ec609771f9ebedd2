package catalog

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Scan reads file after file: a file is opened when the one before it has handed out its morsels, and closed when these are read. Files whose paths or
// statistics do not fit the filters are left out.
func (l *fileList) Scan(ctx context.Context, request ScanRequest) (Scan, error) {
	for _, c := range request.Columns {
		if c.Column < 0 || c.Column >= len(l.schema) || len(c.Fields) > 0 {
			return nil, types.Errorf(types.CodeInternal, "scan of column %d, fields %v, of a table of %d columns", c.Column, c.Fields, len(l.schema))
		}
	}
	return &listScan{list: l, request: request}, nil
}

// listScan is the scan of a file list.
type listScan struct {
	list    *fileList
	request ScanRequest

	lock    sync.Mutex // of what follows
	file    int        // the next one to be opened
	current *fileScan
	open    []*fileScan // that are not closed
	number  int
	skipped int64
	closed  bool
}

// fileScan is the scan of one file of a list.
type fileScan struct {
	Scan
	file int
	// columns has for each column of the request its position in the file's own request, or -1 and a constant.
	columns   []int
	constants []*types.Vector
	reading   int // morsels that are not read to their end
	ended     bool
}

// Ordered says that no order is known.
func (s *listScan) Ordered() bool { return false }

// Next claims the next morsel of the present file, or of the next one that has some.
func (s *listScan) Next(ctx context.Context) (Morsel, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for {
		if s.current == nil {
			if s.file == len(s.list.paths) {
				return nil, nil
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			next, err := s.openFile(ctx, s.file)
			s.file++
			if err != nil {
				return nil, err
			}
			if next == nil {
				continue
			}
			s.current, s.open = next, append(s.open, next)
		}
		m, err := s.current.Next(ctx)
		if err != nil {
			return nil, err
		}
		if m != nil {
			s.current.reading++
			s.number++
			return &listMorsel{Morsel: m, scan: s, file: s.current, number: s.number - 1}, nil
		}
		done := s.current
		s.current, done.ended = nil, true
		if err := s.closeIfDone(done); err != nil {
			return nil, err
		}
	}
}

// openFile starts the scan of a file; nil when no row of it can matter.
func (s *listScan) openFile(ctx context.Context, file int) (*fileScan, error) {
	l := s.list
	f := &fileScan{file: file, columns: make([]int, len(s.request.Columns)), constants: make([]*types.Vector, len(s.request.Columns))}
	own := ScanRequest{Limit: s.request.Limit, BatchRows: s.request.BatchRows, Memory: s.request.Memory}
	cast := make([]bool, len(s.request.Columns))
	for i, c := range s.request.Columns {
		at := l.source[file][c.Column]
		if at < 0 {
			f.columns[i], f.constants[i] = -1, l.constant(file, c.Column)
			continue
		}
		cast[i] = !l.tables[file].Schema()[at].Type.Equal(l.schema[c.Column].Type)
		f.columns[i] = len(own.Columns)
		own.Columns = append(own.Columns, ColumnPath{Column: at})
	}
	for _, filter := range s.request.Filters {
		mapped, matters := f.filter(filter, cast)
		if !matters {
			s.skipped += l.tables[file].Statistics().Rows
			return nil, nil
		}
		if mapped != nil {
			own.Filters = append(own.Filters, mapped)
		}
	}
	for _, d := range s.request.Dynamic {
		switch {
		case f.constants[d.Column] != nil:
			if state := d.State(); state != nil {
				v := f.constants[d.Column]
				bounds := Bounds{Min: v, Max: v, Rows: 1}
				if v.MayHaveNulls() {
					bounds = Bounds{Rows: 1, Nulls: 1}
				}
				if !state.MayMatch(bounds) {
					s.skipped += l.tables[file].Statistics().Rows
					return nil, nil
				}
			}
		case !cast[d.Column]:
			own.Dynamic = append(own.Dynamic, d.at(f.columns[d.Column]))
		}
	}
	var err error
	f.Scan, err = l.tables[file].Scan(ctx, own)
	return f, err
}

// filter gives a condition as the file's own scan takes it: constants in the place of columns that it does not have. nil says that there is nothing to
// hand on, and false that no row of the file passes. The scans of files whose columns are cast take it as advice only (fileList.Applies), and are
// not told of conditions on those.
func (f *fileScan) filter(filter *expr.Expr, cast []bool) (mapped *expr.Expr, matters bool) {
	known := true
	mapped = filter.Rewrite(func(e *expr.Expr) *expr.Expr {
		if e.Op != expr.Column {
			return e
		}
		if v := f.constants[e.Column]; v != nil {
			return expr.NewConstant(v)
		}
		known = known && !cast[e.Column]
		return expr.NewColumn(f.columns[e.Column], e.Name, e.Type, e.Nullable)
	})
	if !known {
		return nil, true
	}
	if mapped = expr.Fold(mapped); mapped.Op == expr.Constant && mapped.Type.Kind() == types.KindBoolean {
		return nil, mapped.IsTrue()
	}
	return mapped, true
}

// at gives the same filter for another position of its column. What is published later is seen too.
func (f *DynamicFilter) at(column int) *DynamicFilter {
	source := f
	if f.source != nil {
		source = f.source
	}
	return &DynamicFilter{Column: column, source: source}
}

// closeIfDone closes the scan of a file that nobody reads any more.
func (s *listScan) closeIfDone(f *fileScan) error {
	if !f.ended || f.reading > 0 || s.closed {
		return nil
	}
	s.open = slices.DeleteFunc(s.open, func(o *fileScan) bool { return o == f })
	if skipper, ok := f.Scan.(Skipper); ok {
		s.skipped += skipper.Skipped()
	}
	return f.Close()
}

// Skipped gives the rows of files that were left out and those that the files' scans have skipped.
func (s *listScan) Skipped() int64 {
	s.lock.Lock()
	defer s.lock.Unlock()
	total := s.skipped
	for _, f := range s.open {
		if skipper, ok := f.Scan.(Skipper); ok {
			total += skipper.Skipped()
		}
	}
	return total
}

// Close closes the files that are open.
func (s *listScan) Close() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.closed = true
	var errs []error
	for _, f := range s.open {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// listMorsel is a morsel of a file with its number in the list.
type listMorsel struct {
	Morsel
	scan    *listScan
	file    *fileScan
	number  int
	batches int
	ended   bool
}

// Number counts the morsels of all files.
func (m *listMorsel) Number() int { return m.number }

// Next gives the next batch of the file as one of the list.
func (m *listMorsel) Next(ctx context.Context, pool *types.Pool) (*types.Batch, error) {
	if m.ended {
		return nil, nil
	}
	b, err := m.Morsel.Next(ctx, pool)
	if err != nil {
		return nil, err
	}
	if b == nil {
		m.ended = true
		m.scan.lock.Lock()
		defer m.scan.lock.Unlock()
		m.file.reading--
		return nil, m.scan.closeIfDone(m.file)
	}
	l := m.scan.list
	out := *b
	out.Columns = make([]*types.Vector, len(m.file.columns))
	out.Sequence = types.MakeSequence(m.number, m.batches)
	m.batches++
	for i, at := range m.file.columns {
		if at < 0 {
			out.Columns[i] = types.NewConstant(m.file.constants[i], b.Rows)
			continue
		}
		v := b.Columns[at]
		column := m.scan.request.Columns[i].Column
		if want := l.schema[column].Type; !v.Type().Equal(want) {
			env := &kernels.Env{Pool: pool, Rows: b.Rows}
			if v, err = kernels.Cast(env, v, want); err != nil {
				var e *types.Error
				if errors.As(err, &e) {
					located := *e
					located.Message = "file \"" + l.paths[m.file.file] + "\": column " + types.QuoteIdent(l.schema[column].Name) + ": " + e.Message
					return nil, &located
				}
				return nil, err
			}
		}
		out.Columns[i] = v
	}
	return &out, nil
}
