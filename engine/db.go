package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/catalog/mem"
	"github.com/lacunadb/lacuna/engine/exec"
	"github.com/lacunadb/lacuna/kernels/agg"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/kernels/scalar"
	"github.com/lacunadb/lacuna/types"
)

// DB is a database in this process: tables by name, and the threads and memory that its queries share. It keeps nothing on disk. All methods
// are safe for concurrent use.
type DB struct {
	options   Options
	main      *Conn                          // the session of DB.Query
	scheduler atomic.Pointer[exec.Scheduler] // another one when the number of threads is set
	budget    *exec.Budget

	lock    sync.Mutex
	closed  bool
	conns   map[*Conn]struct{} // that are open, besides main
	running map[*statement]struct{}
	scans   atomic.Uint64  // numbers of scans whose faults were noted
	ended   sync.WaitGroup // of the running statements
}

// Open makes an empty database. The caller closes it.
func Open(options Options) (*DB, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	functions := expr.NewSet()
	scalar.Register(functions)
	agg.Register(functions)
	db := &DB{options: options, budget: exec.NewBudget(options.MemoryLimit), conns: map[*Conn]struct{}{}, running: map[*statement]struct{}{}}
	db.scheduler.Store(exec.NewScheduler(options.Threads))
	db.main = newConn(db, catalog.New(options.Files, functions, formats...))
	return db, nil
}

// errDatabaseClosed ends the queries of a database that is closed.
var errDatabaseClosed = types.Errorf(types.CodeInvalidState, "the database is closed")

// Close cancels the queries that are running, waits for their end and releases the tables. Results that are still being read fail. Batches
// that were read stay valid. Closing again does nothing.
func (db *DB) Close() error {
	db.lock.Lock()
	first := !db.closed
	db.closed = true
	for s := range db.running {
		s.cancel(errDatabaseClosed)
	}
	db.lock.Unlock()
	db.ended.Wait()
	if first {
		for _, o := range db.main.catalog.Objects() {
			release(o.Table)
		}
		for c := range db.conns {
			c.dropTemporary()
		}
	}
	return nil
}

// RegisterTable makes an Arrow table known under a name, in the place of a table of that name. Its data are retained, not copied, until the
// name is dropped or replaced and the last query that reads them has ended: they must not change meanwhile. Everything a query relies
// on is checked now: errors are those of mem.NewTable.
func (db *DB) RegisterTable(name string, t arrow.Table) error {
	return db.register(name, func() (catalog.Table, error) { return loaded(mem.NewTable(t)) })
}

// RegisterRecords is RegisterTable for record batches of one schema.
func (db *DB) RegisterRecords(name string, schema *arrow.Schema, records []arrow.RecordBatch) error {
	return db.register(name, func() (catalog.Table, error) { return loaded(mem.FromRecords(schema, records)) })
}

// RegisterReader is RegisterTable for all record batches that a reader has left, which are read now. The reader stays the caller's.
func (db *DB) RegisterReader(name string, reader array.RecordReader) error {
	return db.register(name, func() (catalog.Table, error) { return loaded(mem.FromReader(reader)) })
}

// loaded keeps a failed load from becoming a table that is not nil.
func loaded(t *mem.Table, err error) (catalog.Table, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}

// RegisterFile puts a file under a name, as FROM 'path' reads it. Its schema is read now; each query opens the file again, and fails when the
// file has changed since.
func (db *DB) RegisterFile(ctx context.Context, name, path string) error {
	return db.register(name, func() (catalog.Table, error) { return db.main.catalog.OpenFile(ctx, path) })
}

func (db *DB) register(name string, load func() (catalog.Table, error)) error {
	if name == "" {
		return types.Errorf(types.CodeInvalidName, "a table needs a name")
	}
	t, err := load()
	if err != nil {
		return err
	}
	db.lock.Lock()
	defer db.lock.Unlock()
	if db.closed {
		release(t)
		return errDatabaseClosed
	}
	old, _, err := db.main.catalog.Create(catalog.Object{Schema: catalog.DefaultSchema, Name: name, Table: t}, catalog.ConflictReplaces)
	if err != nil {
		release(t)
		return err
	}
	release(old.Table)
	return nil
}

// Drop forgets a table of the default schema. Queries that read it go on to their end.
func (db *DB) Drop(name string) error {
	o, err := db.main.catalog.Drop("table", catalog.DefaultSchema, name)
	if err != nil {
		return err
	}
	release(o.Table)
	return nil
}

// shared is a table that counts its users, because it holds what has to be released.
type shared interface {
	// Acquire adds a user; false when the last one has gone already.
	Acquire() bool
	// Release ends one use.
	Release()
}

// release gives up the catalog's share in a table; nil is none.
func release(t catalog.Table) {
	if s, ok := t.(interface{ Release() }); ok {
		s.Release()
	}
}

// begin makes a statement known to the database, so that Close can end it. The caller must call its end.
func (c *Conn) begin(ctx context.Context, text string) (*statement, error) {
	db := c.db
	db.lock.Lock()
	defer db.lock.Unlock()
	if db.closed {
		return nil, errDatabaseClosed
	}
	s := &statement{db: db, conn: c, settings: c.settings.Load(), text: text}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	db.running[s] = struct{}{}
	db.ended.Add(1)
	return s, nil
}

// forget is the end of begin.
func (db *DB) forget(s *statement) {
	db.lock.Lock()
	defer db.lock.Unlock()
	delete(db.running, s)
	db.ended.Done()
}
