// Package mem makes Arrow data in memory readable as tables.
//
// A Table keeps the caller's arrays retained and copies nothing but what the engine stores differently. What only a foreign writer can get
// wrong (offsets, keys, UTF-8, digits of decimals, nulls in required columns) is checked once, when the table is made; scans trust it.
//
// A column's chunk is kept in one of two forms. Where Lacuna's layout is Arrow's, the whole chunk is one vector that borrows the array's
// buffers, and a batch is a slice of it; so are dictionaries and runs, whose entries are then the same for all batches. Other chunks (strings with
// offsets, decimal128 of few digits, lists) are converted a batch at a time, into the reading worker's pool, because a converted copy of
// the whole could double the memory that the caller's data take.
//
// A Store is a table that statements write. It copies what it is given, in segments of up to catalog.MaxPiece rows, one vector a column, which keep
// their encodings and know their bounds. A version of it is a list of segments, each perhaps with a bitmap of deleted rows.
package mem
