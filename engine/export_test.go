package engine

import "github.com/lacunadb/lacuna/catalog"

// MemoryInUse gives the bytes that queries have reserved.
func (db *DB) MemoryInUse() int64 { return db.budget.Used() }

// Running gives the number of statements that have not ended.
func (db *DB) Running() int {
	db.lock.Lock()
	defer db.lock.Unlock()
	return len(db.running)
}

// PutTable makes a table of any kind known.
func (db *DB) PutTable(name string, t catalog.Table) error {
	_, err := db.catalog.Put(name, t, true)
	return err
}
