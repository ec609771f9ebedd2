package engine

import (
	"errors"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/catalog/mem"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/plan/sql"
	"github.com/lacunadb/lacuna/types"
)

// command does what a statement that is not a query does, to its end, and gives its result: how many rows it has written, what it shows, or no columns and
// no rows.
func (s *statement) command(bound *sql.Bound) (*Result, error) {
	switch c := bound.Command.(type) {
	case *sql.NewTable:
		return s.createTable(c, bound)
	case *sql.Change:
		physical, err := s.writePlan(bound)
		if err != nil {
			return nil, err
		}
		return s.write(physical)
	case *sql.Export:
		return s.export(c, bound)
	case *sql.NewView:
		o := catalog.Object{Schema: c.Schema, Name: c.Name, View: &c.View}
		return s.done(s.create(o, c.Conflict, c.Offset))
	case *sql.NewSchema:
		_, err := s.conn.catalog.CreateSchema(c.Name, c.Conflict)
		return s.done(s.at(err, c.Offset))
	case *sql.DropObjects:
		return s.done(s.drop(c))
	case *sql.SetOption:
		return s.done(s.at(s.conn.set(c), c.Offset))
	case *sql.Listing:
		return s.list(c)
	}
	return nil, types.Errorf(types.CodeInternal, "no such command: %T", bound.Command)
}

// at gives an error that knows no place one in the statement's text.
func (s *statement) at(err error, offset int) error {
	var e *types.Error
	if !errors.As(err, &e) || e.Position.Line != 0 {
		return err
	}
	located := *e
	return located.At(s.text, offset)
}

// done gives the result of a statement that has none.
func (s *statement) done(err error) (*Result, error) {
	if err != nil {
		return nil, err
	}
	return newResult(s, types.Schema{}, &knownRows{batch: types.NewBatch(nil, 0, 0)}), nil
}

// create makes an object known and releases the one that it replaces.
func (s *statement) create(o catalog.Object, conflict catalog.Conflict, offset int) error {
	old, created, err := s.conn.catalog.Create(o, conflict)
	if !created {
		release(o.Table)
	}
	release(old.Table)
	return s.at(err, offset)
}

// createTable makes a table. One with rows becomes known when all of them are in it.
func (s *statement) createTable(c *sql.NewTable, bound *sql.Bound) (*Result, error) {
	if bound.Plan == nil {
		return s.done(s.create(s.newTable(c), c.Conflict, c.Offset))
	}
	// A query that may take long should not be run in vain.
	if o, err := s.conn.catalog.Lookup(c.Schema, c.Name); err == nil {
		switch {
		case c.Conflict == catalog.ConflictKeeps:
			return s.count(0)
		case c.Conflict == catalog.ConflictFails || o.View != nil:
			return s.done(s.create(s.newTable(c), c.Conflict, c.Offset))
		}
	}
	if c.NoData {
		if err := s.create(s.newTable(c), c.Conflict, c.Offset); err != nil {
			return nil, err
		}
		return s.count(0)
	}
	physical, err := s.writePlan(bound)
	if err != nil {
		return nil, err
	}
	return s.write(physical)
}

// newTable makes an empty table that is not known yet.
func (s *statement) newTable(c *sql.NewTable) catalog.Object {
	return catalog.Object{Schema: c.Schema, Name: c.Name, Table: mem.NewStore(c.Columns, c.Definition, s.db.budget.Reserve())}
}

// writePlan gives the physical plan of a statement that writes rows.
func (s *statement) writePlan(bound *sql.Bound) (*plan.PhysicalPlan, error) {
	input, err := s.physical(bound)
	if err != nil {
		return nil, err
	}
	switch c := bound.Command.(type) {
	case *sql.Change:
		w := c.Write
		w.Target = c.Table
		return plan.NewWrite(input, w), nil
	case *sql.NewTable:
		return plan.NewWrite(input, plan.WriteRows{Verb: "Create table", Name: c.Name, Columns: c.Columns, Target: &creation{s, c}}), nil
	}
	return input, nil
}

// write runs a plan that changes a table and gives the number of its rows.
func (s *statement) write(p *plan.PhysicalPlan) (*Result, error) {
	run, err := s.run(p, false)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	known := &knownRows{}
	for {
		b, err := run.Next()
		switch {
		case err != nil:
			return nil, err
		case b == nil:
			run.Close() // its workers have then handed in their figures
			known.profile = run.Profile()
			return newResult(s, p.Root.Schema(), known), nil
		case b.Rows > 0:
			known.batch = b
		}
	}
}

// count gives the result of a statement that has written so many rows.
func (s *statement) count(rows int64) (*Result, error) {
	return s.knownResult(types.Schema{{Name: "Count", Type: types.BigInt}}, [][]any{{rows}})
}

// creation is the target of CREATE TABLE AS: the table is made for each run, and becomes known with its rows.
type creation struct {
	statement *statement
	table     *sql.NewTable
}

// Write starts a new table.
func (c *creation) Write() catalog.Writer {
	o := c.statement.newTable(c.table)
	return &creationWriter{Writer: o.Table.(*mem.Store).Write(), creation: c, object: o}
}

type creationWriter struct {
	catalog.Writer
	creation *creation
	object   catalog.Object
	known    bool
}

// Commit puts the rows into the table and makes it known.
func (w *creationWriter) Commit() error {
	if err := w.Writer.Commit(); err != nil {
		return err
	}
	w.known = true // or released
	return w.creation.statement.create(w.object, w.creation.table.Conflict, w.creation.table.Offset)
}

// Close drops the table if it has not become known.
func (w *creationWriter) Close() {
	w.Writer.Close()
	if !w.known {
		release(w.object.Table)
	}
}

// drop forgets objects: all, or none when one cannot be dropped.
func (s *statement) drop(d *sql.DropObjects) error {
	kind := "table"
	if d.Kind == sql.ObjectView {
		kind = "view"
	}
	var wanted []sql.Reference
	for _, r := range d.Objects {
		err := r.Err
		switch {
		case d.Kind == sql.ObjectSchema:
			if _, err = s.conn.catalog.SchemaOf([]string{catalog.DatabaseName, r.Name}); err != nil && r.Name == catalog.TemporarySchema {
				err = nil // dropping it fails for another reason
			}
		case err == nil:
			_, err = s.conn.catalog.Lookup(r.Schema, r.Name)
		}
		var e *types.Error
		switch {
		case err == nil:
			wanted = append(wanted, r)
		case d.IfExists && errors.As(err, &e) && (e.Code == types.CodeUndefinedTable || e.Code == types.CodeUndefinedSchema || e.Code == types.CodeUndefinedDatabase):
		default:
			return s.at(err, r.Offset)
		}
	}
	for _, r := range wanted {
		dropped, err := []catalog.Object(nil), error(nil)
		if d.Kind == sql.ObjectSchema {
			dropped, err = s.conn.catalog.DropSchema(r.Name, d.Cascade)
		} else {
			var o catalog.Object
			o, err = s.conn.catalog.Drop(kind, r.Schema, r.Name)
			dropped = append(dropped, o)
		}
		if err != nil {
			return s.at(err, r.Offset)
		}
		for _, o := range dropped {
			release(o.Table)
		}
	}
	return nil
}
