package catalog

import (
	"context"

	"github.com/lacunadb/lacuna/types"
)

// Versioned is a table whose rows change. A statement reads one version of it, everywhere that it names the table.
type Versioned interface {
	Table
	// Current gives the present version: a table that does not change any more.
	Current() Table
}

// Writable is a table that statements add rows to and remove rows from.
type Writable interface {
	Versioned
	// Definition gives what the table fills in and demands beside the NOT NULL of its schema. Not to be changed.
	Definition() *Definition
	// Lock waits until no other statement that removes rows is under way, and keeps them out until unlock is called: rows are then removed from the
	// version that was read. Adding rows needs no lock.
	Lock(ctx context.Context) (unlock func(), err error)
	Target
}

// Definition is what CREATE TABLE says of a table beside its columns.
type Definition struct {
	Defaults []string // SQL text of each column's default, "" for none, which is NULL; nil when no column has one
	Checks   []Check
	Keys     []Key
}

// Key is a set of columns that no two rows have the same values in. A row with a NULL in one of them is like no other.
type Key struct {
	Name    string
	Columns []int // positions in the schema
	Primary bool  // the columns are NOT NULL too
}

// Check is a condition that must not be false for any row.
type Check struct {
	Name string
	Text string // SQL text of the condition
}

// RowNumber is the name of the column that tells the rows of a version apart. A Writable's scans give it, a BIGINT, as the column behind the last one
// of the schema.
const RowNumber = "rowid"

// Target is where a statement's rows go.
type Target interface {
	// Write starts a change, which the caller ends by Close.
	Write() Writer
}

// Writer is one change of a table: all of it becomes visible at once, by Commit, or never. Add is safe for concurrent use.
type Writer interface {
	// Add copies rows, whose columns are those of the table, as a piece that comes behind all pieces with a lower place, and those with the same that
	// were added before. At most MaxPiece rows. Errors are of kind types.ErrOutOfMemory.
	Add(place types.Sequence, columns []*types.Vector, rows int) error
	// Remove takes out the rows with these numbers in the version that the statement reads; the table must be locked.
	Remove(rows []int64)
	// Commit publishes the change.
	Commit() error
	// Close gives back what was not committed. Called once, after Commit or instead of it.
	Close()
}

// MaxPiece is the number of rows of a Writer's piece.
const MaxPiece = 1 << 16
