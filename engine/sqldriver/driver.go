package sqldriver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net/url"
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/types"
)

// Name is the name under which the driver is registered.
const Name = "lacuna"

func init() { sql.Register(Name, Driver{}) }

// Driver is the driver.
type Driver struct{}

var _ driver.DriverContext = Driver{}

// Open opens a database for one connection. database/sql uses OpenConnector instead.
func (d Driver) Open(name string) (driver.Conn, error) {
	c, err := d.OpenConnector(name)
	if err != nil {
		return nil, err
	}
	return c.Connect(context.Background())
}

// OpenConnector opens a database with the settings of a data source name. Closing the sql.DB closes it.
func (Driver) OpenConnector(name string) (driver.Connector, error) {
	values, err := url.ParseQuery(strings.TrimPrefix(name, "?"))
	if err != nil {
		return nil, types.Errorf(types.CodeInvalidParameter, "malformed data source name: %v", err).
			WithHint("It is a list of settings such as threads=2&memory_limit=1GB.")
	}
	db, err := engine.Open(engine.Options{})
	if err != nil {
		return nil, err
	}
	c := &Connector{db: db, owned: true}
	for key, list := range values {
		set := "SET " + types.QuoteIdent(key) + " = '" + strings.ReplaceAll(list[len(list)-1], "'", "''") + "'"
		// Tried here, so that a wrong setting is an error of the first use and not of each.
		if err := db.Exec(context.Background(), set); err != nil {
			db.Close()
			return nil, err
		}
		if !slices.Contains(globalSettings, strings.ToLower(key)) {
			c.settings = append(c.settings, set)
		}
	}
	return c, nil
}

// globalSettings are those of the database, not of each session.
var globalSettings = []string{"threads", "worker_threads", "memory_limit", "max_memory"}

// Connector makes connections to a database.
type Connector struct {
	db       *engine.DB
	owned    bool     // Close closes db
	settings []string // SET statements that begin a session
}

// NewConnector gives a connector to a database that the caller has and closes, for sql.OpenDB.
func NewConnector(db *engine.DB) *Connector { return &Connector{db: db} }

// Connect begins a session.
func (c *Connector) Connect(ctx context.Context) (driver.Conn, error) {
	n := &conn{connector: c}
	return n, n.begin(ctx)
}

// Driver gives the driver.
func (c *Connector) Driver() driver.Driver { return Driver{} }

// Close closes the database that sql.Open opened; that of NewConnector stays open.
func (c *Connector) Close() error {
	if c.owned {
		return c.db.Close()
	}
	return nil
}
