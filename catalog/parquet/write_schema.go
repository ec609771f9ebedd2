package parquet

import (
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/types"
)

// writtenNode is a column, or a field below one, as it is written: an element of the schema and those below it.
type writtenNode struct {
	element  schemaElement
	typ      types.Type
	children []*writtenNode
	path     []string
	// The greatest levels at the node itself.
	definition, repetition int
	scale                  int64 // what values are multiplied by; 0: nothing
}

// newWrittenNode makes the nodes of a field below another node. A type that Parquet has no form for is an error that names the column.
func newWrittenNode(name string, f types.Field, repetition int64, parent *writtenNode) (*writtenNode, error) {
	n := &writtenNode{typ: f.Type, definition: parent.definition, repetition: parent.repetition}
	n.path = append(slices.Clone(parent.path), name)
	n.element = schemaElement{physical: physicalNone, repetition: repetition, name: []byte(name), converted: convertedNone}
	switch repetition {
	case repetitionOptional:
		n.definition++
	case repetitionRepeated:
		n.definition++
		n.repetition++
	}
	return n, n.fill()
}

// below adds a node for a field.
func (n *writtenNode) below(name string, f types.Field) error {
	repetition := int64(repetitionRequired)
	if f.Nullable || f.Type.Kind() == types.KindNull {
		repetition = repetitionOptional
	}
	return n.add(name, f, repetition)
}

func (n *writtenNode) add(name string, f types.Field, repetition int64) error {
	c, err := newWrittenNode(name, f, repetition, n)
	if err != nil {
		return err
	}
	n.children = append(n.children, c)
	n.element.children++
	return nil
}

// fill gives the node its physical and logical type, and its children.
func (n *writtenNode) fill() error {
	e := &n.element
	leaf := func(physical int64, logical logicalType) error {
		e.physical, e.logical = physical, logical
		return nil
	}
	fixed := func(length int64, logical logicalType) error {
		e.length = length
		return leaf(physicalFixed, logical)
	}
	integer := func(physical, bits int64, signed bool) error {
		return leaf(physical, logicalType{kind: logicalInteger, bits: bits, signed: signed})
	}
	switch t := n.typ; t.Kind() {
	case types.KindBoolean:
		return leaf(physicalBoolean, logicalType{})
	case types.KindTinyInt:
		return integer(physicalInt32, 8, true)
	case types.KindSmallInt:
		return integer(physicalInt32, 16, true)
	case types.KindInteger:
		return leaf(physicalInt32, logicalType{})
	case types.KindBigInt:
		return leaf(physicalInt64, logicalType{})
	case types.KindUTinyInt:
		return integer(physicalInt32, 8, false)
	case types.KindUSmallInt:
		return integer(physicalInt32, 16, false)
	case types.KindUInteger:
		return integer(physicalInt32, 32, false)
	case types.KindUBigInt:
		return integer(physicalInt64, 64, false)
	case types.KindHugeInt:
		return fixed(16, logicalType{kind: logicalDecimal, precision: 38})
	case types.KindHalf:
		return fixed(2, logicalType{kind: logicalFloat16})
	case types.KindFloat:
		return leaf(physicalFloat, logicalType{})
	case types.KindDouble:
		return leaf(physicalDouble, logicalType{})
	case types.KindDecimal:
		l := logicalType{kind: logicalDecimal, precision: int64(t.Precision()), scale: int64(t.Scale())}
		switch {
		case t.Precision() <= 9:
			return leaf(physicalInt32, l)
		case t.Precision() <= 18:
			return leaf(physicalInt64, l)
		case t.Precision() <= 38:
			return fixed(16, l)
		}
		return fixed(32, l)
	case types.KindVarchar, types.KindEnum: // not as ENUM, which other readers take for bytes
		return leaf(physicalByteArray, logicalType{kind: logicalString})
	case types.KindJSON:
		return leaf(physicalByteArray, logicalType{kind: logicalJSON})
	case types.KindBlob:
		return leaf(physicalByteArray, logicalType{})
	case types.KindDate:
		return leaf(physicalInt32, logicalType{kind: logicalDate})
	case types.KindTime:
		switch t.Unit() {
		case types.Second:
			n.scale = 1000
			return leaf(physicalInt32, logicalType{kind: logicalTime, unit: 1})
		case types.Millisecond:
			return leaf(physicalInt32, logicalType{kind: logicalTime, unit: 1})
		}
		return leaf(physicalInt64, logicalType{kind: logicalTime, unit: int64(t.Unit())})
	case types.KindTimestamp, types.KindTimestampTZ:
		unit := int64(t.Unit())
		if unit == 0 {
			unit, n.scale = 1, 1000
		}
		return leaf(physicalInt64, logicalType{kind: logicalTimestamp, unit: unit, utc: t.Kind() == types.KindTimestampTZ})
	case types.KindInterval:
		e.converted = convertedInterval
		return fixed(12, logicalType{})
	case types.KindUUID:
		return fixed(16, logicalType{kind: logicalUUID})
	case types.KindNull:
		return leaf(physicalInt32, logicalType{kind: logicalUnknown})
	case types.KindStruct:
		if len(t.Fields()) == 0 {
			return n.unsupported("a STRUCT without fields")
		}
		for _, f := range t.Fields() {
			if err := n.below(f.Name, f); err != nil {
				return err
			}
		}
		return nil
	case types.KindList, types.KindArray:
		e.logical = logicalType{kind: logicalList}
		return n.repeated("list", []types.Field{t.Elem()}, []string{"element"})
	case types.KindMap:
		e.logical = logicalType{kind: logicalMap}
		return n.repeated("key_value", t.Fields(), []string{"key", "value"})
	}
	return n.unsupported(n.typ.String())
}

// repeated adds the group in the middle of a list or a map.
func (n *writtenNode) repeated(name string, fields []types.Field, names []string) error {
	group := &writtenNode{definition: n.definition + 1, repetition: n.repetition + 1, path: append(slices.Clone(n.path), name)}
	group.element = schemaElement{physical: physicalNone, repetition: repetitionRepeated, name: []byte(name), converted: convertedNone}
	for i, f := range fields {
		if err := group.below(names[i], f); err != nil {
			return err
		}
	}
	n.children, n.element.children = []*writtenNode{group}, 1
	return nil
}

func (n *writtenNode) unsupported(what string) error {
	return unsupported("Parquet has no type for %s (column %s)", what, strings.Join(n.path, "."))
}

// eachElement calls f with the elements of the schema in their order.
func (n *writtenNode) eachElement(f func(*writtenNode)) {
	f(n)
	for _, c := range n.children {
		c.eachElement(f)
	}
}

// write writes an element of the schema.
func (e *schemaElement) write(w *compactWriter) {
	if e.physical != physicalNone {
		w.int32(1, e.physical)
	}
	if e.length > 0 {
		w.int32(2, e.length)
	}
	w.int32(3, e.repetition)
	w.binary(4, e.name)
	if e.physical == physicalNone {
		w.int32(5, e.children)
	}
	if c := e.convertedType(); c != convertedNone {
		w.int32(6, c)
	}
	if e.logical.kind == logicalDecimal {
		w.int32(7, e.logical.scale)
		w.int32(8, e.logical.precision)
	}
	if l := e.logical; l.kind != logicalNone {
		w.structure(10, func() { l.write(w) })
	}
}

// convertedType gives the older annotation for readers that know no other.
func (e *schemaElement) convertedType() int64 {
	switch l := e.logical; l.kind {
	case logicalNone:
		return e.converted // of INTERVAL, which has no newer one
	case logicalString:
		return convertedUTF8
	case logicalMap:
		return convertedMap
	case logicalList:
		return convertedList
	case logicalEnum:
		return convertedEnum
	case logicalDecimal:
		return convertedDecimal
	case logicalDate:
		return convertedDate
	case logicalJSON:
		return convertedJSON
	case logicalInteger:
		base := int64(convertedUint8)
		if l.signed {
			base = convertedInt8
		}
		for bits := l.bits; bits > 8; bits /= 2 {
			base++
		}
		return base
	}
	return convertedNone
}

func (l logicalType) write(w *compactWriter) {
	w.structure(l.kind, func() {
		switch l.kind {
		case logicalDecimal:
			w.int32(1, l.scale)
			w.int32(2, l.precision)
		case logicalTime, logicalTimestamp:
			w.bool(1, l.utc)
			w.structure(2, func() { w.structure(l.unit, func() {}) })
		case logicalInteger:
			w.int8(1, byte(l.bits))
			w.bool(2, l.signed)
		}
	})
}
