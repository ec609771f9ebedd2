package sqldriver

import (
	"context"
	"database/sql/driver"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/plan/sql"
	"github.com/lacunadb/lacuna/types"
)

// conn is a session, used by one goroutine at a time.
type conn struct {
	connector *Connector
	session   *engine.Conn
	broken    bool // its session is closed, and no other began
}

var (
	_ driver.QueryerContext     = (*conn)(nil)
	_ driver.ExecerContext      = (*conn)(nil)
	_ driver.ConnPrepareContext = (*conn)(nil)
	_ driver.ConnBeginTx        = (*conn)(nil)
	_ driver.Pinger             = (*conn)(nil)
	_ driver.SessionResetter    = (*conn)(nil)
	_ driver.Validator          = (*conn)(nil)
	_ driver.NamedValueChecker  = (*conn)(nil)
)

// begin begins a session with the settings of the connector.
func (c *conn) begin(ctx context.Context) error {
	session, err := c.connector.db.Conn(ctx)
	if err != nil {
		return err
	}
	for _, set := range c.connector.settings {
		if err := session.Exec(ctx, set); err != nil {
			return errors.Join(err, session.Close())
		}
	}
	c.session = session
	return nil
}

// ResetSession begins a new session, for the next user of the connection. Any error but driver.ErrBadConn would leave the connection in the pool, with the
// settings and tables of the session that it closed.
func (c *conn) ResetSession(ctx context.Context) error {
	c.broken = true
	if err := c.session.Close(); err != nil {
		return driver.ErrBadConn
	}
	if err := c.begin(ctx); err != nil {
		return driver.ErrBadConn
	}
	c.broken = false
	return nil
}

// IsValid reports whether the connection has a session.
func (c *conn) IsValid() bool { return !c.broken }

// Close ends the session.
func (c *conn) Close() error { return c.session.Close() }

// Ping reports whether the database is open.
func (c *conn) Ping(ctx context.Context) error {
	_, err := c.ExecContext(ctx, "SELECT 1", nil)
	return err
}

// BeginTx is an error: each statement is a transaction of its own.
func (c *conn) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	return nil, types.Errorf(types.CodeFeatureNotSupported, "transactions of several statements are not supported").
		WithHint("Each statement is a transaction of its own: all of it takes effect, or nothing.")
}

// Begin is BeginTx.
func (c *conn) Begin() (driver.Tx, error) { return c.BeginTx(context.Background(), driver.TxOptions{}) }

// CheckNamedValue accepts every value: the engine knows which it takes, and says so.
func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
	valuer, ok := v.Value.(driver.Valuer)
	if !ok {
		return nil
	}
	if x := reflect.ValueOf(valuer); x.Kind() == reflect.Pointer && x.IsNil() {
		v.Value = nil // its method may not expect to be called
		return nil
	}
	// The Value method of a sql.Null converts to the few types that all drivers take; this one takes more.
	if inner, valid, ok := ofNull(valuer); ok {
		if v.Value = nil; valid {
			v.Value = inner
			return c.CheckNamedValue(v)
		}
		return nil
	}
	var err error
	v.Value, err = valuer.Value()
	return err
}

// ofNull gives what a sql.Null of any type holds.
func ofNull(valuer driver.Valuer) (inner any, valid, ok bool) {
	x := reflect.ValueOf(valuer)
	if x.Kind() == reflect.Pointer {
		x = x.Elem()
	}
	if x.Kind() != reflect.Struct || x.Type().PkgPath() != "database/sql" || !strings.HasPrefix(x.Type().Name(), "Null[") {
		return nil, false, false
	}
	held := x.FieldByName("V")
	// Only a pointer to some types, such as BigInt, has the methods that a parameter needs.
	pointer := reflect.New(held.Type())
	pointer.Elem().Set(held)
	if _, isValuer := pointer.Interface().(driver.Valuer); isValuer {
		return pointer.Interface(), x.FieldByName("Valid").Bool(), true
	}
	return held.Interface(), x.FieldByName("Valid").Bool(), true
}

// arguments gives the arguments of a statement as the engine takes them.
func arguments(values []driver.NamedValue) []any {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v.Value
		if v.Name != "" {
			args[i] = engine.Named(v.Name, v.Value)
		}
	}
	return args
}

// QueryContext runs the statements of a text and gives the rows of the last one.
func (c *conn) QueryContext(ctx context.Context, text string, values []driver.NamedValue) (driver.Rows, error) {
	result, err := c.session.QueryScript(ctx, text, arguments(values)...)
	if err != nil {
		return nil, err
	}
	return &rows{result: result}, nil
}

// ExecContext runs the statements of a text.
func (c *conn) ExecContext(ctx context.Context, text string, values []driver.NamedValue) (driver.Result, error) {
	affected := affectedRows(0)
	err := c.session.Script(ctx, text, func(r *engine.Result) error {
		counted := countsRows(r.Columns())
		for {
			b, err := r.NextBatch()
			if b == nil || err != nil {
				return err
			}
			if counted {
				n, _ := types.Value(b.Columns[0], 0).(int64)
				affected += affectedRows(n)
			}
		}
	}, arguments(values)...)
	if err != nil {
		return nil, err
	}
	return affected, nil
}

// countsRows recognises the result of a statement that writes: one BIGINT that is called Count, as no query's is that does not ask for the name.
func countsRows(columns types.Schema) bool {
	return len(columns) == 1 && columns[0].Name == "Count" && columns[0].Type.Equal(types.BigInt)
}

// affectedRows is the outcome of statements.
type affectedRows int64

// LastInsertId is an error: tables have no such number.
func (affectedRows) LastInsertId() (int64, error) {
	return 0, types.Errorf(types.CodeFeatureNotSupported, "LastInsertId is not supported")
}

// RowsAffected gives how many rows were written.
func (n affectedRows) RowsAffected() (int64, error) { return int64(n), nil }

// PrepareContext checks the text; it is bound anew each time it runs, since tables may have changed.
func (c *conn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	if _, err := sql.Parse(text); err != nil {
		return nil, err
	}
	statements, err := sql.ParametersOf(text)
	if err != nil {
		return nil, err
	}
	s := &statement{conn: c, text: text}
	marks := 0
	for _, p := range statements {
		for _, name := range p.Names {
			number, err := strconv.Atoi(name)
			switch {
			case err != nil:
				s.inputs = -1 // by name: the engine counts
			case s.inputs >= 0 && number <= p.Marks:
				s.inputs = max(s.inputs, marks+number)
			case s.inputs >= 0:
				s.inputs = max(s.inputs, number)
			}
		}
		marks += p.Marks
	}
	return s, nil
}

// Prepare is PrepareContext.
func (c *conn) Prepare(text string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), text)
}

// statement is a prepared statement.
type statement struct {
	conn   *conn
	text   string
	inputs int
}

var (
	_ driver.StmtQueryContext  = (*statement)(nil)
	_ driver.StmtExecContext   = (*statement)(nil)
	_ driver.NamedValueChecker = (*statement)(nil)
)

func (s *statement) Close() error  { return nil }
func (s *statement) NumInput() int { return s.inputs }

func (s *statement) CheckNamedValue(v *driver.NamedValue) error { return s.conn.CheckNamedValue(v) }

func (s *statement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.text, args)
}

func (s *statement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.ExecContext(ctx, s.text, args)
}

// Exec and Query are what database/sql used before it had contexts.
func (s *statement) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), named(args))
}

func (s *statement) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), named(args))
}

func named(args []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, v := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return out
}
