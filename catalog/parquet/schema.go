package parquet

import (
	"fmt"
	"strings"

	"github.com/lacunadb/lacuna/types"
)

// maxSchemaDepth bounds the nesting of groups, and with it the levels.
const maxSchemaDepth = 64

// shape says how a node's values are put together.
type shape uint8

const (
	leafShape      shape = iota
	structShape          // children are fields
	listShape            // one child, the element
	mapShape             // two children, key and value
	restoredShape        // one child: what the file has of a type that it has no form for, see form.go
	rowNumberShape       // no child and no column of the file: the number of the row
)

// node is a column, struct field, list element or map part. The groups that Parquet needs to spell lists and maps are no nodes.
//
// Levels are those of the format (Dremel's): along the path to a leaf each optional field and each repeated one adds a definition
// level, each repeated one a repetition level.
type node struct {
	field    types.Field
	shape    shape
	children []*node
	leaf     *leaf // of a leafShape
	// present is the definition level from which on the node is not null; that of its parent when it is required.
	present int
	// entry is the definition level from which on a list has an entry, and repetition the repetition level of its further entries.
	entry, repetition int
	noNulls           bool   // a key: declared optional perhaps, but never null
	unsupported       string // why it cannot be read, or empty
}

// leaf is a physical column.
type leaf struct {
	index         int // in the row groups' lists of chunks
	physical      int64
	width         int // bytes of a physical value; 0 when they vary (BYTE_ARRAY) and for BOOLEAN
	typ           types.Type
	maxDefinition int
	maxRepetition int
	byType        bool    // statistics are in the order of the type
	convert       convert // of fixed-width values to the storage of typ
	convertViews  convertViews
}

// fileSchema is the tree of a file.
type fileSchema struct {
	columns []*node
	leaves  []*leaf
}

// schemaBuilder walks the footer's elements, which are the tree in depth-first order.
type schemaBuilder struct {
	elements []schemaElement
	next     int
	leaves   []*leaf
}

// buildSchema makes the tree of a footer's elements.
func buildSchema(elements []schemaElement) (*fileSchema, error) {
	if len(elements) == 0 || elements[0].physical != physicalNone {
		return nil, corrupt("the schema has no root group")
	}
	b := &schemaBuilder{elements: elements, next: 1}
	columns, err := b.fields(elements[0].children, 0, 0, 0)
	if err != nil {
		return nil, err
	}
	if b.next != len(elements) {
		return nil, corrupt("the schema has %d elements, its root uses %d", len(elements), b.next)
	}
	return &fileSchema{columns: columns, leaves: b.leaves}, nil
}

func (b *schemaBuilder) fields(n int64, depth, definition, repetition int) ([]*node, error) {
	if n < 0 || n > int64(len(b.elements)-b.next) {
		return nil, corrupt("a group claims %d children, %d elements are left", n, len(b.elements)-b.next)
	}
	nodes := make([]*node, 0, n)
	for range n {
		f, err := b.node(depth, definition, repetition)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, f)
	}
	return nodes, nil
}

// take gives the next element.
func (b *schemaBuilder) take() (*schemaElement, error) {
	if b.next >= len(b.elements) {
		return nil, corrupt("the schema ends inside a group")
	}
	e := &b.elements[b.next]
	b.next++
	return e, nil
}

// node builds the next element with all below it. The levels are those of its parent.
func (b *schemaBuilder) node(depth, definition, repetition int) (*node, error) {
	e, err := b.take()
	if err != nil {
		return nil, err
	}
	switch e.repetition {
	case repetitionRequired:
		return b.value(e, depth, definition, repetition)
	case repetitionOptional:
		n, err := b.value(e, depth, definition+1, repetition)
		if err == nil {
			n.field.Nullable = true
		}
		return n, err
	case repetitionRepeated:
		// A repeated field outside a LIST or MAP is a list that is never null, of elements that are never null.
		element, err := b.value(e, depth, definition+1, repetition+1)
		if err != nil {
			return nil, err
		}
		return listOf(element.field.Name, element, definition, definition+1, repetition+1), nil
	}
	return nil, corrupt("schema element %q has repetition %d", e.name, e.repetition)
}

func listOf(name string, element *node, present, entry, repetition int) *node {
	return &node{
		field: types.Field{Name: name, Type: types.ListOfField(element.field)}, shape: listShape, children: []*node{element},
		present: present, entry: entry, repetition: repetition,
	}
}

// value builds element e, whose own repetition is in the levels already.
func (b *schemaBuilder) value(e *schemaElement, depth, definition, repetition int) (*node, error) {
	if depth > maxSchemaDepth {
		return nil, unsupported("a schema nested more than %d deep is not supported", maxSchemaDepth)
	}
	name := strings.ToValidUTF8(string(e.name), "\uFFFD")
	if e.physical != physicalNone {
		return b.leaf(e, name, definition, repetition)
	}
	a := annotation(e)
	first := b.next
	if (a.kind == logicalList || a.kind == logicalMap) && e.children == 1 && first < len(b.elements) &&
		b.elements[first].repetition == repetitionRepeated {
		if a.kind == logicalMap && b.elements[first].physical == physicalNone && b.elements[first].children == 2 {
			return b.mapOf(name, depth, definition, repetition)
		}
		element, err := b.element(string(e.name), depth, definition+1, repetition+1)
		if err != nil {
			return nil, err
		}
		return listOf(name, element, definition, definition+1, repetition+1), nil
	}
	children, err := b.fields(e.children, depth+1, definition, repetition)
	if err != nil {
		return nil, err
	}
	fields := make([]types.Field, len(children))
	for i, c := range children {
		fields[i] = c.field
	}
	n := &node{field: types.Field{Name: name, Type: types.StructOf(fields...)}, shape: structShape, children: children, present: definition}
	switch {
	case a.kind == logicalVariant:
		n.unsupported = "its type VARIANT is not supported"
	case len(children) == 0:
		n.unsupported = "a group without fields is not supported"
	}
	return n, nil
}

// element builds what stands below the group of a LIST called parent: a repeated field that either is the element or holds it
// (LogicalTypes.md of the format, "Backward-compatibility rules"). The levels count the repeated field.
func (b *schemaBuilder) element(parent string, depth, definition, repetition int) (*node, error) {
	e, err := b.take()
	if err != nil {
		return nil, err
	}
	name := string(e.name)
	isElement := e.physical != physicalNone || e.children != 1 || name == "array" || name == parent+"_tuple" ||
		b.next < len(b.elements) && b.elements[b.next].repetition == repetitionRepeated
	if isElement {
		return b.value(e, depth+1, definition, repetition)
	}
	return b.node(depth+1, definition, repetition)
}

// mapOf builds the map whose repeated group is the next element.
func (b *schemaBuilder) mapOf(name string, depth, definition, repetition int) (*node, error) {
	if _, err := b.take(); err != nil {
		return nil, err
	}
	parts, err := b.fields(2, depth+1, definition+1, repetition+1)
	if err != nil {
		return nil, err
	}
	key, value := parts[0], parts[1]
	key.field.Nullable, key.noNulls = false, true // also where old writers declare it optional
	return &node{
		field: types.Field{Name: name, Type: types.MapOfFields(key.field, value.field)}, shape: mapShape, children: parts,
		present: definition, entry: definition + 1, repetition: repetition + 1,
	}, nil
}

func (b *schemaBuilder) leaf(e *schemaElement, name string, definition, repetition int) (*node, error) {
	if e.children > 0 || e.physical < 0 || e.physical > lastPhysical {
		return nil, corrupt("schema element %q has physical type %d and %d children", name, e.physical, e.children)
	}
	l := &leaf{
		index: len(b.leaves), physical: e.physical, maxDefinition: definition, maxRepetition: repetition,
	}
	switch e.physical {
	case physicalInt32, physicalFloat:
		l.width = 4
	case physicalInt64, physicalDouble:
		l.width = 8
	case physicalInt96:
		l.width = 12
	case physicalFixed:
		if e.length < 1 || e.length > maxPageBytes {
			return nil, corrupt("schema element %q has a fixed length of %d bytes", name, e.length)
		}
		l.width = int(e.length)
	}
	b.leaves = append(b.leaves, l)
	typ, reason := leafType(e)
	if reason == "" {
		l.typ = typ
		l.convert, l.convertViews = converterOf(l)
	} else {
		typ = types.Blob
	}
	return &node{
		field: types.Field{Name: name, Type: typ}, shape: leafShape, leaf: l, present: definition, unsupported: reason,
	}, nil
}

// annotation gives the logical type of an element, also where only the older converted type says it.
func annotation(e *schemaElement) logicalType {
	if e.logical.kind != logicalNone {
		return e.logical
	}
	switch c := e.converted; c {
	case convertedUTF8:
		return logicalType{kind: logicalString}
	case convertedMap, convertedMapKeyValue:
		return logicalType{kind: logicalMap}
	case convertedList:
		return logicalType{kind: logicalList}
	case convertedEnum:
		return logicalType{kind: logicalEnum}
	case convertedDecimal:
		return logicalType{kind: logicalDecimal, precision: e.precision, scale: e.scale}
	case convertedDate:
		return logicalType{kind: logicalDate}
	case convertedTimeMillis, convertedTimeMicros:
		return logicalType{kind: logicalTime, unit: c - convertedTimeMillis + 1}
	case convertedTSMillis, convertedTSMicros:
		// The format says that these are instants, but their writers had no way to say that they are not: TIMESTAMP, as DuckDB reads them.
		return logicalType{kind: logicalTimestamp, unit: c - convertedTSMillis + 1}
	case convertedUint8, convertedUint8 + 1, convertedUint8 + 2, convertedUint8 + 3:
		return logicalType{kind: logicalInteger, bits: 8 << (c - convertedUint8)}
	case convertedInt8, convertedInt8 + 1, convertedInt8 + 2, convertedInt8 + 3:
		return logicalType{kind: logicalInteger, bits: 8 << (c - convertedInt8), signed: true}
	case convertedJSON:
		return logicalType{kind: logicalJSON}
	case convertedBSON:
		return logicalType{kind: logicalBSON}
	}
	return logicalType{}
}

// leafType gives the SQL type of a leaf, or why it has none. An annotation that does not fit the physical type is ignored, as the
// format asks for those that a reader does not know.
func leafType(e *schemaElement) (types.Type, string) {
	a := annotation(e)
	switch {
	case a.kind == logicalUnknown:
		return types.Null, ""
	case a.kind == logicalDecimal && e.physical != physicalBoolean && e.physical != physicalInt96 && e.physical != physicalFloat &&
		e.physical != physicalDouble:
		return decimalType(e, a)
	}
	switch e.physical {
	case physicalBoolean:
		return types.Boolean, ""
	case physicalInt32:
		switch {
		case a.kind == logicalDate:
			return types.Date, ""
		case a.kind == logicalTime && a.unit == 1:
			return types.TimeOf(types.Millisecond), ""
		case a.kind == logicalInteger:
			return integerType(a, types.Integer), ""
		}
		return types.Integer, ""
	case physicalInt64:
		switch {
		case a.kind == logicalTime && (a.unit == 2 || a.unit == 3):
			return types.TimeOf(types.TimeUnit(a.unit)), ""
		case a.kind == logicalTimestamp && a.unit >= 1 && a.unit <= 3:
			if a.utc {
				return types.TimestampTZOf(types.TimeUnit(a.unit), "UTC"), ""
			}
			return types.TimestampOf(types.TimeUnit(a.unit)), ""
		case a.kind == logicalInteger && a.bits == 64 && !a.signed:
			return types.UBigInt, ""
		}
		return types.BigInt, ""
	case physicalInt96:
		return types.Timestamp, ""
	case physicalFloat:
		return types.Float, ""
	case physicalDouble:
		return types.Double, ""
	case physicalByteArray:
		switch a.kind {
		case logicalString, logicalEnum:
			return types.Varchar, ""
		case logicalJSON:
			return types.JSON, ""
		}
		return types.Blob, ""
	}
	switch {
	case a.kind == logicalUUID && e.length == 16:
		return types.UUID, ""
	case a.kind == logicalFloat16 && e.length == 2:
		return types.Half, ""
	case e.converted == convertedInterval && e.length == 12:
		return types.Interval, ""
	}
	return types.Blob, ""
}

// integerType gives the type of INT(bits, signed) in an INT32.
func integerType(a logicalType, other types.Type) types.Type {
	switch {
	case a.bits == 8 && a.signed:
		return types.TinyInt
	case a.bits == 8:
		return types.UTinyInt
	case a.bits == 16 && a.signed:
		return types.SmallInt
	case a.bits == 16:
		return types.USmallInt
	case a.bits == 32 && !a.signed:
		return types.UInteger
	}
	return other
}

// decimalType gives DECIMAL(precision, scale) if it fits the physical type.
func decimalType(e *schemaElement, a logicalType) (types.Type, string) {
	most := int64(types.MaxDecimalPrecision)
	switch e.physical {
	case physicalInt32:
		most = 9
	case physicalInt64:
		most = 18
	}
	switch {
	case a.precision < 1 || a.precision > most || a.scale < 0 || a.scale > a.precision:
		return types.Type{}, fmt.Sprintf("its type DECIMAL(%d,%d) is not supported in this form", a.precision, a.scale)
	case e.physical == physicalFixed && e.length > 32:
		return types.Type{}, fmt.Sprintf("decimals of %d bytes are not supported", e.length)
	}
	return types.Decimal(int(a.precision), int(a.scale)), ""
}

// firstUnsupported gives the first node at or below n that cannot be read, with its path, or nil.
func (n *node) firstUnsupported(path string) (string, *node) {
	if n.unsupported != "" {
		return path, n
	}
	for _, c := range n.children {
		if p, u := c.firstUnsupported(path + "." + c.field.Name); u != nil {
			return p, u
		}
	}
	return "", nil
}

// eachLeaf calls f with the leaves at and below n in the file's order.
func (n *node) eachLeaf(f func(*leaf)) {
	if n.leaf != nil {
		f(n.leaf)
	}
	for _, c := range n.children {
		c.eachLeaf(f)
	}
}
