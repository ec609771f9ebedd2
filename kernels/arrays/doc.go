// Package arrays has the null-aware verbs of package kernels for Arrow arrays: what a Go program that holds Arrow data calls without SQL. Every verb takes every
// Arrow type, sliced and nested, and answers as null-semantics says: nulls of unions, run-end-encoded and dictionary arrays are those of their values.
//
//	taken, err := arrays.Take(arrays.Of(values), arrays.Of(indices), arrays.Options{})
//	defer taken.Release()
//
// SUPPORT.md has a matrix of verbs and types, from runs of every cell, ARROW_GO.md what arrow-go does in its place.
//
// # Columns
//
// Arguments and results are Columns: an array with the Arrow field that declares it. Of makes one of a bare array, which counts as nullable. Functions borrow
// their arguments; the array of a result is the caller's to Release. Buffers are shared with the arguments where the verb allows it, and retained.
//
// The field of a result follows from fields, types and options, never from data: its nullability is that of null-semantics 2.3, its type that of the values, with
// their encoding. A result passes types.Validate at ValidateStrict against it. What the arguments show that contradicts their fields, a null in a required one,
// is an error, as is whatever the layout has wrong.
//
// # Unions
//
// An Arrow union has no place for a null of its own. Where a verb makes one, Options.Unions says which variant holds it; Promote gives the extension type of
// types.NullableUnionOf instead, and columns of that type stay in it.
//
// # Errors
//
// Errors are *types.Error with a kind of that package, and path, row and count where data are at fault; the row is the first one. Types are checked before
// lengths, and both before data.
package arrays
