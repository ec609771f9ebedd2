package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/plan/sql"
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
	s, err := c.begin(ctx, text)
	if err != nil {
		return nil, err
	}
	result, err := s.start(args)
	if err != nil {
		err = s.failure(err)
		s.end()
		return nil, err
	}
	return result, nil
}

// Exec runs the statements of a script, separated by semicolons, one after the other, and throws their rows away. It stops at the first error, whose place
// is one in the script; statements before it have had their effect. args are those of each statement.
func (c *Conn) Exec(ctx context.Context, script string, args ...any) error {
	return c.Script(ctx, script, func(r *Result) error {
		for r.Next() {
		}
		return r.Err()
	}, args...)
}

// Script is Exec with the results given to a function, which need not Release them and may return an error to end the script.
func (c *Conn) Script(ctx context.Context, script string, each func(*Result) error, args ...any) error {
	spans, err := sql.Split(script)
	if err != nil {
		return err
	}
	for _, span := range spans {
		if err := c.scriptStatement(ctx, script[span.Start:span.End], each, args); err != nil {
			return inScript(err, script, span.Start)
		}
	}
	return nil
}

func (c *Conn) scriptStatement(ctx context.Context, text string, each func(*Result) error, args []any) error {
	result, err := c.Query(ctx, text, args...)
	if err != nil {
		return err
	}
	defer result.Release()
	return each(result)
}

// inScript gives an error about a statement as one about the script in which the statement begins at an offset.
func inScript(err error, script string, start int) error {
	var e *types.Error
	if !errors.As(err, &e) || e.Position.Line <= 0 {
		return err
	}
	moved := *e
	moved.Source = script
	moved.Position = types.PositionAt(script, start+e.Position.Offset)
	return &moved
}

// Exec is Conn.Exec in the database's own session.
func (db *DB) Exec(ctx context.Context, script string, args ...any) error {
	return db.main.Exec(ctx, script, args...)
}

// Script is Conn.Script in the database's own session.
func (db *DB) Script(ctx context.Context, script string, each func(*Result) error, args ...any) error {
	return db.main.Script(ctx, script, each, args...)
}
