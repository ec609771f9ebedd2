package arrowjson

import (
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
)

// shape is what both directions need to know of a field: a tree as deep as the type, encodings and extensions left out of it.
type shape struct {
	name     string
	path     string // as errors give it: s.x, l[], m.value
	nullable bool   // whether a null may be seen here (null-semantics 2.3)
	id       arrow.Type
	dt       arrow.DataType // the type below extensions, dictionaries and runs; of a nullable union the union
	typ      types.Type     // of vectors that hold the rows
	unit     types.TimeUnit // of times, timestamps and durations
	outer    bool           // a union with outer validity, of the extension lacuna.nullable_union
	wrappers []wrapper      // the encodings around dt, the outermost first
	children []*shape       // element; key and value; fields; variants
	codes    []int8         // type codes of the variants
}

// wrapper is an encoding: a dictionary, else run-end encoding.
type wrapper struct {
	dictionary bool
	nullable   bool // of a dictionary: whether keys may be null
}

// newShape looks at a field. Errors are faults of the schema: names that stand twice or are not UTF-8, types without rows.
func newShape(f arrow.Field, path string) (*shape, error) {
	s := &shape{name: f.Name, path: path, nullable: f.Nullable, dt: f.Type}
	keys := false // whether null keys decide, so that what is within a dictionary cannot forbid a null any more
unwrap:
	for {
		switch d := s.dt.(type) {
		case arrow.ExtensionType:
			s.dt = d.StorageType()
			if storage, ok := s.dt.(*arrow.StructType); ok && d.ExtensionName() == types.NullableUnionName && storage.NumFields() == 1 {
				s.dt, s.outer = storage.Field(0).Type, true
				break unwrap
			}
		case *arrow.DictionaryType:
			s.wrappers = append(s.wrappers, wrapper{dictionary: true, nullable: s.nullable && !keys})
			s.dt, keys = d.ValueType, true
		case *arrow.RunEndEncodedType:
			s.wrappers = append(s.wrappers, wrapper{})
			s.dt, s.nullable = d.Encoded(), s.nullable && (d.ValueNullable || keys)
		default:
			break unwrap
		}
	}
	s.id = s.dt.ID()
	if !utf8.ValidString(f.Name) {
		return nil, types.KindErrorf(types.ErrUnsupported, "name %q is not UTF-8", f.Name).WithRow(path, -1)
	}
	return s, s.describe()
}

// describe sets what follows from the type itself.
func (s *shape) describe() error {
	var err error
	switch d := s.dt.(type) {
	case *arrow.StructType:
		err = s.fields(d.Fields())
		s.typ = types.StructOf(s.typeFields()...)
	case arrow.UnionType:
		return s.union(d)
	case *arrow.MapType:
		key := d.KeyField()
		key.Nullable = false // Arrow has no others
		err = s.fields([]arrow.Field{key, d.ItemField()})
		s.typ = types.MapOfFields(s.typeField(0), s.typeField(1))
	case *arrow.FixedSizeListType:
		err = s.element(d.ElemField())
		s.typ = types.ArrayOfField(s.typeField(0), int(d.Len()))
	case arrow.ListLikeType:
		err = s.element(d.ElemField())
		s.typ = types.ListOfField(s.typeField(0))
	case *arrow.DurationType:
		// Not all durations are INTERVALs, nor all numbers of date64 DATEs: they stay the numbers they are.
		s.typ, s.unit = types.BigInt, unitOf(d.Unit)
	case *arrow.Date64Type:
		s.typ = types.BigInt
	default:
		s.typ, err = types.ImportType(s.dt, arrow.Metadata{})
		s.unit = s.typ.Unit()
		if e, ok := err.(*types.Error); ok {
			err = e.WithRow(s.path, -1)
		}
	}
	return err
}

func unitOf(u arrow.TimeUnit) types.TimeUnit {
	return [...]types.TimeUnit{arrow.Second: types.Second, arrow.Millisecond: types.Millisecond, arrow.Microsecond: types.Microsecond, arrow.Nanosecond: types.Nanosecond}[u]
}

func (s *shape) union(d arrow.UnionType) error {
	if d.NumFields() == 0 {
		return types.KindErrorf(types.ErrUnsupported, "a union without variants has no rows").WithRow(s.path, -1)
	}
	if err := s.fields(d.Fields()); err != nil {
		return err
	}
	s.codes = d.TypeCodes()
	hosts := false
	for _, c := range s.children {
		c.nullable = c.nullable || c.id == arrow.NULL
		hosts = hosts || c.nullable
	}
	if !s.outer {
		// The flag of an Arrow union says nothing: its variants do. But the keys of a dictionary around it may be null all the same.
		s.nullable = hosts
		for _, w := range s.wrappers {
			s.nullable = s.nullable || w.nullable
		}
	}
	s.typ = types.UnionOfCodes(s.typeFields(), s.codes, true)
	return nil
}

// fields makes the children of a type whose children have names. Those of a struct must differ: JSON's objects are read by name.
func (s *shape) fields(fields []arrow.Field) error {
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		if seen[f.Name] && s.id == arrow.STRUCT {
			return types.KindErrorf(types.ErrAmbiguousMember, "two fields are named %s", types.QuoteIdent(f.Name)).WithRow(s.path, -1)
		}
		seen[f.Name] = true
		path := f.Name
		if s.path != "" {
			path = s.path + "." + f.Name
		}
		child, err := newShape(f, path)
		s.children = append(s.children, child)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) element(f arrow.Field) error {
	child, err := newShape(f, s.path+"[]")
	s.children = []*shape{child}
	return err
}

func (s *shape) typeField(i int) types.Field {
	c := s.children[i]
	if c == nil {
		return types.Field{}
	}
	return types.Field{Name: c.name, Type: c.typ, Nullable: c.nullable}
}

func (s *shape) typeFields() []types.Field {
	fields := make([]types.Field, len(s.children))
	for i := range fields {
		fields[i] = s.typeField(i)
	}
	return fields
}
