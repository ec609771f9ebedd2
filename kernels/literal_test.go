package kernels

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/types"
)

// This file reads the types and rows of testdata: DECIMAL(9,2) 1.25 | NULL, INTEGER[] [1, NULL] | [], STRUCT(x INTEGER) {x: 1},
// INTEGER NOT NULL[] [1], MAP(VARCHAR, INTEGER) {a: 1}, UNION(i INTEGER, s VARCHAR) i:7 | s:NULL.

type literalReader struct {
	text string
	at   int
}

func (r *literalReader) skip() {
	for r.at < len(r.text) && r.text[r.at] == ' ' {
		r.at++
	}
}

func (r *literalReader) accept(s string) bool {
	r.skip()
	if strings.HasPrefix(r.text[r.at:], s) {
		r.at += len(s)
		return true
	}
	return false
}

func (r *literalReader) expect(s string) {
	if !r.accept(s) {
		panic(fmt.Sprintf("want %q at %q", s, r.text[r.at:]))
	}
}

// until reads up to one of the bytes of stop.
func (r *literalReader) until(stop string) string {
	r.skip()
	start := r.at
	for r.at < len(r.text) && !strings.ContainsRune(stop, rune(r.text[r.at])) {
		r.at++
	}
	return strings.TrimSpace(r.text[start:r.at])
}

var namedTypes = map[string]types.Type{}

func init() {
	for _, t := range []types.Type{types.Boolean, types.TinyInt, types.SmallInt, types.Integer, types.BigInt, types.UTinyInt, types.USmallInt,
		types.UInteger, types.UBigInt, types.HugeInt, types.Half, types.Float, types.Double, types.Varchar, types.Blob, types.Bit, types.Date,
		types.Interval, types.TimestampOffset, types.UUID, types.JSON, types.Time, types.Timestamp,
		types.TimestampOf(types.Second), types.TimestampOf(types.Millisecond), types.TimestampOf(types.Nanosecond)} {
		namedTypes[t.String()] = t
	}
	namedTypes["NULL"] = types.Null
	namedTypes["TIMESTAMPTZ"] = types.TimestampTZ
}

func (r *literalReader) readType() types.Type {
	name := strings.ToUpper(r.until(" ()[],:|"))
	var t types.Type
	switch name {
	case "DECIMAL":
		r.expect("(")
		p, _ := strconv.Atoi(r.until(","))
		r.expect(",")
		s, _ := strconv.Atoi(r.until(")"))
		r.expect(")")
		t = types.Decimal(p, s)
	case "STRUCT", "UNION":
		r.expect("(")
		var fields []types.Field
		for !r.accept(")") {
			name := r.until(" ")
			f := types.Field{Name: name, Type: r.readType(), Nullable: !r.accept("NOT NULL")}
			fields = append(fields, f)
			r.accept(",")
		}
		t = types.StructOf(fields...)
		if name == "UNION" {
			codes := make([]int8, len(fields))
			for i := range codes {
				codes[i] = int8(2*i + 1)
			}
			t = types.UnionOfCodes(fields, codes, true)
		}
	case "MAP":
		r.expect("(")
		key := r.readType()
		r.expect(",")
		t = types.MapOf(key, r.readType())
		r.expect(")")
	case "ENUM":
		r.expect("(")
		t = types.EnumOf(strings.Split(r.until(")"), ","))
		r.expect(")")
	default:
		var ok bool
		if t, ok = namedTypes[name]; !ok {
			panic("unknown type " + name)
		}
	}
	for {
		required := strings.HasPrefix(r.text[r.at:], " NOT NULL[")
		if !required && !strings.HasPrefix(r.text[r.at:], "[") {
			break
		}
		r.at += strings.IndexByte(r.text[r.at:], '[') + 1
		if width, err := strconv.Atoi(r.until("]")); err == nil {
			t = types.ArrayOfField(types.Field{Name: "item", Type: t, Nullable: !required}, width)
		} else {
			t = types.ListOfField(types.Field{Name: "item", Type: t, Nullable: !required})
		}
		r.expect("]")
	}
	return t
}

func parseType(text string) types.Type {
	r := &literalReader{text: text}
	return r.readType()
}

// readValue reads a value up to a byte of stop.
func (r *literalReader) readValue(typ types.Type, stop string) any {
	r.skip()
	if strings.HasPrefix(r.text[r.at:], "NULL") {
		r.at += len("NULL")
		return nil
	}
	switch typ.Kind() {
	case types.KindList, types.KindArray:
		out := []any{}
		for r.expect("["); !r.accept("]"); r.accept(",") {
			out = append(out, r.readValue(typ.Elem().Type, ",]"))
		}
		return out
	case types.KindStruct:
		out := make([]types.FieldValue, len(typ.Fields()))
		r.expect("{")
		for i, f := range typ.Fields() {
			if name := r.until(":"); name != f.Name {
				panic("field " + name)
			}
			r.expect(":")
			out[i] = types.FieldValue{Name: f.Name, Value: r.readValue(f.Type, ",}")}
			r.accept(",")
		}
		r.expect("}")
		return out
	case types.KindMap:
		out := []types.MapEntry{}
		for r.expect("{"); !r.accept("}"); r.accept(",") {
			key := r.readValue(typ.Fields()[0].Type, ":")
			r.expect(":")
			out = append(out, types.MapEntry{Key: key, Value: r.readValue(typ.Fields()[1].Type, ",}")})
		}
		return out
	case types.KindUnion:
		tag := r.until(":")
		r.expect(":")
		return types.UnionValue{Tag: tag, Value: r.readValue(typ.Fields()[variantNumber(typ, tag)].Type, stop)}
	}
	var text string
	if r.accept("'") {
		text = r.until("'")
		start := strings.LastIndexByte(r.text[:r.at], '\'')
		text = r.text[start+1 : r.at]
		r.expect("'")
	} else {
		text = r.until(stop)
	}
	switch typ.Kind() {
	case types.KindVarchar, types.KindJSON, types.KindEnum:
		return text
	case types.KindBlob:
		b, _ := unescapeBlob(nil, []byte(text))
		return b
	}
	v, err := Cast(nil, mustText(text), typ)
	if err != nil {
		panic(err)
	}
	return types.Value(v, 0)
}

func mustText(text string) *types.Vector {
	v, err := types.FromValues(nil, types.Varchar, []any{text})
	if err != nil {
		panic(err)
	}
	return v
}

// parseVector reads a line: type, then rows between bars. TIMESTAMP WITH TIME ZONE rows are read in UTC.
func parseVector(t testing.TB, line string) (types.Type, []any) {
	t.Helper()
	r := &literalReader{text: line}
	typ := r.readType()
	r.skip()
	var rows []any
	for r.at < len(r.text) {
		rows = append(rows, r.readValue(typ, "|"))
		r.skip()
		if r.at < len(r.text) {
			r.expect("|")
		}
	}
	return typ, rows
}
