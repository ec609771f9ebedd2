package engine

import (
	"cmp"
	"slices"
	"sync"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/catalog/mem"
	"github.com/lacunadb/lacuna/engine/exec"
	"github.com/lacunadb/lacuna/types"
)

// rejects collects the faults that a table function with store_rejects leaves records out for. When the statement has ended they are added to two temporary
// tables of the session, which are made if they are not there.
type rejects struct {
	statement     *statement
	errors, scans string // names of the tables
	limit         int64  // of faults of a file, the first ones; 0: any number
	arguments     string
	memory        *exec.Reservation

	lock   sync.Mutex // of what follows
	files  []catalog.RejectsFile
	faults []fault
	held   int64
	stored bool
}

// fault is a fault of a file.
type fault struct {
	catalog.Reject
	file int64
}

// newRejects starts to collect for a statement.
func (s *statement) newRejects(errors, scans string, limit int64, arguments string) catalog.Rejects {
	r := &rejects{statement: s, errors: errors, scans: scans, limit: limit, arguments: arguments, memory: s.db.budget.Reserve()}
	s.rejects = append(s.rejects, r)
	return r
}

// File notes a file.
func (r *rejects) File(f catalog.RejectsFile) int64 {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.files = append(r.files, f)
	return int64(len(r.files) - 1)
}

// Add notes a fault.
func (r *rejects) Add(file int64, f catalog.Reject) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	const overhead = 200 // of a fault beside its texts
	size := int64(len(f.Text)+len(f.Message)) + overhead
	if err := r.memory.Grow(size); err != nil {
		return err
	}
	r.held += size
	r.faults = append(r.faults, fault{f, file})
	return nil
}

// storeRejects adds what was collected to the session's tables, once.
func (s *statement) storeRejects() error {
	for _, r := range s.rejects {
		if err := r.store(); err != nil {
			return err
		}
	}
	return nil
}

func (r *rejects) store() error {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.stored {
		return nil
	}
	r.stored = true
	defer func() { _ = r.memory.Grow(-r.held) }() // giving back does not fail
	slices.SortStableFunc(r.faults, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Byte, b.Byte))
	})
	id := uint64(r.statement.db.scans.Add(1))
	orNull := func(n int64) any {
		if n == 0 {
			return nil
		}
		return uint64(n)
	}
	var faults, files [][]any
	stored := make([]int64, len(r.files))
	for _, f := range r.faults {
		if stored[f.file]++; r.limit > 0 && stored[f.file] > r.limit {
			continue
		}
		name := any(nil)
		if f.OfColumnName {
			name = f.ColumnName
		}
		faults = append(faults, []any{id, uint64(f.file), uint64(f.Line), uint64(f.LineByte), orNull(f.Byte), orNull(int64(f.Column)), name, f.Kind, f.Text, f.Message})
	}
	for i, f := range r.files {
		format := func(text string) any {
			if text == "" {
				return nil
			}
			return text
		}
		files = append(files, []any{id, uint64(i), f.Path, f.Delimiter, f.Quote, f.Escape, f.Newline, uint32(f.Skip), f.Header, f.Columns, format(f.DateFormat), format(f.TimestampFormat), r.arguments})
	}
	if err := r.statement.addRows(r.scans, catalog.RejectScansSchema, files); err != nil {
		return err
	}
	return r.statement.addRows(r.errors, catalog.RejectErrorsSchema, faults)
}

// addRows adds rows to a temporary table of the session, which is made if there is none.
func (s *statement) addRows(name string, schema types.Schema, rows [][]any) error {
	store := mem.NewStore(schema, catalog.Definition{}, s.db.budget.Reserve())
	err := s.create(catalog.Object{Schema: catalog.TemporarySchema, Name: name, Table: store}, catalog.ConflictKeeps, 0)
	if err != nil {
		return err
	}
	object, err := s.conn.catalog.Lookup(catalog.TemporarySchema, name)
	if err != nil {
		return err
	}
	table, ok := object.Table.(*mem.Store)
	if !ok || !sameTypes(table.Schema(), schema) {
		return types.Errorf(types.CodeWrongObjectType, "table %q is not one of rejected records", name).WithHint("Name another one with rejects_table or rejects_scan.")
	}
	w := table.Write()
	defer w.Close()
	for from := 0; from < len(rows); from += catalog.MaxPiece {
		part := rows[from:min(len(rows), from+catalog.MaxPiece)]
		columns := make([]*types.Vector, len(schema))
		for c, f := range schema {
			values := make([]any, len(part))
			for i, row := range part {
				values[i] = row[c]
			}
			if columns[c], err = types.FromValues(nil, f.Type, values); err != nil {
				return err
			}
		}
		if err := w.Add(types.MakeSequence(from, 0), columns, len(part)); err != nil {
			return err
		}
	}
	return w.Commit()
}

func sameTypes(a, b types.Schema) bool {
	return slices.EqualFunc(a, b, func(x, y types.Field) bool { return x.Type.Equal(y.Type) })
}
