// Package arrownulls asks arrow-go the questions of the conformance cases of package types: which rows are null, which arrays are equal and
// valid, and what JSON they become, and runs the functions of arrow/compute that are verbs of kernels/arrays. Its tests keep ../../types/testdata/conformance/ARROW_GO.md,
// the table of the answers that are others, and ../../kernels/arrays/SUPPORT_ARROW_GO.md.
package arrownulls
