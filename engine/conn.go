package engine

import (
	"context"

	"sync"
	"sync/atomic"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// Conn is a session with a database: its settings and its temporary tables and views are its own. Safe for concurrent use; statements that run at the
// same time see the settings as they were when they began.
type Conn struct {
	db      *DB
	catalog *catalog.Catalog

	lock     sync.Mutex // of who changes settings
	settings atomic.Pointer[settings]
}

// Conn begins a session, with the settings that the database was opened with. Its user closes it.
func (db *DB) Conn(ctx context.Context) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, canceled(err)
	}
	db.lock.Lock()
	defer db.lock.Unlock()
	if db.closed {
		return nil, errDatabaseClosed
	}
	c := newConn(db, db.main.catalog.Session())
	db.conns[c] = struct{}{}
	return c, nil
}

func newConn(db *DB, c *catalog.Catalog) *Conn {
	conn := &Conn{db: db, catalog: c}
	conn.settings.Store(initialSettings(&db.options))
	return conn
}

// Close ends the session and drops its temporary tables and views. Queries that run go on to their end.
func (c *Conn) Close() error {
	c.db.lock.Lock()
	delete(c.db.conns, c)
	c.db.lock.Unlock()
	c.dropTemporary()
	return nil
}

func (c *Conn) dropTemporary() {
	for _, o := range c.catalog.DropTemporary() {
		release(o.Table)
	}
}

// Query is DB.Query in the session.
func (c *Conn) Query(ctx context.Context, text string, args ...any) (*Result, error) {
	values, err := parameterValues(args)
	if err != nil {
		return nil, err
	}
	return c.query(ctx, text, values)
}

// query runs a statement with the values of its parameters by name, or by number from "1".
func (c *Conn) query(ctx context.Context, text string, values map[string]*types.Vector) (*Result, error) {
	s, err := c.begin(ctx, text)
	if err != nil {
		return nil, err
	}
	result, err := s.start(values)
	if err != nil {
		err = s.failure(err)
		s.end()
		return nil, err
	}
	return result, nil
}

// Exec is Conn.Exec in the database's own session.
func (db *DB) Exec(ctx context.Context, script string, args ...any) error {
	return db.main.Exec(ctx, script, args...)
}

// Script is Conn.Script in the database's own session.
func (db *DB) Script(ctx context.Context, script string, each func(*Result) error, args ...any) error {
	return db.main.Script(ctx, script, each, args...)
}
