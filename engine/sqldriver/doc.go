// Package sqldriver makes Lacuna a driver of database/sql, under the name lacuna:
//
//	import _ "github.com/lacunadb/lacuna/engine/sqldriver"
//
//	db, err := sql.Open("lacuna", "")
//	rows, err := db.Query("SELECT a, b FROM 'file.parquet' WHERE a > $1", 5)
//
// # Databases and sessions
//
// sql.Open opens a database of its own in this process, empty but for the files that queries name, and sql.DB.Close closes it. Each connection of the
// pool is a session with it: tables are shared, settings and temporary tables are the session's. A connection that goes back to the pool
// begins a new session when it is used again, so nothing of the one before leaks. To use an engine.DB that the program has already, pass it to
// NewConnector and that to sql.OpenDB.
//
// The data source name is empty or a list of settings, as in a URL's query: "threads=2&memory_limit=1GB&TimeZone=Europe/Madrid". Those of SHOW ALL
// are known. What only engine.Options has, such as which files statements may touch, takes NewConnector.
//
// # Parameters
//
// Parameters are ?, $1 or, with sql.Named, $name and :name. Values are of the Go types that engine.Named lists, of types that implement
// driver.Valuer, or pointers to any of them.
//
// # Values
//
// What Scan gets of each SQL type, and what a destination of type any is given:
//
//	NULL                                   nil
//	BOOLEAN                                bool
//	TINYINT ... BIGINT, UTINYINT ... UINTEGER  int64
//	UBIGINT                                uint64
//	HALF, FLOAT                            float32
//	DOUBLE                                 float64
//	DATE, TIMESTAMP, TIMESTAMP WITH TIME ZONE  time.Time in UTC; "infinity" and "-infinity" as strings
//	TIMESTAMP WITH OFFSET                  time.Time in a zone of its offset
//	BLOB                                   []byte
//	VARCHAR, ENUM, JSON, BIT               string
//	HUGEINT, DECIMAL, TIME, INTERVAL, UUID string, as CAST to VARCHAR gives it; Decimal, BigInt, Duration, Interval and UUID scan it
//	LIST, ARRAY                            []any of these values
//	STRUCT, MAP, UNION                     []types.FieldValue, []types.MapEntry, types.UnionValue with these values
//
// Nested values go into Go's own slices, maps and structs by Into. What does not fit its destination is an error of Scan, as database/sql has it.
//
// # Statements
//
// A text of several statements may be executed, and queried: then the rows are those of the last one. $1 and $name mean the same in each of them, and each
// ? takes the next value. RowsAffected is the number of rows that INSERT,
// UPDATE, DELETE and CREATE TABLE AS report. There are no transactions of several statements: each is one of its own, and Begin is an error with
// SQLSTATE 0A000. There is no LastInsertId.
//
// Errors are *types.Error, which errors.As finds, with SQLSTATE, position and hint. When a context ends so does its query, at once.
package sqldriver
