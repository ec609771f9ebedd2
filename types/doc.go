// Package types has the words that every layer of Lacuna uses: SQL types, vectors of values in several encodings, batches, validity, errors, and the
// edge to Apache Arrow. It is the one place that answers "is this row null?" for every Arrow type.
//
// Type is what a value means, Storage how it lies in memory, Vector a column of one batch in an Encoding. Import and Export are the only places where Arrow's
// many layouts are known; behind them every type has one. LogicalValidity is the one question about nulls, NullCount how many.
//
// # Is this row null?
//
// A row is a position inside the window of an array that may be a slice of a longer one; what lies outside the window counts for nothing. The answer goes
// by the type of the array, at every depth:
//
//	null                             every row is
//	bool, numbers, decimals, dates,  its bit in the array's bitmap says so; without a bitmap no row is
//	times, intervals, strings,
//	binary, fixed-size binary, views
//	lists, list views, maps,         the same: a list of nulls, an empty list and a struct whose fields are all null are not null
//	fixed-size lists, structs
//	dictionary                       the key is null, or the entry that it names; a key under a null is never looked at
//	run_end_encoded                  the value of the run that the row lies in; there is no bitmap
//	sparse_union, dense_union        the row's slot in the variant that its type code names; there is no bitmap
//	extension                        as its storage
//	lacuna.nullable_union            the union's outer validity says so, whatever the variant holds
//
// The rule is applied again to what it leads to: a dictionary of runs of unions is null where the value of the run of the union's variant is.
//
// Two kinds of union: Arrow's is null where its variant is ("variant k holding null" is the only null it has). SQL's UNION has an outer validity of its own
// (NullableUnionOf as an Arrow type, Vector.Validity here), because an outer join makes a row NULL that no variant holds. UnionImport says what a null in a
// variant means when it comes in: lifted, the row is NULL; tagged, it is a row of that variant. LogicalValidity asks for the outer one, InnerValidity for the
// variants. UnionPolicy says what an outer NULL becomes on the way out.
//
// A null or value is hidden where no row shows it: below a null struct, in the range of a null list or between lists, in a union slot that is not selected, in
// a dictionary entry that no key names, in a run outside of the window. Hidden slots hold anything, and no answer depends on them.
//
// # May it be null?
//
// Whether a column, field, element or variant may hold nulls is declared, never guessed from a count: Field.Nullable here and in Arrow, for runs also that of
// the values (both must say yes), for an Arrow union those of its variants and not its own. Optional and Required change it where it lives, without a copy;
// RequiredDeep by paths such as s.l[]. CheckRequired, Validate, ValidateBatch, ValidateTable and ValidateReader find nulls that are not allowed, with path, first
// row and number; Sanitize replaces those that are hidden.
//
// # Same rows?
//
// Equal compares rows and types and ignores what is hidden; EqualOptions loosens it. Identical compares the layout too.
//
// What null means is written down as cases that other implementations can run, too: see testdata/conformance/README.md, and ARROW_GO.md there for what
// arrow-go answers differently. Package arrowjson has the JSON form, package column typed columns for Go programs.
package types
