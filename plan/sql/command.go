package sql

import (
	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// Command is what a statement that is not a query does. The types are *NewTable, *NewView, *NewSchema, *DropObjects, *Change, *Export, *SetOption and *Listing.
type Command interface{ command() }

// Reference is an object as a statement names it.
type Reference struct {
	Schema string // empty: not written
	Name   string
	Offset int // in the text, for messages
	// Err says why the schema cannot be, for IF EXISTS to ignore.
	Err error
}

// NewTable makes a table; from the rows of Bound.Plan when there is one.
type NewTable struct {
	Reference
	Columns    types.Schema
	Definition catalog.Definition
	Checks     []plan.WriteCheck
	Conflict   catalog.Conflict
	NoData     bool // Bound.Plan says what the columns are, not the rows
}

// NewView makes a view.
type NewView struct {
	Reference
	View     catalog.View
	Conflict catalog.Conflict
}

// NewSchema makes a schema.
type NewSchema struct {
	Reference
	Conflict catalog.Conflict
}

// DropObjects forgets tables, views or schemas.
type DropObjects struct {
	Kind     ObjectKind
	Objects  []Reference // of schemas, Name is the schema's
	IfExists bool
	Cascade  bool
}

// Change adds the rows of Bound.Plan to a table, or removes rows of it.
type Change struct {
	Table catalog.Writable
	Write plan.WriteRows // without its operator, input and target
}

// Export writes the rows of Bound.Plan to a file, or to files in a directory.
type Export struct {
	Path    string
	Offset  int // of the path in the text
	Format  catalog.WritableFormat
	Options catalog.Options // of the format
	Columns types.Schema    // of the files
	// Positions are the columns of the plan that go into the files.
	Positions []int
	// PartitionBy are the columns of the plan whose values name directories; none for one file.
	PartitionBy []int
	Partitions  []string // their names
	Overwrite   bool     // files may be in the directory already
	// FileName is that of a file in a directory: {i} stands for its number, which is there to tell files of one directory apart, {uuid} for a random UUID.
	FileName string
}

// SetOption changes a setting, or brings it back to its default.
type SetOption struct {
	Name   string
	Offset int
	Scope  Scope
	Value  *types.Vector // a constant; nil for the default
	All    bool          // RESET ALL
}

// Listing shows what the database has.
type Listing struct {
	Kind   ShowKind // not ShowColumns, except for a setting
	Schema string   // of ShowTables; empty: not written
	Name   string   // of a setting
	Offset int
}

func (*NewTable) command()    {}
func (*NewView) command()     {}
func (*NewSchema) command()   {}
func (*DropObjects) command() {}
func (*Change) command()      {}
func (*Export) command()      {}
func (*SetOption) command()   {}
func (*Listing) command()     {}
