package engine

import (
	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/catalog/mem"
)

// MemoryInUse gives the bytes that queries have reserved: all but those of tables.
func (db *DB) MemoryInUse() int64 { return db.budget.Used() - db.TableMemory() }

// TableMemory gives the bytes that the tables hold that the database's own session sees.
func (db *DB) TableMemory() int64 {
	size := int64(0)
	for _, o := range db.main.catalog.Objects() {
		if s, ok := o.Table.(*mem.Store); ok {
			size += s.MemorySize()
		}
	}
	return size
}

// BudgetUsed gives the bytes that queries and tables have reserved.
func (db *DB) BudgetUsed() int64 { return db.budget.Used() }

// Running gives the number of statements that have not ended.
func (db *DB) Running() int {
	db.lock.Lock()
	defer db.lock.Unlock()
	return len(db.running)
}

// PutTable makes a table of any kind known.
func (db *DB) PutTable(name string, t catalog.Table) error {
	_, _, err := db.main.catalog.Create(catalog.Object{Schema: catalog.DefaultSchema, Name: name, Table: t}, catalog.ConflictReplaces)
	return err
}
