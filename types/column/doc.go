// Package column reads and writes Arrow columns as Go values of one type, with nullability in the Go type: a Column[T] has a value in every row, an
// OptionalColumn[T] has an Optional[T].
//
// A Type[T] says which Go type stands for which Arrow type: Int64, String, Timestamp(unit, zone), List(Int64), Struct(...). A Descriptor[T] adds a name and
// metadata, as a schema's field does; Optional and Required turn a descriptor, and a column, into the other form. A column of the other form shares all
// memory: only the question whether a row is null is asked or left out.
//
//	id := column.Describe("id", column.Int64)                    // Descriptor[int64]
//	note := column.Describe("note", column.String).Optional()    // OptionalDescriptor[string]
//	ids, err := id.From(batch)                                   // Column[int64]: ErrNoMember, ErrTypeMismatch or ErrNullInRequired
//	defer ids.Release()
//	for row, x := range ids.All() { ... }
//
// What a column is encoded as does not matter to a reader: a Descriptor of String reads utf8, large_utf8 and utf8_view, dictionaries of them and run-end-encoded
// ones. Runs gives one value for each run of those. A Type that is made by Dictionary or RunEnd says how values are to be written.
//
// Values that lie in Arrow's memory, strings and byte slices, are borrowed: they are valid until the column is released. Null is what the null model of
// package types says: the logical validity, through dictionaries, runs and unions.
package column
