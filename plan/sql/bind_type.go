package sql

import (
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// typeNames are the names of types without parameters, with the aliases that users of DuckDB and PostgreSQL write.
var typeNames = map[string]types.Type{
	"boolean": types.Boolean, "bool": types.Boolean, "logical": types.Boolean,
	"tinyint": types.TinyInt, "int1": types.TinyInt,
	"smallint": types.SmallInt, "int2": types.SmallInt, "int16": types.SmallInt, "short": types.SmallInt,
	"integer": types.Integer, "int": types.Integer, "int4": types.Integer, "int32": types.Integer, "signed": types.Integer,
	"bigint": types.BigInt, "int8": types.BigInt, "int64": types.BigInt, "long": types.BigInt, "oid": types.BigInt,
	"hugeint": types.HugeInt, "int128": types.HugeInt,
	"utinyint": types.UTinyInt, "uint8": types.UTinyInt,
	"usmallint": types.USmallInt, "uint16": types.USmallInt,
	"uinteger": types.UInteger, "uint32": types.UInteger,
	"ubigint": types.UBigInt, "uint64": types.UBigInt,
	"half": types.Half, "float16": types.Half,
	"float": types.Float, "float4": types.Float, "real": types.Float,
	"double": types.Double, "float8": types.Double, "double precision": types.Double,
	"varchar": types.Varchar, "text": types.Varchar, "string": types.Varchar, "char": types.Varchar, "bpchar": types.Varchar,
	"character": types.Varchar, "character varying": types.Varchar, "nvarchar": types.Varchar,
	"blob": types.Blob, "bytea": types.Blob, "binary": types.Blob, "varbinary": types.Blob,
	"date": types.Date, "time": types.Time, "time without time zone": types.Time,
	"timestamp": types.Timestamp, "datetime": types.Timestamp, "timestamp_us": types.Timestamp, "timestamp without time zone": types.Timestamp,
	"timestamp_s": types.TimestampOf(types.Second), "timestamp_ms": types.TimestampOf(types.Millisecond),
	"timestamp_ns": types.TimestampOf(types.Nanosecond),
	"timestamptz":  types.TimestampTZ, "timestamp with time zone": types.TimestampTZ,
	"interval": types.Interval, "uuid": types.UUID, "guid": types.UUID, "json": types.JSON, "bit": types.Bit, "bitstring": types.Bit,
	"timestamp with offset": types.TimestampOffset,
	"null":                  types.Null,
}

// The DECIMAL that is written without digits.
const (
	defaultPrecision = 18
	defaultScale     = 3
)

// typeOf turns a type as written into a type.
func (b *binder) typeOf(n *TypeName) (types.Type, error) {
	if len(n.Qualifier) > 0 {
		return types.Null, b.undefinedType(n)
	}
	switch n.Name {
	case "decimal", "numeric", "dec":
		return b.decimalType(n)
	case "list":
		element, err := b.typeOf(n.Elem)
		return types.ListOf(element), err
	case "array":
		element, err := b.typeOf(n.Elem)
		return types.ArrayOfField(types.Field{Name: "item", Type: element, Nullable: true}, n.Size), err
	case "struct", "row":
		fields, err := b.typeFields(n)
		return types.StructOf(fields...), err
	case "map":
		fields, err := b.typeFields(n)
		if err != nil {
			return types.Null, err
		}
		if len(fields) != 2 {
			return types.Null, b.errorAt(n, types.CodeInvalidParameter, "MAP needs a key and a value type")
		}
		return types.MapOf(fields[0].Type, fields[1].Type), nil
	case "union":
		fields, err := b.typeFields(n)
		if err != nil {
			return types.Null, err
		}
		if len(fields) > types.MaxUnionVariants {
			return types.Null, b.errorAt(n, types.CodeProgramLimit, "a UNION has at most %d variants", types.MaxUnionVariants)
		}
		t := types.UnionOf(fields...)
		return types.UnionOfCodes(fields, t.Codes(), true), nil
	case "enum":
		seen := map[string]bool{}
		for _, label := range n.Labels {
			if seen[label] {
				return types.Null, b.errorAt(n, types.CodeInvalidDefinition, "enum label %q is given twice", label)
			}
			seen[label] = true
		}
		return types.EnumOf(n.Labels), nil
	}
	t, known := typeNames[strings.ToLower(n.Name)]
	if !known {
		return types.Null, b.undefinedType(n)
	}
	if len(n.Modifiers) > 0 {
		switch t.Kind() {
		case types.KindVarchar, types.KindBlob, types.KindBit: // a length is accepted and ignored, as in DuckDB
		case types.KindTimestamp, types.KindTime, types.KindTimestampTZ:
			return b.withPrecision(n, t)
		case types.KindFloat:
			if n.Modifiers[0] > 24 {
				return types.Double, nil
			}
		default:
			return types.Null, b.errorAt(n, types.CodeSyntax, "type %s takes no modifiers", t)
		}
	}
	return t, nil
}

// withPrecision gives TIMESTAMP(n) the unit that holds n digits of a second.
func (b *binder) withPrecision(n *TypeName, t types.Type) (types.Type, error) {
	digits := n.Modifiers[0]
	if digits < 0 || digits > 9 {
		return types.Null, b.errorAt(n, types.CodeInvalidParameter, "%s precision must be between 0 and 9", t.Kind())
	}
	unit := [...]types.TimeUnit{0: types.Second, 1: types.Millisecond, 2: types.Millisecond, 3: types.Millisecond, 4: types.Microsecond,
		5: types.Microsecond, 6: types.Microsecond, 7: types.Nanosecond, 8: types.Nanosecond, 9: types.Nanosecond}[digits]
	switch t.Kind() {
	case types.KindTime:
		return types.TimeOf(unit), nil
	case types.KindTimestampTZ:
		return types.TimestampTZOf(unit, t.Zone()), nil
	}
	return types.TimestampOf(unit), nil
}

func (b *binder) decimalType(n *TypeName) (types.Type, error) {
	precision, scale := defaultPrecision, defaultScale
	if len(n.Modifiers) > 0 {
		precision, scale = n.Modifiers[0], 0
	}
	if len(n.Modifiers) > 1 {
		scale = n.Modifiers[1]
	}
	switch {
	case len(n.Modifiers) > 2:
		return types.Null, b.errorAt(n, types.CodeSyntax, "DECIMAL takes at most two modifiers")
	case precision < 1 || precision > types.MaxDecimalPrecision:
		return types.Null, b.errorAt(n, types.CodeInvalidParameter, "DECIMAL precision %d must be between 1 and %d", precision, types.MaxDecimalPrecision)
	case scale < 0 || scale > precision:
		return types.Null, b.errorAt(n, types.CodeInvalidParameter, "DECIMAL scale %d must be between 0 and the precision %d", scale, precision)
	}
	return types.Decimal(precision, scale), nil
}

func (b *binder) typeFields(n *TypeName) ([]types.Field, error) {
	fields := make([]types.Field, len(n.Fields))
	for i, f := range n.Fields {
		t, err := b.typeOf(f.Type)
		if err != nil {
			return nil, err
		}
		for _, before := range fields[:i] {
			if f.Name.Name != "" && strings.EqualFold(before.Name, f.Name.Name) {
				return nil, b.errorAt(f.Name, types.CodeDuplicateColumn, "field %q is given twice", f.Name.Name)
			}
		}
		fields[i] = types.Field{Name: f.Name.Name, Type: t, Nullable: true}
	}
	return fields, nil
}

func (b *binder) undefinedType(n *TypeName) error {
	names := []string{"decimal", "struct", "map", "union", "enum"}
	for name := range typeNames {
		names = append(names, name)
	}
	e := b.errorAt(n, types.CodeInvalidConfig, "type %q does not exist", n.Name)
	e.Hint = catalog.DidYouMean(n.Name, names)
	return e
}
