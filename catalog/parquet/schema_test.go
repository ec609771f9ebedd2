package parquet

import (
	"testing"

	"github.com/lacunadb/lacuna/types"
)

// group and field spell schema elements.
func group(name string, repetition, children, converted int64) schemaElement {
	return schemaElement{name: []byte(name), physical: physicalNone, repetition: repetition, children: children, converted: converted}
}

func field(name string, repetition, physical, converted int64) schemaElement {
	return schemaElement{name: []byte(name), physical: physical, repetition: repetition, converted: converted, precision: -1}
}

// TestNestedSchemas checks the forms of lists and maps that writers have used (LogicalTypes.md of the format), and their levels.
func TestNestedSchemas(t *testing.T) {
	const required, optional, repeated = repetitionRequired, repetitionOptional, repetitionRepeated
	const none, list, mapping, i32, text = convertedNone, convertedList, convertedMap, physicalInt32, physicalByteArray
	for name, c := range map[string]struct {
		elements []schemaElement
		want     string
		levels   [2]int // greatest definition and repetition level of the first leaf
	}{
		"three levels": {[]schemaElement{group("l", optional, 1, list), group("list", repeated, 1, none), field("element", optional, i32, none)},
			"l INTEGER[]", [2]int{3, 1}},
		"three levels, required": {[]schemaElement{group("l", required, 1, list), group("list", repeated, 1, none), field("element", required, i32, none)},
			"l INTEGER[] NOT NULL", [2]int{1, 1}},
		"two levels": {[]schemaElement{group("l", optional, 1, list), field("element", repeated, i32, none)}, "l INTEGER[]", [2]int{2, 1}},
		"two levels of structs": {[]schemaElement{group("l", optional, 1, list), group("element", repeated, 2, none), field("a", required, i32, none),
			field("b", optional, text, convertedUTF8)}, "l STRUCT(a INTEGER, b VARCHAR)[]", [2]int{2, 1}},
		"a group called array": {[]schemaElement{group("l", optional, 1, list), group("array", repeated, 1, none), field("a", required, i32, none)},
			"l STRUCT(a INTEGER)[]", [2]int{2, 1}},
		"a group called tuple": {[]schemaElement{group("l", optional, 1, list), group("l_tuple", repeated, 1, none), field("a", required, i32, none)},
			"l STRUCT(a INTEGER)[]", [2]int{2, 1}},
		"repeated without a list": {[]schemaElement{field("r", repeated, i32, none)}, "r INTEGER[] NOT NULL", [2]int{1, 1}},
		"list of lists": {[]schemaElement{group("l", optional, 1, list), group("list", repeated, 1, none), group("element", optional, 1, list),
			group("list", repeated, 1, none), field("element", optional, i32, none)}, "l INTEGER[][]", [2]int{5, 2}},
		"map": {[]schemaElement{group("m", optional, 1, mapping), group("key_value", repeated, 2, none), field("key", required, text, convertedUTF8),
			field("value", optional, i32, none)}, "m MAP(VARCHAR, INTEGER)", [2]int{2, 1}},
		"map, old annotation": {[]schemaElement{group("m", optional, 1, convertedMapKeyValue), group("map", repeated, 2, none),
			field("key", optional, text, convertedUTF8), field("value", required, i32, none)}, "m MAP(VARCHAR, INTEGER)", [2]int{3, 1}},
		"map without values": {[]schemaElement{group("m", optional, 1, mapping), group("key_value", repeated, 1, none), field("key", required, text, convertedUTF8)},
			"m VARCHAR[]", [2]int{2, 1}},
		"struct": {[]schemaElement{group("s", optional, 1, none), group("t", optional, 1, none), field("a", optional, i32, none)},
			"s STRUCT(t STRUCT(a INTEGER))", [2]int{3, 0}},
	} {
		tree, err := buildSchema(append([]schemaElement{group("schema", required, 1, none)}, c.elements...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		l := tree.leaves[0]
		if got := tree.columns[0].field.String(); got != c.want || l.maxDefinition != c.levels[0] || l.maxRepetition != c.levels[1] {
			t.Errorf("%s: %s with levels %d, %d instead of %s with %v", name, got, l.maxDefinition, l.maxRepetition, c.want, c.levels)
		}
	}
}

// TestBadSchemas builds trees that contradict themselves.
func TestBadSchemas(t *testing.T) {
	root := group("schema", repetitionRequired, 1, convertedNone)
	id := field("id", repetitionOptional, physicalInt32, convertedNone)
	deep := []schemaElement{root}
	for range 100 {
		deep = append(deep, group("g", repetitionOptional, 1, convertedList), group("array", repetitionRepeated, 1, convertedList))
	}
	for name, c := range map[string]struct {
		elements []schemaElement
		code     types.Code
		message  string
	}{
		"empty":              {nil, types.CodeDataCorrupted, "no root group"},
		"a leaf as root":     {[]schemaElement{id}, types.CodeDataCorrupted, "no root group"},
		"too few elements":   {[]schemaElement{root}, types.CodeDataCorrupted, "a group claims 1 children"},
		"too many elements":  {[]schemaElement{root, id, id}, types.CodeDataCorrupted, "its root uses 2"},
		"negative":           {[]schemaElement{group("schema", 0, -1, convertedNone)}, types.CodeDataCorrupted, "claims -1 children"},
		"unknown repetition": {[]schemaElement{root, field("id", 3, physicalInt32, convertedNone)}, types.CodeDataCorrupted, "has repetition 3"},
		"unknown physical":   {[]schemaElement{root, field("id", 0, 8, convertedNone)}, types.CodeDataCorrupted, "physical type 8"},
		"no fixed length":    {[]schemaElement{root, field("id", 0, physicalFixed, convertedNone)}, types.CodeDataCorrupted, "fixed length of 0"},
		"too deep":           {deep, types.CodeFeatureNotSupported, "nested more than 64 deep"},
	} {
		_, err := buildSchema(c.elements)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		wantError(t, err, c.code, c.message)
	}
}

// TestUnreadableTypes checks columns that open but cannot be read.
func TestUnreadableTypes(t *testing.T) {
	decimal := field("d", repetitionOptional, physicalInt32, convertedDecimal)
	decimal.precision, decimal.scale = 12, 2
	variant := group("v", repetitionOptional, 1, convertedNone)
	variant.logical.kind = logicalVariant
	for name, elements := range map[string][]schemaElement{
		"DECIMAL(12,2) in INT32": {decimal},
		"VARIANT":                {variant, field("metadata", repetitionRequired, physicalByteArray, convertedNone)},
		"below a struct":         {group("s", repetitionOptional, 1, convertedNone), decimal},
		"an empty group":         {group("s", repetitionOptional, 0, convertedNone)},
	} {
		tree, err := buildSchema(append([]schemaElement{group("schema", repetitionRequired, 1, convertedNone)}, elements...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if _, n := tree.columns[0].firstUnsupported("c"); n == nil {
			t.Errorf("%s: can be read", name)
		}
	}
}
