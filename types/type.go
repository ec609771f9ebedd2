package types

import (
	"fmt"
	"strings"
)

// Kind is the family of an SQL type. Together with the parameters of Type it says what a value means; how values lie in
// memory is said by Storage.
type Kind uint8

// The kinds, in the order in which values of an ordered family widen.
const (
	KindNull Kind = iota // the type of an untyped NULL
	KindBoolean
	KindTinyInt
	KindSmallInt
	KindInteger
	KindBigInt
	KindUTinyInt
	KindUSmallInt
	KindUInteger
	KindUBigInt
	KindHugeInt
	KindHalf
	KindFloat
	KindDouble
	KindDecimal // precision, scale
	KindVarchar
	KindBlob
	KindDate
	KindTime        // unit
	KindTimestamp   // unit, without a zone
	KindTimestampTZ // unit, zone name for display; the value is an instant in UTC
	KindInterval
	KindTimestampOffset // an instant together with an offset in minutes
	KindUUID
	KindJSON
	KindBit
	KindEnum   // members
	KindList   // element field
	KindArray  // element field, width
	KindStruct // fields
	KindMap    // key and value fields
	KindUnion  // variants with codes
)

// TimeUnit is the resolution of TIME and TIMESTAMP.
type TimeUnit uint8

// The units, coarse to fine.
const (
	Second TimeUnit = iota
	Millisecond
	Microsecond
	Nanosecond
)

// PerSecond gives the number of units in a second.
func (u TimeUnit) PerSecond() int64 {
	return [...]int64{1, 1_000, 1_000_000, 1_000_000_000}[u]
}

// MaxDecimalPrecision is the largest number of digits of a DECIMAL.
const MaxDecimalPrecision = 76

// MaxUnionVariants is the largest number of variants of a UNION: Arrow type codes are 0 to 127.
const MaxUnionVariants = 128

// Type is an SQL type: a small immutable value. Compare with Equal, not with ==. The zero Type is NULL.
//
// A Type says nothing about encoding (constant, dictionary, run-end) or storage width in Arrow: both belong to the Vector and
// to the Arrow edge. Nullability belongs to the Field that has the type; the fields inside a nested type carry their own.
type Type struct {
	kind      Kind
	precision uint8
	scale     uint8
	unit      TimeUnit
	width     int32 // ARRAY: number of elements
	more      *typeDetails
}

// typeDetails holds what few types have. Never changed once a Type points at it.
type typeDetails struct {
	zone    string
	fields  []Field  // LIST, ARRAY: element; MAP: key, value; STRUCT: fields; UNION: variants
	codes   []int8   // UNION
	tagged  bool     // UNION: a variant may visibly hold null
	host    int      // UNION read from Arrow: 1 more than the variant whose nulls are NULL rows all the same (UnionVariant); no part of the type otherwise
	members []string // ENUM
	ext     Extension
}

// Field is a named, typed column, struct field, list element, map part or union variant with its declared nullability.
type Field struct {
	Name     string
	Type     Type
	Nullable bool

	// Encoding is how a column is handed out to Arrow: Dictionary or RunEnd, if it came in so or a query made it so, else Plain. The vectors of the column
	// may have any encoding. It counts for columns only, not for fields within types.
	Encoding Encoding
}

// String gives the field as SQL: name TYPE [NOT NULL].
func (f Field) String() string {
	s := QuoteIdent(f.Name) + " " + f.Type.String()
	if !f.Nullable {
		s += " NOT NULL"
	}
	return s
}

// Schema is the ordered list of a table's or result's columns.
type Schema []Field

// Index gives the position of the first column with exactly that name, or -1.
func (s Schema) Index(name string) int {
	for i, f := range s {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// Equal reports whether both schemas have equal names, types and nullability in the same order.
func (s Schema) Equal(o Schema) bool {
	if len(s) != len(o) {
		return false
	}
	for i := range s {
		if s[i].Name != o[i].Name || s[i].Nullable != o[i].Nullable || !s[i].Type.Equal(o[i].Type) {
			return false
		}
	}
	return true
}

// Extension names an Arrow extension type that a column came with and goes out with. The zero Extension means none.
type Extension struct {
	Name     string
	Metadata string
}

// The types without parameters.
var (
	Null            = Type{kind: KindNull}
	Boolean         = Type{kind: KindBoolean}
	TinyInt         = Type{kind: KindTinyInt}
	SmallInt        = Type{kind: KindSmallInt}
	Integer         = Type{kind: KindInteger}
	BigInt          = Type{kind: KindBigInt}
	UTinyInt        = Type{kind: KindUTinyInt}
	USmallInt       = Type{kind: KindUSmallInt}
	UInteger        = Type{kind: KindUInteger}
	UBigInt         = Type{kind: KindUBigInt}
	HugeInt         = Type{kind: KindHugeInt}
	Half            = Type{kind: KindHalf}
	Float           = Type{kind: KindFloat}
	Double          = Type{kind: KindDouble}
	Varchar         = Type{kind: KindVarchar}
	Blob            = Type{kind: KindBlob}
	Date            = Type{kind: KindDate}
	Interval        = Type{kind: KindInterval}
	TimestampOffset = Type{kind: KindTimestampOffset, unit: Microsecond}
	UUID            = Type{kind: KindUUID}
	JSON            = Type{kind: KindJSON}
	Bit             = Type{kind: KindBit}
	// Time and Timestamp are the ones SQL writes without a unit: microseconds.
	Time      = Type{kind: KindTime, unit: Microsecond}
	Timestamp = Type{kind: KindTimestamp, unit: Microsecond}
	// TimestampTZ is TIMESTAMP WITH TIME ZONE in microseconds.
	TimestampTZ = Type{kind: KindTimestampTZ, unit: Microsecond, more: &typeDetails{zone: "UTC"}}
)

// Decimal gives DECIMAL(precision, scale). It panics outside 1..76 and 0..precision: callers check user input first.
func Decimal(precision, scale int) Type {
	if precision < 1 || precision > MaxDecimalPrecision || scale < 0 || scale > precision {
		panic(fmt.Sprintf("types: DECIMAL(%d,%d) is out of range", precision, scale))
	}
	return Type{kind: KindDecimal, precision: uint8(precision), scale: uint8(scale)}
}

// TimeOf gives TIME with a unit.
func TimeOf(unit TimeUnit) Type { return Type{kind: KindTime, unit: unit} }

// TimestampOf gives TIMESTAMP with a unit.
func TimestampOf(unit TimeUnit) Type { return Type{kind: KindTimestamp, unit: unit} }

// TimestampTZOf gives TIMESTAMP WITH TIME ZONE with a unit; zone is the name that Arrow metadata carries, used for display.
func TimestampTZOf(unit TimeUnit, zone string) Type {
	return Type{kind: KindTimestampTZ, unit: unit, more: &typeDetails{zone: zone}}
}

// EnumOf gives ENUM with the members in their order, which is also their sort order. The slice is kept.
func EnumOf(members []string) Type {
	return Type{kind: KindEnum, more: &typeDetails{members: members}}
}

// ListOf gives element[] with a nullable element.
func ListOf(element Type) Type {
	return ListOfField(Field{Name: "item", Type: element, Nullable: true})
}

// ListOfField gives a list whose element has a name and a declared nullability of its own.
func ListOfField(element Field) Type {
	return Type{kind: KindList, more: &typeDetails{fields: []Field{element}}}
}

// ArrayOfField gives element[width], a list of fixed size.
func ArrayOfField(element Field, width int) Type {
	return Type{kind: KindArray, width: int32(width), more: &typeDetails{fields: []Field{element}}}
}

// StructOf gives STRUCT(fields...). The slice is kept.
func StructOf(fields ...Field) Type {
	return Type{kind: KindStruct, more: &typeDetails{fields: fields}}
}

// MapOf gives MAP(key, value). Keys are required.
func MapOf(key, value Type) Type {
	return MapOfFields(Field{Name: "key", Type: key}, Field{Name: "value", Type: value, Nullable: true})
}

// MapOfFields gives a map with named key and value fields.
func MapOfFields(key, value Field) Type {
	return Type{kind: KindMap, more: &typeDetails{fields: []Field{key, value}}}
}

// UnionOf gives UNION(variants...) with the type codes 0, 1, 2 ...
func UnionOf(variants ...Field) Type {
	codes := make([]int8, len(variants))
	for i := range codes {
		codes[i] = int8(i)
	}
	return UnionOfCodes(variants, codes, false)
}

// UnionOfCodes gives a UNION whose variants have codes of their own. Tagged says that a variant may visibly hold null as
// something other than an outer NULL (null-semantics 2.1 (f)). The slices are kept. It panics when the lengths differ or
// exceed MaxUnionVariants.
func UnionOfCodes(variants []Field, codes []int8, tagged bool) Type {
	if len(variants) != len(codes) || len(codes) > MaxUnionVariants {
		panic("types: a union needs one code for each of at most 128 variants")
	}
	return Type{kind: KindUnion, more: &typeDetails{fields: variants, codes: codes, tagged: tagged}}
}

// WithExtension gives the same type marked with the Arrow extension that it came as. Arithmetic and comparison ignore the mark.
func (t Type) WithExtension(ext Extension) Type {
	var more typeDetails
	if t.more != nil {
		more = *t.more
	}
	more.ext = ext
	t.more = &more
	return t
}

// WithFields gives the same nested type over other fields, as many as it has. The slice is kept.
func (t Type) WithFields(fields []Field) Type {
	more := *t.more
	more.fields = fields
	t.more = &more
	return t
}

// Kind gives the type's family.
func (t Type) Kind() Kind { return t.kind }

// Precision gives a DECIMAL's number of digits.
func (t Type) Precision() int { return int(t.precision) }

// Scale gives a DECIMAL's digits after the point.
func (t Type) Scale() int { return int(t.scale) }

// Unit gives the resolution of TIME and TIMESTAMP.
func (t Type) Unit() TimeUnit { return t.unit }

// Width gives the number of elements of an ARRAY.
func (t Type) Width() int { return int(t.width) }

// Zone gives the zone name of TIMESTAMP WITH TIME ZONE.
func (t Type) Zone() string { return t.details().zone }

// Members gives an ENUM's members. Not to be changed.
func (t Type) Members() []string { return t.details().members }

// Fields gives the fields below a nested type: a STRUCT's fields, a UNION's variants, a MAP's key and value, the element of a
// LIST or ARRAY. Not to be changed.
func (t Type) Fields() []Field { return t.details().fields }

// Elem gives the element field of LIST and ARRAY.
func (t Type) Elem() Field { return t.details().fields[0] }

// Codes gives the type codes of a UNION, one per variant. Not to be changed.
func (t Type) Codes() []int8 { return t.details().codes }

// Tagged reports whether a UNION's variants may visibly hold null.
func (t Type) Tagged() bool { return t.details().tagged }

// Extension gives the Arrow extension that the type is marked with, or the zero Extension.
func (t Type) Extension() Extension { return t.details().ext }

var noDetails typeDetails

func (t Type) details() *typeDetails {
	if t.more == nil {
		return &noDetails
	}
	return t.more
}

// Equal reports whether two types are the same, names, nullability, codes and zones of everything below included. The
// extension mark and the name of a list's element are not compared: neither changes a value's meaning in SQL.
func (t Type) Equal(o Type) bool { return t.equal(o, false) }

// equal is Equal, or without a look at nullability, from which it follows whether a union is tagged.
func (t Type) equal(o Type, ignoreNullability bool) bool {
	if t.kind != o.kind || t.precision != o.precision || t.scale != o.scale || t.unit != o.unit || t.width != o.width {
		return false
	}
	a, b := t.details(), o.details()
	if a == b {
		return true
	}
	if a.zone != b.zone || a.tagged != b.tagged && !ignoreNullability || len(a.fields) != len(b.fields) || len(a.members) != len(b.members) ||
		len(a.codes) != len(b.codes) {
		return false
	}
	named := t.kind == KindStruct || t.kind == KindUnion
	for i := range a.fields {
		if named && a.fields[i].Name != b.fields[i].Name {
			return false
		}
		if a.fields[i].Nullable != b.fields[i].Nullable && !ignoreNullability || !a.fields[i].Type.equal(b.fields[i].Type, ignoreNullability) {
			return false
		}
	}
	for i := range a.members {
		if a.members[i] != b.members[i] {
			return false
		}
	}
	for i := range a.codes {
		if a.codes[i] != b.codes[i] {
			return false
		}
	}
	return true
}

// IsInteger reports a whole-number type, HUGEINT included.
func (t Type) IsInteger() bool { return t.kind >= KindTinyInt && t.kind <= KindHugeInt }

// IsUnsigned reports an unsigned integer type.
func (t Type) IsUnsigned() bool { return t.kind >= KindUTinyInt && t.kind <= KindUBigInt }

// IsFloat reports HALF, FLOAT and DOUBLE.
func (t Type) IsFloat() bool { return t.kind >= KindHalf && t.kind <= KindDouble }

// IsNumeric reports integers, floats and decimals.
func (t Type) IsNumeric() bool { return t.kind >= KindTinyInt && t.kind <= KindDecimal }

// IsNested reports the types that have fields below them.
func (t Type) IsNested() bool { return t.kind >= KindList }

// IsTemporal reports dates, times, timestamps and intervals.
func (t Type) IsTemporal() bool { return t.kind >= KindDate && t.kind <= KindTimestampOffset }

var kindNames = [...]string{
	KindNull: `"NULL"`, KindBoolean: "BOOLEAN", KindTinyInt: "TINYINT", KindSmallInt: "SMALLINT", KindInteger: "INTEGER",
	KindBigInt: "BIGINT", KindUTinyInt: "UTINYINT", KindUSmallInt: "USMALLINT", KindUInteger: "UINTEGER",
	KindUBigInt: "UBIGINT", KindHugeInt: "HUGEINT", KindHalf: "HALF", KindFloat: "FLOAT", KindDouble: "DOUBLE",
	KindDecimal: "DECIMAL", KindVarchar: "VARCHAR", KindBlob: "BLOB", KindDate: "DATE", KindTime: "TIME",
	KindTimestamp: "TIMESTAMP", KindTimestampTZ: "TIMESTAMP WITH TIME ZONE", KindInterval: "INTERVAL",
	KindTimestampOffset: "TIMESTAMP WITH OFFSET", KindUUID: "UUID", KindJSON: "JSON", KindBit: "BIT", KindEnum: "ENUM",
	KindList: "LIST", KindArray: "ARRAY", KindStruct: "STRUCT", KindMap: "MAP", KindUnion: "UNION",
}

// String gives the kind's SQL name without parameters.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// String gives the type as SQL writes it, such as DECIMAL(15,2) or STRUCT(a INTEGER, b VARCHAR[]).
func (t Type) String() string {
	switch t.kind {
	case KindDecimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.precision, t.scale)
	case KindTime:
		if t.unit != Microsecond {
			return "TIME" + unitSuffix(t.unit)
		}
	case KindTimestamp:
		if t.unit != Microsecond {
			return "TIMESTAMP" + unitSuffix(t.unit)
		}
	case KindEnum:
		quoted := make([]string, len(t.Members()))
		for i, m := range t.Members() {
			quoted[i] = "'" + strings.ReplaceAll(m, "'", "''") + "'"
		}
		return "ENUM(" + strings.Join(quoted, ", ") + ")"
	case KindList:
		return t.Elem().Type.String() + "[]"
	case KindArray:
		return fmt.Sprintf("%s[%d]", t.Elem().Type, t.width)
	case KindMap:
		return fmt.Sprintf("MAP(%s, %s)", t.Fields()[0].Type, t.Fields()[1].Type)
	case KindStruct, KindUnion:
		parts := make([]string, len(t.Fields()))
		for i, f := range t.Fields() {
			if parts[i] = f.Type.String(); f.Name != "" { // row(1, 2) has no names
				parts[i] = QuoteIdent(f.Name) + " " + parts[i]
			}
		}
		return t.kind.String() + "(" + strings.Join(parts, ", ") + ")"
	}
	return t.kind.String()
}

func unitSuffix(u TimeUnit) string { return [...]string{"_S", "_MS", "", "_NS"}[u] }

// QuoteIdent gives a name as SQL needs it: bare when it is a plain lower-case-safe identifier, else in double quotes.
func QuoteIdent(name string) string {
	plain := name != ""
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9' {
			continue
		}
		plain = false
	}
	if plain {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
