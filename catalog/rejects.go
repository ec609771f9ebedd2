package catalog

import "github.com/lacunadb/lacuna/types"

// Rejects takes what a scan leaves out because errors are ignored. Safe for concurrent use.
type Rejects interface {
	// File notes a file that is read, and gives its number for Add.
	File(f RejectsFile) int64
	// Add notes a fault of a file. An error, that memory is short, ends the query.
	Add(file int64, r Reject) error
}

// RejectsFile is a file whose faults are noted, and how it is read.
type RejectsFile struct {
	Path, Delimiter, Quote, Escape, Newline string
	Skip                                    int64
	Header                                  bool
	Columns                                 string // names and types
	DateFormat, TimestampFormat             string // "" for none
}

// Reject is a fault that a record was left out for.
type Reject struct {
	Line         int64 // of the file, from 1
	LineByte     int64 // place of the line's first byte, from 1
	Byte         int64 // place of the fault, from 1; 0 where it is not known
	Column       int   // from 1; 0 for none
	ColumnName   string
	Kind         string // one of RejectKinds
	Text         string // the record
	Message      string
	OfColumnName bool // ColumnName is known
}

// RejectKinds are the kinds of faults, DuckDB's.
var RejectKinds = []string{"CAST", "MISSING COLUMNS", "TOO MANY COLUMNS", "UNQUOTED VALUE", "LINE SIZE OVER MAXIMUM", "INVALID ENCODING", "INVALID STATE"}

// RejectErrorsSchema and RejectScansSchema are the columns of the tables in which a session finds faults and the files that had them.
var (
	RejectErrorsSchema = types.Schema{
		{Name: "scan_id", Type: types.UBigInt, Nullable: true}, {Name: "file_id", Type: types.UBigInt, Nullable: true}, {Name: "line", Type: types.UBigInt, Nullable: true},
		{Name: "line_byte_position", Type: types.UBigInt, Nullable: true}, {Name: "byte_position", Type: types.UBigInt, Nullable: true},
		{Name: "column_idx", Type: types.UBigInt, Nullable: true}, {Name: "column_name", Type: types.Varchar, Nullable: true},
		{Name: "error_type", Type: types.EnumOf(RejectKinds), Nullable: true}, {Name: "csv_line", Type: types.Varchar, Nullable: true},
		{Name: "error_message", Type: types.Varchar, Nullable: true},
	}
	RejectScansSchema = types.Schema{
		{Name: "scan_id", Type: types.UBigInt, Nullable: true}, {Name: "file_id", Type: types.UBigInt, Nullable: true}, {Name: "file_path", Type: types.Varchar, Nullable: true},
		{Name: "delimiter", Type: types.Varchar, Nullable: true}, {Name: "quote", Type: types.Varchar, Nullable: true}, {Name: "escape", Type: types.Varchar, Nullable: true},
		{Name: "newline_delimiter", Type: types.Varchar, Nullable: true}, {Name: "skip_rows", Type: types.UInteger, Nullable: true}, {Name: "has_header", Type: types.Boolean, Nullable: true},
		{Name: "columns", Type: types.Varchar, Nullable: true}, {Name: "date_format", Type: types.Varchar, Nullable: true}, {Name: "timestamp_format", Type: types.Varchar, Nullable: true},
		{Name: "user_arguments", Type: types.Varchar, Nullable: true},
	}
)
