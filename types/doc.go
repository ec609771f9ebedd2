// Package types has the words that every layer of Lacuna uses: SQL types, vectors of values in several encodings, batches, validity,
// errors, and the edge to Apache Arrow.
//
// Type is what a value means, Storage how it lies in memory, Vector a column of one batch in an Encoding. Import and Export
// are the only places where Arrow's many layouts are known; behind them every type has one. LogicalValidity is the one question about nulls.
//
// What null means for every Arrow type is written down as cases that other implementations can run, too: see testdata/conformance/README.md, and
// ARROW_GO.md there for what arrow-go answers differently.
package types
