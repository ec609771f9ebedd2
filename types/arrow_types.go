package types

import (
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// The keys of Arrow field metadata that say what the Arrow type alone cannot.
const (
	metaType       = "lacuna.type"              // SQL type, where several share an Arrow type
	metaNullUnion  = "nullunion"                // how a UNION's outer nulls were written (null-semantics 2.14)
	metaExtName    = "ARROW:extension:name"     // of an extension type that is not registered in the process
	metaExtDetails = "ARROW:extension:metadata" // of the same
)

// The Arrow extensions that are SQL types of their own. They are known by name, so that no extension package is linked.
const (
	extUUID   = "arrow.uuid"
	extJSON   = "arrow.json"
	extBool8  = "arrow.bool8"
	extOffset = "arrow.timestamp_with_offset"
)

// NullableUnionName is the name of the extension type of NullableUnionOf.
const NullableUnionName = "lacuna.nullable_union"

// nullVariantName is the name of the variant that UnionNullVariant adds for outer nulls.
const nullVariantName = "__null"

// UnionImport says what a union row whose selected variant holds null means (null-semantics 2.14).
type UnionImport uint8

const (
	// UnionAuto follows the field's metadata where it fits, else lifts.
	UnionAuto UnionImport = iota
	// UnionLift makes such a row NULL; its variant and value stay underneath.
	UnionLift
	// UnionTagged keeps the null inside the variant: the row is not NULL.
	UnionTagged
	// unionDeclared is UnionTagged for Validate: fields are as nullable as they are declared, also one of type null.
	unionDeclared
	// unionBare is unionDeclared for Equal: the metadata of fields say nothing.
	unionBare
)

// UnionPolicy says which Arrow type a UNION that may be NULL becomes and where its NULLs go (null-semantics 2.14). A union
// that is NOT NULL is the plain Arrow union under every policy.
type UnionPolicy uint8

const (
	// UnionDefault is UnionKeep for lifted unions and UnionNullVariant for tagged ones; where that would change the storage of an extension type it is
	// UnionValidityStruct.
	UnionDefault UnionPolicy = iota
	// UnionKeep keeps the variants and writes NULL as a null of a variant; without a nullable variant it is UnionNullVariant.
	UnionKeep
	// UnionNullVariant adds a variant of type null.
	UnionNullVariant
	// UnionValidityStruct wraps the union in a nullable struct, marked as the extension lacuna.nullable_union.
	UnionValidityStruct
	// UnionVariant writes NULL as a null of the variant with the code ExportOptions.UnionCode, which becomes nullable.
	UnionVariant
	// UnionWidenAll makes every variant nullable and writes NULL as a null of the row's own variant.
	UnionWidenAll
	// UnionInPlace keeps the variants and writes NULL as a null of the row's own variant; where that is required it is ErrNoNullHost.
	UnionInPlace
	// UnionForbid keeps the variants; a NULL is ErrNoNullHost.
	UnionForbid
)

// String gives the policy's name as the specification and the field metadata write it.
func (p UnionPolicy) String() string {
	names := [...]string{"Default", "Keep", "NullVariant", "ValidityStruct", "Variant", "WidenAll", "InPlace", "Forbid"}
	if int(p) < len(names) {
		return names[p]
	}
	return "UnionPolicy(" + strconv.Itoa(int(p)) + ")"
}

// ExportOptions says which of several Arrow types an SQL type becomes. The zero value suits most consumers: utf8 and binary,
// decimal128 up to 38 digits and decimal256 above, sparse unions under UnionDefault.
type ExportOptions struct {
	StringViews    bool        // utf8_view and binary_view instead of utf8 and binary
	NarrowDecimals bool        // decimal32 and decimal64 for up to 9 and 18 digits
	DenseUnions    bool        // dense unions instead of sparse ones
	Unions         UnionPolicy // of unions that may be NULL
	UnionCode      int8        // type code of the variant that UnionVariant makes the host of NULLs
	AllowLossy     bool        // export although NULL and a variant holding null become the same
	Pool           *Pool       // memory of what has to be converted; nil is the heap
}

// ImportType gives the SQL type of an Arrow type. The metadata is that of the field, and may be empty. Dictionary and
// run-end-encoded types give the type of their values: encoding belongs to the vector.
//
// Errors: ErrUnsupported for types without an SQL counterpart, such as a decimal of more than 76 digits.
func ImportType(dt arrow.DataType, metadata arrow.Metadata) (Type, error) {
	return importType(dt, metadata, UnionAuto)
}

// ImportField gives the SQL column of an Arrow field. Nullability follows null-semantics 2.3: a run-end-encoded column is nullable
// when the field and its values both are, a union when one of its variants is. The field's Encoding is that of the Arrow type.
func ImportField(f arrow.Field) (Field, error) {
	out, err := importField(f, UnionAuto)
	if err == nil {
		out.Encoding = importEncoding(f.Type, out.Type)
	}
	return out, err
}

// importEncoding gives the encoding of a column of Arrow type dt that became typ: the outermost, where there are several.
func importEncoding(dt arrow.DataType, typ Type) Encoding {
	switch d := dt.(type) {
	case arrow.ExtensionType:
		return importEncoding(d.StorageType(), typ)
	case *arrow.DictionaryType:
		if typ.kind != KindEnum {
			return Dictionary
		}
	case *arrow.RunEndEncodedType:
		return RunEnd
	}
	return Plain
}

// ImportSchema gives the SQL columns of an Arrow schema.
func ImportSchema(s *arrow.Schema) (Schema, error) {
	out := make(Schema, s.NumFields())
	for i := range out {
		f, err := ImportField(s.Field(i))
		if err != nil {
			return nil, err
		}
		out[i] = f
	}
	return out, nil
}

func importField(f arrow.Field, unions UnionImport) (Field, error) {
	if unions == unionBare {
		f.Metadata = arrow.Metadata{}
	}
	typ, err := importType(f.Type, f.Metadata, unions)
	if err != nil {
		if e, ok := err.(*Error); ok && e.Path == "" {
			e.Path = f.Name
		}
		return Field{}, err
	}
	nullable := importNullable(f.Type, typ, f.Nullable, f.Metadata)
	if unions >= unionDeclared && typ.kind == KindNull {
		nullable = f.Nullable
	}
	return Field{Name: f.Name, Type: typ, Nullable: nullable}, nil
}

// importNullable gives the declared nullability of a field of Arrow type dt that became typ.
func importNullable(dt arrow.DataType, typ Type, declared bool, metadata arrow.Metadata) bool {
	switch d := dt.(type) {
	case arrow.ExtensionType:
		if d.ExtensionName() != NullableUnionName {
			return importNullable(d.StorageType(), typ, declared, metadata)
		}
	case *arrow.NullType:
		return true
	case *arrow.RunEndEncodedType:
		if typ.kind == KindUnion {
			return importNullable(d.Encoded(), typ, declared, metadata)
		}
		return declared && d.ValueNullable
	case *arrow.DictionaryType:
		return declared || typ.kind == KindUnion && importNullable(d.ValueType, typ, declared, metadata)
	case arrow.UnionType:
		if len(typ.Fields()) < d.NumFields() { // has the variant of outer nulls
			return true
		}
		return (!typ.Tagged() || typ.details().host > 0) && anyNullable(typ.Fields())
	}
	return declared
}

func anyNullable(fields []Field) bool {
	for _, f := range fields {
		if f.Nullable || f.Type.kind == KindNull {
			return true
		}
	}
	return false
}

func importType(dt arrow.DataType, metadata arrow.Metadata, unions UnionImport) (Type, error) {
	if name, ok := metadata.GetValue(metaExtName); ok && dt.ID() != arrow.EXTENSION {
		details, _ := metadata.GetValue(metaExtDetails)
		return importExtension(Extension{Name: name, Metadata: details}, dt, metadata, unions)
	}
	if text, ok := metadata.GetValue(metaType); ok {
		if typ, ok := typeFromMetadata(text, dt); ok {
			return typ, nil
		}
	}
	switch d := dt.(type) {
	case *arrow.DictionaryType:
		return importType(d.ValueType, metadata, unions)
	case *arrow.RunEndEncodedType:
		return importType(d.Encoded(), metadata, unions)
	case arrow.ExtensionType:
		return importExtension(Extension{Name: d.ExtensionName(), Metadata: d.Serialize()}, d.StorageType(), arrow.Metadata{}, unions)
	case arrow.DecimalType:
		return importDecimal(int(d.GetPrecision()), int(d.GetScale()))
	case *arrow.Time32Type:
		return TimeOf(importUnit(d.Unit)), nil
	case *arrow.Time64Type:
		return TimeOf(importUnit(d.Unit)), nil
	case *arrow.TimestampType:
		if d.TimeZone == "" {
			return TimestampOf(importUnit(d.Unit)), nil
		}
		return TimestampTZOf(importUnit(d.Unit), d.TimeZone), nil
	case *arrow.FixedSizeListType:
		element, err := importField(d.ElemField(), unions)
		return ArrayOfField(element, int(d.Len())), err
	case *arrow.MapType:
		key, err := importField(d.KeyField(), unions)
		if err != nil {
			return Type{}, err
		}
		value, err := importField(d.ItemField(), unions)
		return MapOfFields(key, value), err
	case arrow.ListLikeType:
		element, err := importField(d.ElemField(), unions)
		return ListOfField(element), err
	case *arrow.StructType:
		fields, err := importFields(d.Fields(), unions)
		return StructOf(fields...), err
	case arrow.UnionType:
		return importUnionType(d, metadata, unions)
	}
	if typ, ok := plainTypes[dt.ID()]; ok {
		return typ, nil
	}
	return Type{}, KindErrorf(ErrUnsupported, "Arrow type %s is not supported", dt)
}

// plainTypes are the Arrow types without parameters that change the SQL type.
var plainTypes = map[arrow.Type]Type{
	arrow.NULL: Null, arrow.BOOL: Boolean,
	arrow.INT8: TinyInt, arrow.INT16: SmallInt, arrow.INT32: Integer, arrow.INT64: BigInt,
	arrow.UINT8: UTinyInt, arrow.UINT16: USmallInt, arrow.UINT32: UInteger, arrow.UINT64: UBigInt,
	arrow.FLOAT16: Half, arrow.FLOAT32: Float, arrow.FLOAT64: Double,
	arrow.STRING: Varchar, arrow.LARGE_STRING: Varchar, arrow.STRING_VIEW: Varchar,
	arrow.BINARY: Blob, arrow.LARGE_BINARY: Blob, arrow.BINARY_VIEW: Blob, arrow.FIXED_SIZE_BINARY: Blob,
	arrow.DATE32: Date, arrow.DATE64: Date, arrow.DURATION: Interval, arrow.INTERVAL_MONTHS: Interval,
	arrow.INTERVAL_DAY_TIME: Interval, arrow.INTERVAL_MONTH_DAY_NANO: Interval,
}

func importFields(fields []arrow.Field, unions UnionImport) ([]Field, error) {
	out := make([]Field, len(fields))
	for i, f := range fields {
		var err error
		if out[i], err = importField(f, unions); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func importUnit(u arrow.TimeUnit) TimeUnit {
	switch u {
	case arrow.Second:
		return Second
	case arrow.Millisecond:
		return Millisecond
	case arrow.Microsecond:
		return Microsecond
	}
	return Nanosecond
}

// importDecimal brings Arrow's scales below zero and above the precision, which SQL does not have, to more digits.
func importDecimal(precision, scale int) (Type, error) {
	digits, decimals := precision, scale
	if scale < 0 {
		digits, decimals = precision-scale, 0
	}
	digits = max(digits, decimals)
	if precision < 1 || digits > MaxDecimalPrecision {
		return Type{}, KindErrorf(ErrUnsupported, "decimal of precision %d and scale %d is not supported", precision, scale)
	}
	return Decimal(digits, decimals), nil
}

func importExtension(ext Extension, storage arrow.DataType, metadata arrow.Metadata, unions UnionImport) (Type, error) {
	switch ext.Name {
	case extUUID:
		if f, ok := storage.(*arrow.FixedSizeBinaryType); ok && f.ByteWidth == 16 {
			return UUID, nil
		}
	case extJSON:
		if plainTypes[valueType(storage).ID()].kind == KindVarchar {
			return JSON, nil
		}
	case extBool8:
		if storage.ID() == arrow.INT8 {
			return Boolean, nil
		}
	case extOffset:
		if unit, ok := offsetUnit(storage); ok {
			return Type{kind: KindTimestampOffset, unit: unit}, nil
		}
	case NullableUnionName:
		if union, ok := nullableUnionStorage(storage); ok {
			typ, err := importUnionCodes(union, ext.Metadata == "tagged", -1, unions)
			if inner, ok := storage.(*arrow.StructType).Field(0).Type.(arrow.ExtensionType); ok {
				typ = typ.WithExtension(Extension{Name: inner.ExtensionName(), Metadata: inner.Serialize()})
			}
			return typ, err
		}
	}
	// Without the extension's own keys, so that they are not read a second time.
	rest := map[string]string{}
	for i, k := range metadata.Keys() {
		if k != metaExtName && k != metaExtDetails {
			rest[k] = metadata.Values()[i]
		}
	}
	typ, err := importType(storage, arrow.MetadataFrom(rest), unions)
	if err != nil || typ.kind == KindNull {
		return typ, err
	}
	return typ.WithExtension(ext), nil
}

// valueType gives the type below dictionaries and run-end encoding.
func valueType(dt arrow.DataType) arrow.DataType {
	for {
		switch d := dt.(type) {
		case *arrow.DictionaryType:
			dt = d.ValueType
		case *arrow.RunEndEncodedType:
			dt = d.Encoded()
		default:
			return dt
		}
	}
}

// offsetUnit recognises the storage of arrow.timestamp_with_offset: a struct of an instant and of minutes.
func offsetUnit(storage arrow.DataType) (TimeUnit, bool) {
	s, ok := storage.(*arrow.StructType)
	if !ok || s.NumFields() != 2 {
		return 0, false
	}
	instant, ok := s.Field(0).Type.(*arrow.TimestampType)
	if !ok || instant.TimeZone == "" || valueType(s.Field(1).Type).ID() != arrow.INT16 {
		return 0, false
	}
	return importUnit(instant.Unit), true
}

func importUnionType(d arrow.UnionType, metadata arrow.Metadata, unions UnionImport) (Type, error) {
	if unions == UnionAuto {
		text, _ := metadata.GetValue(metaNullUnion)
		if text == "tagged" {
			return importUnionCodes(d, true, -1, unions)
		}
		if digits, ok := strings.CutPrefix(text, UnionNullVariant.String()+":"); ok {
			if host := nullVariantIndex(d, digits); host >= 0 {
				return importUnionCodes(d, true, host, unions)
			}
		}
		if digits, ok := strings.CutPrefix(text, UnionVariant.String()+":"); ok {
			return importUnionWithHost(d, digits, unions)
		}
	}
	return importUnionCodes(d, unions >= UnionTagged, -1, unions)
}

// importUnionWithHost makes a union whose NULLs are nulls of the variant with a code. Where another variant may hold null, that one is a value of the
// variant, and the union is tagged; else there is nothing to tell apart.
func importUnionWithHost(d arrow.UnionType, code string, unions UnionImport) (Type, error) {
	host, others := 0, false
	for i, f := range d.Fields() {
		if strconv.Itoa(int(d.TypeCodes()[i])) == code && f.Nullable {
			host = i + 1
		} else {
			others = others || holdsNull(f)
		}
	}
	typ, err := importUnionCodes(d, host > 0 && others, -1, unions)
	if err == nil && typ.Tagged() {
		typ.more.host = host
	}
	return typ, err
}

// nullVariantIndex finds the variant that metadata names by its code, or -1 when the metadata does not fit: only the last
// variant, under its own name and of type null, is one that Lacuna added.
func nullVariantIndex(d arrow.UnionType, code string) int {
	last := d.NumFields() - 1
	if last < 0 || code != strconv.Itoa(int(d.TypeCodes()[last])) {
		return -1
	}
	if f := d.Fields()[last]; f.Name != nullVariantName || f.Type.ID() != arrow.NULL {
		return -1
	}
	return last
}

// importUnionCodes makes the UNION of all variants but number skip. It is tagged only where a variant can hold null at all.
func importUnionCodes(d arrow.UnionType, tagged bool, skip int, unions UnionImport) (Type, error) {
	if d.NumFields() > MaxUnionVariants {
		return Type{}, KindErrorf(ErrTypeCodeRange, "union of %d variants", d.NumFields())
	}
	fields, err := importFields(d.Fields(), unions)
	if err != nil {
		return Type{}, err
	}
	codes := append([]int8(nil), d.TypeCodes()...)
	if skip >= 0 {
		fields = append(fields[:skip:skip], fields[skip+1:]...)
		codes = append(codes[:skip:skip], codes[skip+1:]...)
	}
	return UnionOfCodes(fields, codes, tagged && anyNullable(fields)), nil
}

// typeFromMetadata reads the value of metaType; it reports false when the text does not fit the Arrow type.
func typeFromMetadata(text string, dt arrow.DataType) (Type, bool) {
	value := valueType(dt)
	switch {
	case text == HugeInt.String():
		d, ok := value.(arrow.DecimalType)
		return HugeInt, ok && value.ID() == arrow.DECIMAL128 && d.GetScale() == 0
	case text == Bit.String():
		return Bit, plainTypes[value.ID()].kind == KindBlob
	case strings.HasPrefix(text, "ENUM("):
		d, ok := dt.(*arrow.DictionaryType)
		if !ok || plainTypes[d.ValueType.ID()].kind != KindVarchar {
			return Type{}, false
		}
		members, ok := parseMembers(strings.TrimPrefix(text, "ENUM"))
		return EnumOf(members), ok
	}
	return Type{}, false
}

// parseMembers reads ('a', 'it”s') back: the members of an ENUM as Type.String writes them.
func parseMembers(text string) ([]string, bool) {
	text, ok := strings.CutPrefix(text, "(")
	if !ok {
		return nil, false
	}
	members := []string{}
	if text == ")" {
		return members, true
	}
	for {
		if text, ok = strings.CutPrefix(text, "'"); !ok {
			return nil, false
		}
		var member strings.Builder
		for {
			i := strings.IndexByte(text, '\'')
			if i < 0 {
				return nil, false
			}
			member.WriteString(text[:i])
			if text = text[i+1:]; !strings.HasPrefix(text, "'") {
				break
			}
			member.WriteByte('\'')
			text = text[1:]
		}
		members = append(members, member.String())
		if text == ")" {
			return members, true
		}
		if text, ok = strings.CutPrefix(text, ", "); !ok {
			return nil, false
		}
	}
}
