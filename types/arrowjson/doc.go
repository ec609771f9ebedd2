// Package arrowjson writes Arrow data as JSON and reads them back by their schema: Marshal and Unmarshal for arrays and record batches in memory, Writer and
// Reader for streams of rows. What was written reads back as the same rows of the same types, whatever the type, with nulls where they were.
//
// # Types
//
// A row is one JSON value. The schema says which; nothing is guessed from the JSON. (n) marks what is more than one might think, below.
//
//	null                                       null
//	bool                                       true, false
//	int8 ... int64, uint8 ... uint64           12                                      (1)
//	float16, float32, float64                  1.0, 1e-07, "NaN", "Infinity", "-Infinity"  (2)
//	decimal32 ... decimal256                   12.50                                   (1)
//	utf8, large_utf8, utf8_view                "text"
//	binary, large_binary, binary_view,
//	fixed_size_binary                          "AP8=": base64, standard alphabet, padded
//	date32, date64                             "2020-01-02"                            (3)
//	time32, time64                             "03:04:05.5"                            (3)
//	timestamp without a zone                   "2020-01-02T03:04:05.5"                 (3)
//	timestamp with a zone                      "2020-01-02T03:04:05.5Z", in UTC        (3)
//	duration                                   "PT26H3M4.5S"                           (4)
//	interval_months, interval_day_time,
//	interval_month_day_nano                    "P1Y2M3DT4H5M6.5S"                      (4)
//	list, large_list, list_view,
//	large_list_view, fixed_size_list           [1,2]
//	map                                        [["key",1],["other",2]]                 (5)
//	struct                                     {"a":1,"b":"x"}                         (6)
//	sparse_union, dense_union                  [type code, value]                      (7)
//	dictionary, run_end_encoded                the value; read back, rows are encoded again  (8)
//	extension                                  the value of its storage, but for (7)
//
// (1) Numbers are exact. An int64 beyond 2^53 or a decimal of 76 digits is a JSON number with all of its digits, which readers that compute in float64
// round; this one does not. It takes any form of a number that the type holds exactly, 1e3 or 12.0 for an integer, too. A fraction for an integer is ErrCastInvalid, and so are
// more digits after the point than a decimal has, unless they are zeros; a number out of range is ErrCastOverflow.
//
// (2) Floats have the fewest digits that read back as the same number, and always a point or an exponent; -0.0 keeps its sign. NaN is one value: its payload
// is lost. A number beyond the largest float is ErrCastOverflow.
//
// (3) ISO 8601. Fractions are as long as they have to be, down to nanoseconds; one that is finer than the unit is ErrCastInvalid. Years above 9999 and below 0
// have a sign (+10000-01-01, -0043-03-15; year 0 is 1 BC). A time32 or time64 outside of a day has more hours or a sign (24:00:00, -00:00:01). A date64
// that is no whole day is written like a timestamp. The zone of a timestamp stands in the schema; one with a zone is read with any offset, 2020-01-02T03:04:05+02:00, but
// not without, and one without a zone not with one.
//
// (4) ISO 8601 durations, where each part may have a sign of its own (P1M-3DT-4H). Parts that are 0 are left out; PT0S is nothing. Months, days and time of an interval
// stay apart, as in Arrow. A duration has only hours, minutes and seconds. Read are years, months, weeks, days, hours, minutes and seconds, in this order, and only seconds
// may have a fraction.
//
// (5) A map is a list of pairs, in their order, since keys may be of any type, and may repeat. A null key is ErrNullInRequired.
//
// (6) Fields in the order of the type, null ones too. Two fields of one name have no form: ErrAmbiguousMember, before the first row. Read are the keys in any order. A key
// that stands twice is ErrAmbiguousMember, one that no field has is ErrNoMember unless ReadOptions.IgnoreUnknown is set.
//
// (7) The type code keeps variants apart that hold the same value, and a null in one variant from a null in another: [5,null]. A null row itself is null; of Arrow's unions
// none is, only of the extension lacuna.nullable_union (types.NullableUnionOf), and of a dictionary of unions. Reading null into an Arrow union gives a null in its variant
// of type null, else in its first nullable one, else it is ErrNoNullHost. An unknown code is ErrUnknownTypeCode.
//
// (8) A dictionary gets each different value once, in order of appearance, and null keys; neighbouring equal rows become one run. Equal means bit by bit.
//
// # Nulls
//
// A null that a row shows is null. What a null hides, such as the fields of a null struct or the slots of other variants, is not written, and reads back as null where
// the field is nullable, else as zero, the empty string or list, and so on. The result of reading passes types.Validate at types.ValidateStrict.
//
// A null that is seen under a required field is a fault of the data: WriteOptions.OnViolation says what is written. Reading null there is ErrNullInRequired,
// unless ReadOptions.Lenient reads it as zero; a key that is missing is ErrMissingRequiredField. The key of a nullable field may be missing: the field is null.
// Nullability is that of null-semantics 2.3: run-end-encoded fields are nullable where the field and its values are, Arrow unions where a variant is.
//
// # Errors
//
// Every fault is a *types.Error with its kind, path (s.x, l[], m.value, u.variant), row, counted from 0, and for reading the place in the text, in Position: offset
// in bytes, line, and column in characters.
//
// Text is read as RFC 8259 has it, in UTF-8 without a byte order mark, and nothing beside: bytes that are not UTF-8, half of a surrogate pair, control characters in
// strings, text that ends too early or goes on behind the end are errors with code types.CodeInvalidText and no kind. Only what IgnoreUnknown passes by can be deeper than
// the schema, 1000 levels at most. Unmarshal gives all rows or none; a Reader first the rows before the fault, and it can go on behind a row that is at fault. Either
// needs memory by the length of what it reads at once, never by numbers that stand in it.
package arrowjson
