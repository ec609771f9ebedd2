// Package parquet reads and writes Apache Parquet files: it is a catalog.Format.
//
// # The format in short
//
// A file is a sequence of row groups and ends with a footer, its length and the magic PAR1. A row group has a chunk for each leaf
// of the schema's tree; a chunk is a sequence of pages, each behind a header of its own: perhaps a dictionary page, then data pages. A
// data page holds repetition levels, definition levels and the values that are not null, encoded and then compressed.
//
// # What is read
//
// All physical types; logical and converted types as SQL types (leafType); lists, maps and structs, also fields of structs on their own.
// Pages of version 1 and 2. Encodings PLAIN, PLAIN_DICTIONARY, RLE_DICTIONARY, RLE, DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY,
// DELTA_BYTE_ARRAY and BYTE_STREAM_SPLIT. Uncompressed, SNAPPY, GZIP and ZSTD. Checksums of pages are verified where they are.
// Encrypted files, BROTLI, LZ4, LZO, levels in BIT_PACKED and VARIANT are errors with CodeFeatureNotSupported once what they
// concern is used. Page indexes and bloom filters are not looked at.
//
// # How a scan works
//
// Row groups are the morsels. Statistics (chunkBounds says which are trusted) and dynamic filters choose among them. Inside, batches of
// the wanted size are cut from the pages, whatever size those have: first the columns that filters read; when no row of a batch passes,
// the others are told to skip, which costs nothing until a later batch wants rows: pages whose rows are all skipped are neither
// decompressed nor, past what was read ahead, read. Dictionary pages become dictionary vectors, definition levels of columns without
// nesting become validity bitmaps without a detour.
//
// # Memory
//
// Numbers, keys, views and bitmaps of a batch are the pool's. Dictionaries, and pages that strings lie in, are garbage-collected
// memory that is never written again, so views into them stay good for as long as anyone holds them. Everything else (bytes of
// the file, pages of numbers) lies in a workspace that goes from one morsel to the next. A file can not ask for more than its own size
// warrants: lists are bounded by the bytes behind them, pages by what their codec can make of their compressed size.
//
// # Why not a library
//
// A measured comparison (bench/peers/parquetspike) of parquet-go, arrow-go's page readers with our decoders, and own code over klauspost's
// codecs: own code was as fast as the fastest (0.72 of DuckDB's time, 0.73, 1.00), adds 0.7 MB to a binary instead of 6 or 17, and was
// the only one that no damaged file could make panic, hang or exhaust memory. Decompression is two thirds and more of a scan of
// plain columns, so most is gained by pages that are not decompressed at all. arrow-go stays as an oracle in tests.
package parquet
