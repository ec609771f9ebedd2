package conformance

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/lacunadb/lacuna/types"
)

// ParseType reads a type in the notation of the conformance cases, such as struct{x i32!, l list<utf8?>}, as a field without a name.
func ParseType(text string) (arrow.Field, error) {
	p := typeParser{rest: text}
	f, err := p.field()
	if err == nil && p.rest != "" {
		err = fmt.Errorf("%q after the type", p.rest)
	}
	if err != nil {
		return arrow.Field{}, fmt.Errorf("type %q: %w", text, err)
	}
	return f, nil
}

// typeParser reads types from left to right.
type typeParser struct{ rest string }

// leaves are the types without parameters.
var leaves = map[string]arrow.DataType{
	"null": arrow.Null, "bool": arrow.FixedWidthTypes.Boolean,
	"i8": arrow.PrimitiveTypes.Int8, "i16": arrow.PrimitiveTypes.Int16, "i32": arrow.PrimitiveTypes.Int32, "i64": arrow.PrimitiveTypes.Int64,
	"u8": arrow.PrimitiveTypes.Uint8, "u16": arrow.PrimitiveTypes.Uint16, "u32": arrow.PrimitiveTypes.Uint32, "u64": arrow.PrimitiveTypes.Uint64,
	"f16": arrow.FixedWidthTypes.Float16, "f32": arrow.PrimitiveTypes.Float32, "f64": arrow.PrimitiveTypes.Float64,
	"utf8": arrow.BinaryTypes.String, "large_utf8": arrow.BinaryTypes.LargeString, "utf8_view": arrow.BinaryTypes.StringView,
	"binary": arrow.BinaryTypes.Binary, "large_binary": arrow.BinaryTypes.LargeBinary, "binary_view": arrow.BinaryTypes.BinaryView,
	"date32": arrow.FixedWidthTypes.Date32, "date64": arrow.FixedWidthTypes.Date64,
	"interval_months": arrow.FixedWidthTypes.MonthInterval, "interval_day_time": arrow.FixedWidthTypes.DayTimeInterval,
	"interval_month_day_nano": arrow.FixedWidthTypes.MonthDayNanoInterval,
}

var units = map[string]arrow.TimeUnit{"s": arrow.Second, "ms": arrow.Millisecond, "us": arrow.Microsecond, "ns": arrow.Nanosecond}

func (p *typeParser) space() { p.rest = strings.TrimLeft(p.rest, " ") }

func (p *typeParser) take(token string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.rest, token)
	p.rest = rest
	return ok
}

func (p *typeParser) want(token string) error {
	if !p.take(token) {
		return fmt.Errorf("%q expected before %q", token, p.rest)
	}
	return nil
}

func (p *typeParser) word() string {
	p.space()
	end := strings.IndexFunc(p.rest, func(r rune) bool {
		return r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word
}

// field reads a type and its nullability: ? or nothing for nullable, ! for required.
func (p *typeParser) field() (arrow.Field, error) {
	dt, err := p.dataType()
	if err != nil {
		return arrow.Field{}, err
	}
	if p.take("!") {
		return fieldOf(dt, false), nil
	}
	p.take("?")
	return fieldOf(dt, true), nil
}

func fieldOf(dt arrow.DataType, nullable bool) arrow.Field {
	return arrow.Field{Type: dt, Nullable: nullable}
}

// parameters reads (a,b), if it is there.
func (p *typeParser) parameters() ([]string, error) {
	if !p.take("(") {
		return nil, nil
	}
	inside, rest, ok := strings.Cut(p.rest, ")")
	if !ok {
		return nil, fmt.Errorf(") missing")
	}
	p.rest = rest
	return strings.Split(inside, ","), nil
}

// arguments reads <a,b>.
func (p *typeParser) arguments(n int) ([]arrow.Field, error) {
	fields := make([]arrow.Field, n)
	for i := range fields {
		token := ","
		if i == 0 {
			token = "<"
		}
		if err := p.want(token); err != nil {
			return nil, err
		}
		var err error
		if fields[i], err = p.field(); err != nil {
			return nil, err
		}
	}
	return fields, p.want(">")
}

// members reads {a T, b T}, with a code and a colon before each name in unions.
func (p *typeParser) members(codes bool) ([]arrow.Field, []arrow.UnionTypeCode, error) {
	var fields []arrow.Field
	var typeCodes []arrow.UnionTypeCode
	if err := p.want("{"); err != nil {
		return nil, nil, err
	}
	for !p.take("}") {
		if len(fields) > 0 {
			if err := p.want(","); err != nil {
				return nil, nil, err
			}
		}
		name := p.word()
		if codes {
			code, err := strconv.Atoi(name)
			if err != nil {
				return nil, nil, err
			}
			if err := p.want(":"); err != nil {
				return nil, nil, err
			}
			typeCodes = append(typeCodes, arrow.UnionTypeCode(code))
			name = p.word()
		}
		f, err := p.field()
		if err != nil {
			return nil, nil, err
		}
		f.Name = name
		fields = append(fields, f)
	}
	return fields, typeCodes, nil
}

func (p *typeParser) dataType() (arrow.DataType, error) {
	name := p.word()
	if dt, ok := leaves[name]; ok {
		return dt, nil
	}
	switch name {
	case "struct":
		fields, _, err := p.members(false)
		return arrow.StructOf(fields...), err
	case "su", "du", "u", "tu":
		fields, codes, err := p.members(true)
		switch {
		case err != nil:
			return nil, err
		case name == "su":
			return arrow.SparseUnionOf(fields, codes), nil
		case name == "du":
			return arrow.DenseUnionOf(fields, codes), nil
		}
		return types.NullableUnionOf(arrow.SparseUnionOf(fields, codes), name == "tu"), nil
	}
	parameters, err := p.parameters()
	if err != nil {
		return nil, err
	}
	switch name {
	case "list", "large_list", "list_view", "large_list_view", "fixed_size_list", "extension", "nullable_union":
		fields, err := p.arguments(1)
		if err != nil {
			return nil, err
		}
		return oneArgument(name, parameters, fields[0])
	case "dictionary", "ree", "map":
		fields, err := p.arguments(2)
		if err != nil {
			return nil, err
		}
		switch name {
		case "dictionary":
			return &arrow.DictionaryType{IndexType: fields[0].Type, ValueType: fields[1].Type}, nil
		case "ree":
			dt := arrow.RunEndEncodedOf(fields[0].Type, fields[1].Type)
			dt.ValueNullable = fields[1].Nullable
			return dt, nil
		}
		key, item := fields[0], fields[1]
		dt := arrow.MapOf(key.Type, item.Type)
		dt.SetItemNullable(item.Nullable)
		return dt, nil
	}
	return parameterised(name, parameters)
}

func oneArgument(name string, parameters []string, element arrow.Field) (arrow.DataType, error) {
	element.Name = "item"
	switch name {
	case "list":
		return arrow.ListOfField(element), nil
	case "large_list":
		return arrow.LargeListOfField(element), nil
	case "list_view":
		return arrow.ListViewOfField(element), nil
	case "nullable_union":
		return types.NullableUnionOf(element.Type, false), nil
	case "large_list_view":
		return arrow.LargeListViewOfField(element), nil
	}
	if len(parameters) != 1 {
		return nil, fmt.Errorf("%s takes one parameter", name)
	}
	if name == "extension" {
		return newExtension(parameters[0], element.Type), nil
	}
	n, err := strconv.Atoi(parameters[0])
	return arrow.FixedSizeListOfField(int32(n), element), err
}

func parameterised(name string, parameters []string) (arrow.DataType, error) {
	numbers := make([]int32, len(parameters))
	for i, text := range parameters {
		n, _ := strconv.Atoi(strings.TrimSpace(text))
		numbers[i] = int32(n)
	}
	switch {
	case name == "fixed_size_binary" && len(parameters) == 1:
		return &arrow.FixedSizeBinaryType{ByteWidth: int(numbers[0])}, nil
	case name == "decimal32" && len(parameters) == 2:
		return &arrow.Decimal32Type{Precision: numbers[0], Scale: numbers[1]}, nil
	case name == "decimal64" && len(parameters) == 2:
		return &arrow.Decimal64Type{Precision: numbers[0], Scale: numbers[1]}, nil
	case name == "decimal128" && len(parameters) == 2:
		return &arrow.Decimal128Type{Precision: numbers[0], Scale: numbers[1]}, nil
	case name == "decimal256" && len(parameters) == 2:
		return &arrow.Decimal256Type{Precision: numbers[0], Scale: numbers[1]}, nil
	}
	if len(parameters) == 0 {
		return nil, fmt.Errorf("unknown type %q", name)
	}
	unit, ok := units[parameters[0]]
	switch {
	case !ok:
	case name == "time32":
		return &arrow.Time32Type{Unit: unit}, nil
	case name == "time64":
		return &arrow.Time64Type{Unit: unit}, nil
	case name == "duration":
		return &arrow.DurationType{Unit: unit}, nil
	case name == "timestamp" && len(parameters) == 2:
		return &arrow.TimestampType{Unit: unit, TimeZone: parameters[1]}, nil
	case name == "timestamp":
		return &arrow.TimestampType{Unit: unit}, nil
	}
	return nil, fmt.Errorf("unknown type %s(%s)", name, strings.Join(parameters, ","))
}
