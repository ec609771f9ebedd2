// Package arrownulls asks arrow-go the questions of the conformance cases of package types: which rows are null, which arrays are equal and
// valid, and what JSON they become. Its test keeps ../../types/testdata/conformance/ARROW_GO.md, the table of the answers that are others.
package arrownulls
