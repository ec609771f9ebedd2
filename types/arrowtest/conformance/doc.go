// Package conformance reads the cases of types/testdata/conformance, builds their Arrow arrays, physical layout included, and
// compares what an implementation answers. The README.md of that folder describes the notation and the operations.
package conformance
