package types

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// ExportType gives the Arrow type of an SQL type; a UNION is taken to be nullable. Types that share an Arrow type, such as
// HUGEINT with DECIMAL(38,0), are told apart by the metadata that ExportField adds. UUID, JSON and marked types become extension
// types where the process has registered them, else their storage type.
func ExportType(t Type, opts ExportOptions) arrow.DataType { return exportType(t, true, opts) }

// ExportField gives the Arrow field of an SQL column, with the metadata from which ImportField restores the SQL type. A column that is to be a dictionary
// gets keys of 32 bits, one of runs run ends of 32 bits.
func ExportField(f Field, opts ExportOptions) arrow.Field {
	out := arrow.Field{Name: f.Name, Type: exportType(f.Type, f.Nullable, opts), Nullable: f.Nullable || f.Type.kind == KindNull}
	metadata := map[string]string{}
	switch f.Type.kind {
	case KindHugeInt, KindBit, KindEnum:
		metadata[metaType] = f.Type.String()
	case KindUnion:
		if union, ok := out.Type.(arrow.UnionType); ok {
			out.Nullable = false
			for _, v := range union.Fields() {
				out.Nullable = out.Nullable || v.Nullable
			}
			if last := union.NumFields() - 1; last == len(f.Type.Fields()) {
				metadata[metaNullUnion] = UnionNullVariant.String() + ":" + strconv.Itoa(int(union.TypeCodes()[last]))
			} else if text := unionMetadata(f, opts); text != "" {
				metadata[metaNullUnion] = text
			}
		}
	}
	if ext, ok := extensionOf(f.Type, f.Nullable, opts); ok && out.Type.ID() != arrow.EXTENSION {
		metadata[metaExtName] = ext.Name
		metadata[metaExtDetails] = ext.Metadata
	}
	if len(metadata) > 0 {
		out.Metadata = arrow.MetadataFrom(metadata)
	}
	out.Type = exportEncoding(f, out)
	return out
}

// exportEncoding gives the Arrow type of a column in its encoding.
func exportEncoding(f Field, plain arrow.Field) arrow.DataType {
	_, encoded := plain.Type.(*arrow.DictionaryType) // an ENUM
	switch {
	case f.Type.kind == KindNull:
	case f.Encoding == Dictionary && !encoded:
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: plain.Type}
	case f.Encoding == RunEnd:
		runs := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, plain.Type)
		runs.ValueNullable = plain.Nullable
		return runs
	}
	return plain.Type
}

// unionMetadata says how the outer nulls of a union without a variant for them were written; "" for the usual way.
func unionMetadata(f Field, opts ExportOptions) string {
	policy := opts.policy(f.Type)
	switch {
	case f.Type.Tagged() && (!f.Nullable || policy == UnionForbid):
		return "tagged"
	case !f.Nullable:
		return ""
	case policy == UnionVariant:
		return policy.String() + ":" + strconv.Itoa(int(opts.UnionCode))
	case policy == UnionWidenAll, policy == UnionInPlace:
		return policy.String()
	}
	return ""
}

// ExportSchema gives the Arrow schema of SQL columns.
func ExportSchema(s Schema, opts ExportOptions) *arrow.Schema {
	return arrow.NewSchema(exportFields(s, opts), nil)
}

func exportFields(fields []Field, opts ExportOptions) []arrow.Field {
	out := make([]arrow.Field, len(fields))
	for i, f := range fields {
		out[i] = ExportField(f, opts)
	}
	return out
}

// extensionOf gives the Arrow extension that a column of a type goes out as.
func extensionOf(t Type, nullable bool, opts ExportOptions) (Extension, bool) {
	switch t.kind {
	case KindUUID:
		return Extension{Name: extUUID}, true
	case KindJSON:
		return Extension{Name: extJSON}, true
	case KindTimestampOffset:
		return Extension{Name: extOffset}, true
	case KindUnion:
		// The extension knows only its own storage: one that a policy changes is Export's to refuse, one in a struct stays inside of it.
		if nullable && (opts.policy(t) == UnionValidityStruct || opts.changesUnion(t)) {
			return Extension{}, false
		}
	}
	ext := t.Extension()
	return ext, ext.Name != ""
}

func exportType(t Type, nullable bool, opts ExportOptions) arrow.DataType {
	storage := exportStorage(t, nullable, opts)
	if ext, ok := extensionOf(t, nullable, opts); ok {
		return withExtension(storage, ext)
	}
	return storage
}

// withExtension gives the extension type over its storage where the process has registered it, else the storage.
func withExtension(storage arrow.DataType, ext Extension) arrow.DataType {
	if ext.Name != "" {
		if registered := arrow.GetExtensionType(ext.Name); registered != nil {
			if dt, err := registered.Deserialize(storage, ext.Metadata); err == nil {
				return dt
			}
		}
	}
	return storage
}

func exportStorage(t Type, nullable bool, opts ExportOptions) arrow.DataType {
	switch t.kind {
	case KindBoolean:
		return arrow.FixedWidthTypes.Boolean
	case KindTinyInt:
		return arrow.PrimitiveTypes.Int8
	case KindSmallInt:
		return arrow.PrimitiveTypes.Int16
	case KindInteger:
		return arrow.PrimitiveTypes.Int32
	case KindBigInt:
		return arrow.PrimitiveTypes.Int64
	case KindUTinyInt:
		return arrow.PrimitiveTypes.Uint8
	case KindUSmallInt:
		return arrow.PrimitiveTypes.Uint16
	case KindUInteger:
		return arrow.PrimitiveTypes.Uint32
	case KindUBigInt:
		return arrow.PrimitiveTypes.Uint64
	case KindHugeInt:
		return &arrow.Decimal128Type{Precision: 38}
	case KindHalf:
		return arrow.FixedWidthTypes.Float16
	case KindFloat:
		return arrow.PrimitiveTypes.Float32
	case KindDouble:
		return arrow.PrimitiveTypes.Float64
	case KindDecimal:
		return exportDecimal(int32(t.precision), int32(t.scale), opts)
	case KindVarchar, KindJSON:
		if opts.StringViews {
			return arrow.BinaryTypes.StringView
		}
		return arrow.BinaryTypes.String
	case KindBlob, KindBit:
		if opts.StringViews {
			return arrow.BinaryTypes.BinaryView
		}
		return arrow.BinaryTypes.Binary
	case KindDate:
		return arrow.FixedWidthTypes.Date32
	case KindTime:
		if t.unit <= Millisecond {
			return &arrow.Time32Type{Unit: exportUnit(t.unit)}
		}
		return &arrow.Time64Type{Unit: exportUnit(t.unit)}
	case KindTimestamp:
		return &arrow.TimestampType{Unit: exportUnit(t.unit)}
	case KindTimestampTZ:
		zone := t.Zone()
		if zone == "" {
			zone = "UTC"
		}
		return &arrow.TimestampType{Unit: exportUnit(t.unit), TimeZone: zone}
	case KindInterval:
		return arrow.FixedWidthTypes.MonthDayNanoInterval
	case KindUUID:
		return &arrow.FixedSizeBinaryType{ByteWidth: 16}
	case KindEnum:
		return &arrow.DictionaryType{IndexType: enumIndexType(len(t.Members())), ValueType: exportStorage(Varchar, false, opts), Ordered: true}
	case KindList:
		return arrow.ListOfField(ExportField(t.Elem(), opts))
	case KindArray:
		return arrow.FixedSizeListOfField(t.width, ExportField(t.Elem(), opts))
	case KindMap:
		key := ExportField(t.Fields()[0], opts)
		key.Nullable = false // Arrow has no null keys
		return arrow.MapOfFields(key, ExportField(t.Fields()[1], opts))
	case KindStruct, KindTimestampOffset:
		return arrow.StructOf(exportFields(structFields(t), opts)...)
	case KindUnion:
		return exportUnion(t, nullable, opts)
	}
	return arrow.Null
}

func enumIndexType(members int) arrow.DataType {
	switch {
	case members <= 1<<8:
		return arrow.PrimitiveTypes.Uint8
	case members <= 1<<16:
		return arrow.PrimitiveTypes.Uint16
	}
	return arrow.PrimitiveTypes.Uint32
}

func exportUnit(u TimeUnit) arrow.TimeUnit {
	return [...]arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond}[u]
}

func exportDecimal(precision, scale int32, opts ExportOptions) arrow.DataType {
	switch {
	case opts.NarrowDecimals && precision <= 9:
		return &arrow.Decimal32Type{Precision: precision, Scale: scale}
	case opts.NarrowDecimals && precision <= 18:
		return &arrow.Decimal64Type{Precision: precision, Scale: scale}
	case precision <= 38:
		return &arrow.Decimal128Type{Precision: precision, Scale: scale}
	}
	return &arrow.Decimal256Type{Precision: precision, Scale: scale}
}

// policy gives the policy that a union of type t follows: the default resolved, and Keep without a host turned to NullVariant. The default leaves the storage
// of an extension type as it is.
func (o ExportOptions) policy(t Type) UnionPolicy {
	p := o.Unions
	if p == UnionDefault {
		p = UnionKeep
		if t.Tagged() {
			p = UnionNullVariant
		}
	}
	if p == UnionKeep && !anyNullable(t.Fields()) {
		p = UnionNullVariant
	}
	if p == UnionNullVariant && o.Unions == UnionDefault && t.Extension().Name != "" {
		p = UnionValidityStruct
	}
	return p
}

// changesUnion reports whether the policy makes another Arrow union of a nullable union than one of its own variants.
func (o ExportOptions) changesUnion(t Type) bool {
	switch p := o.policy(t); p {
	case UnionNullVariant:
		return true
	case UnionVariant, UnionWidenAll:
		for i, f := range t.Fields() {
			if !f.Nullable && (p == UnionWidenAll || t.Codes()[i] == o.UnionCode) {
				return true
			}
		}
	}
	return false
}

func exportUnion(t Type, nullable bool, opts ExportOptions) arrow.DataType {
	fields := exportFields(t.Fields(), opts)
	codes := append([]arrow.UnionTypeCode(nil), t.Codes()...)
	if nullable {
		switch opts.policy(t) {
		case UnionNullVariant:
			// With all 128 codes taken there is no room; Export then finds a null without a host.
			if code, ok := freeCode(codes); ok {
				fields = append(fields, arrow.Field{Name: nullVariantName, Type: arrow.Null, Nullable: true})
				codes = append(codes, code)
			}
		case UnionVariant, UnionWidenAll:
			for i := range fields {
				fields[i].Nullable = fields[i].Nullable || opts.Unions == UnionWidenAll || codes[i] == opts.UnionCode
			}
		case UnionValidityStruct:
			return newNullableUnionType(withExtension(unionOf(opts, fields, codes), t.Extension()), t.Tagged())
		}
	}
	return unionOf(opts, fields, codes)
}

func unionOf(opts ExportOptions, fields []arrow.Field, codes []arrow.UnionTypeCode) arrow.UnionType {
	if opts.DenseUnions {
		return arrow.DenseUnionOf(fields, codes)
	}
	return arrow.SparseUnionOf(fields, codes)
}

// freeCode gives the smallest type code that no variant has.
func freeCode(codes []int8) (int8, bool) {
	var taken [MaxUnionVariants]bool
	for _, c := range codes {
		taken[c] = true
	}
	for c, t := range taken {
		if !t {
			return int8(c), true
		}
	}
	return 0, false
}

// nullableUnionType is the extension lacuna.nullable_union: a union with outer nulls as the nullable struct {value: union}. Its
// metadata is "tagged" or "lifted".
type nullableUnionType struct {
	arrow.ExtensionBase
	tagged bool
}

// nullableUnionArray is the array of a nullableUnionType.
type nullableUnionArray struct{ array.ExtensionArrayBase }

// ValueStr gives a row as the union below shows it, or that it is null.
func (a *nullableUnionArray) ValueStr(i int) string {
	if a.IsNull(i) {
		return array.NullValueStr
	}
	return a.Storage().(*array.Struct).Field(0).ValueStr(i)
}

// NullableUnionOf gives the extension type lacuna.nullable_union over a union, or over an extension type whose storage is one: a struct of it whose validity
// says which rows are NULL, whatever their variants hold (null-semantics 2.14, ValidityStruct). tagged says that variants may visibly hold nulls. It panics for
// other types.
func NullableUnionOf(union arrow.DataType, tagged bool) arrow.ExtensionType {
	t := newNullableUnionType(union, tagged)
	if _, ok := nullableUnionStorage(t.Storage); !ok {
		panic(fmt.Sprintf("types: a nullable union of %s", union))
	}
	return t
}

func newNullableUnionType(union arrow.DataType, tagged bool) *nullableUnionType {
	storage := arrow.StructOf(arrow.Field{Name: "value", Type: union, Nullable: true})
	return &nullableUnionType{ExtensionBase: arrow.ExtensionBase{Storage: storage}, tagged: tagged}
}

// value gives the type below the outer validity: a union, or an extension type over one.
func (t *nullableUnionType) value() arrow.DataType {
	return t.Storage.(*arrow.StructType).Field(0).Type
}

// nullableUnionStorage gives the union below the storage of a nullableUnionType.
func nullableUnionStorage(storage arrow.DataType) (arrow.UnionType, bool) {
	s, ok := storage.(*arrow.StructType)
	if !ok || s.NumFields() != 1 {
		return nil, false
	}
	value := s.Field(0).Type
	if ext, ok := value.(arrow.ExtensionType); ok {
		value = ext.StorageType()
	}
	union, ok := value.(arrow.UnionType)
	return union, ok
}

// ArrayType gives the Go type of the arrays.
func (*nullableUnionType) ArrayType() reflect.Type { return reflect.TypeOf(nullableUnionArray{}) }

// String gives all rows.
func (a *nullableUnionArray) String() string {
	rows := make([]string, a.Len())
	for i := range rows {
		rows[i] = a.ValueStr(i)
	}
	return fmt.Sprint(rows)
}

// ExtensionName gives the name in the registry and in files.
func (*nullableUnionType) ExtensionName() string { return NullableUnionName }

// String gives the type for messages.
func (t *nullableUnionType) String() string {
	return "extension<" + NullableUnionName + ", " + t.Serialize() + ">"
}

// ExtensionEquals compares storage and metadata.
func (t *nullableUnionType) ExtensionEquals(o arrow.ExtensionType) bool {
	other, ok := o.(*nullableUnionType)
	return ok && t.tagged == other.tagged && arrow.TypeEqual(t.Storage, other.Storage)
}

// Serialize gives the metadata.
func (t *nullableUnionType) Serialize() string {
	if t.tagged {
		return "tagged"
	}
	return "lifted"
}

// Deserialize makes the type from storage and metadata of a file.
func (*nullableUnionType) Deserialize(storage arrow.DataType, data string) (arrow.ExtensionType, error) {
	if _, ok := nullableUnionStorage(storage); !ok {
		return nil, KindErrorf(ErrInvalidLayout, "%s over %s", NullableUnionName, storage)
	}
	return newNullableUnionType(storage.(*arrow.StructType).Field(0).Type, data == "tagged"), nil
}

func init() {
	// An error means that the name is taken, by another copy of this package; that one reads and writes the same.
	_ = arrow.RegisterExtensionType(&nullableUnionType{})
}
