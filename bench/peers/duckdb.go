package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

type duckDB struct {
	db   *sql.DB
	conn *sql.Conn
}

// openDuckDB opens an empty DuckDB in memory.
func openDuckDB(s settings) (Engine, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(context.Background())
	if err == nil {
		_, err = conn.ExecContext(context.Background(), fmt.Sprintf("SET threads = %d", s.threads))
	}
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return &duckDB{db: db, conn: conn}, nil
}

func (d *duckDB) Name() string { return "duckdb" }

func (d *duckDB) LoadParquet(ctx context.Context, table, path string, inMemory bool) error {
	kind := "VIEW"
	if inMemory {
		kind = "TABLE"
	}
	_, err := d.conn.ExecContext(ctx, fmt.Sprintf("CREATE %s %s AS SELECT * FROM read_parquet(%s)", kind, table, quoteText(path)))
	return err
}

// Query returns after the whole query ran: the driver asks DuckDB for a materialized result.
func (d *duckDB) Query(ctx context.Context, text string) (Result, error) {
	rows, err := d.conn.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	return &duckResult{rows: rows}, nil
}

func (d *duckDB) Close() error {
	if err := d.conn.Close(); err != nil {
		return err
	}
	return d.db.Close()
}

type duckResult struct{ rows *sql.Rows }

func (r *duckResult) Close() error { return r.rows.Close() }

func (r *duckResult) Rows() (Rows, error) {
	types, err := r.rows.ColumnTypes()
	if err != nil {
		return Rows{}, err
	}
	var result Rows
	for _, column := range types {
		result.Columns = append(result.Columns, column.Name())
	}
	pointers := make([]any, len(types))
	for r.rows.Next() {
		row := make([]any, len(types))
		for c := range row {
			pointers[c] = &row[c]
		}
		if err := r.rows.Scan(pointers...); err != nil {
			return Rows{}, err
		}
		for c, value := range row {
			row[c] = plainValue(value, types[c].DatabaseTypeName())
		}
		result.Values = append(result.Values, row)
	}
	return result, r.rows.Err()
}

// plainValue converts a value as DuckDB's driver scans it.
func plainValue(value any, sqlType string) any {
	switch v := value.(type) {
	case nil, bool, float64, string:
		return v
	case int8:
		return integer(int64(v))
	case int16:
		return integer(int64(v))
	case int32:
		return integer(int64(v))
	case int64:
		return integer(v)
	case uint8:
		return integer(int64(v))
	case uint16:
		return integer(int64(v))
	case uint32:
		return integer(int64(v))
	case uint64:
		return Decimal{Unscaled: new(big.Int).SetUint64(v)}
	case *big.Int:
		return Decimal{Unscaled: v}
	case duckdb.Decimal:
		return Decimal{Unscaled: v.Value, Scale: int(v.Scale)}
	case float32:
		return float64(v)
	case []byte:
		return string(v)
	case time.Time:
		switch {
		case sqlType == "DATE":
			return v.Format(dateLayout)
		case strings.HasPrefix(sqlType, "TIMESTAMP"):
			return v.UTC().Format(timestampLayout)
		}
		return v.Format(timeLayout)
	}
	return fmt.Sprint(value)
}
