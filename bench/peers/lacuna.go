package main

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/engine"
)

func init() { openers["lacuna"] = openLacuna }

type lacuna struct{ db *engine.DB }

// openLacuna opens an empty Lacuna database.
func openLacuna(s settings) (Engine, error) {
	// Tables in memory have the Arrow types that Lacuna computes on, as a program that loads them for it would choose.
	db, err := engine.Open(engine.Options{
		Threads: s.threads, BatchRows: s.batchRows, OptimizerOff: s.optimizerOff, StringViews: true, NarrowDecimals: true,
	})
	if err != nil {
		return nil, err
	}
	return &lacuna{db: db}, nil
}

func (l *lacuna) Name() string { return "lacuna" }

// LoadParquet reads the file with Lacuna's own scan into an Arrow table and registers that, or registers the file.
func (l *lacuna) LoadParquet(ctx context.Context, table, path string, inMemory bool) error {
	if !inMemory {
		return l.db.RegisterFile(ctx, table, path)
	}
	result, err := l.Query(ctx, "SELECT * FROM "+quoteText(path))
	if err != nil {
		return err
	}
	batches := result.(*batches)
	defer batches.Close()
	rows := array.NewTableFromRecords(batches.schema, batches.records)
	defer rows.Release()
	return l.db.RegisterTable(table, rows)
}

func (l *lacuna) Query(ctx context.Context, sql string) (Result, error) {
	result, err := l.db.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer result.Release()
	all := &batches{schema: result.Schema()}
	for result.Next() {
		record := result.RecordBatch()
		record.Retain()
		all.records = append(all.records, record)
	}
	if err := result.Err(); err != nil {
		all.Close()
		return nil, err
	}
	return all, nil
}

func (l *lacuna) Close() error { return l.db.Close() }

// batches is a whole result as Arrow record batches.
type batches struct {
	schema  *arrow.Schema
	records []arrow.RecordBatch
}

func (b *batches) Rows() (Rows, error) { return arrowRows(b.schema, b.records) }

func (b *batches) Close() error {
	for _, record := range b.records {
		record.Release()
	}
	return nil
}
