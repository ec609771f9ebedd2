package engine_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/types/arrowtest/conformance"
)

// TestConformance runs the cases of the null model that need a whole query.
func TestConformance(t *testing.T) {
	conformance.Run(t, "../types/testdata/conformance", "engine", func(s *conformance.Step) (any, error) {
		db, err := engine.Open(engine.Options{})
		if err != nil {
			return nil, err
		}
		defer db.Close()
		switch s.Op {
		case "outer_join":
			return outerJoinStep(s, db)
		case "ipc_column":
			data, err := base64.StdEncoding.DecodeString(s.Text("base64"))
			if err != nil {
				return nil, err
			}
			path := filepath.Join(t.TempDir(), "case.arrows")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				return nil, err
			}
			return firstColumn(db, "FROM '"+path+"'")
		}
		return nil, fmt.Errorf("%w: operation %s", conformance.ErrNotYet, s.Op)
	})
}

// outerJoinStep gives the column of the right side of a left join, in the order of the left keys.
func outerJoinStep(s *conformance.Step, db *engine.DB) (any, error) {
	if err := s.Only("policy"); err != nil {
		return nil, err
	}
	names := []string{"u", "k", "k"}
	var fields []arrow.Field
	var arrays []arrow.Array
	for i, name := range names {
		a, err := s.Array(i)
		if err != nil {
			return nil, err
		}
		a.Field.Name = name
		fields, arrays = append(fields, a.Field), append(arrays, array.MakeFromData(a.Data()))
	}
	register := func(name string, fields []arrow.Field, arrays []arrow.Array) error {
		schema := arrow.NewSchema(fields, nil)
		batch := array.NewRecordBatch(schema, arrays, int64(arrays[0].Len()))
		defer batch.Release()
		return db.RegisterRecords(name, schema, []arrow.RecordBatch{batch})
	}
	if err := register("r", fields[:2], arrays[:2]); err != nil {
		return nil, err
	}
	if err := register("l", fields[2:], arrays[2:]); err != nil {
		return nil, err
	}
	return firstColumn(db, "SELECT u FROM l LEFT JOIN r ON l.k = r.k ORDER BY l.k")
}

// firstColumn gives the first column of a query's result, which is one batch.
func firstColumn(db *engine.DB, query string) (any, error) {
	result, err := db.Query(context.Background(), query)
	if err != nil {
		return nil, err
	}
	defer result.Close()
	for batch, err := range result.All() {
		if err != nil {
			return nil, err
		}
		column := batch.Column(0)
		column.Retain()
		f := result.Schema().Field(0)
		return conformance.Array{Field: arrow.Field{Type: f.Type, Nullable: f.Nullable}, Chunks: []arrow.ArrayData{column.Data()}}, nil
	}
	return nil, fmt.Errorf("no rows")
}
