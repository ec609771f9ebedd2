package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lacunadb/lacuna/types"
)

const (
	// DatabaseName is the name of the database before that of a schema: memory.main.t.
	DatabaseName = "memory"
	// DefaultSchema is the schema of names written without one.
	DefaultSchema = "main"
	// TemporarySchema is the schema of what only one session sees. In it a name is found before the default schema.
	TemporarySchema = "temp"
)

// View is a query with a name. It is bound again wherever it is used.
type View struct {
	Query   string   // SQL text of one query
	Columns []string // the names of all its columns
}

// Object is what a name stands for: a table or a view.
type Object struct {
	Schema, Name string // as they were given
	Table        Table  // nil for a view
	View         *View
}

// Kind gives what messages call the object: "table" or "view".
func (o Object) Kind() string {
	if o.View != nil {
		return "view"
	}
	return "table"
}

// names are the schemas of a database, or the one of a session, with the objects in them.
type names struct {
	write   sync.Mutex // serialises writers
	version atomic.Pointer[version]
}

// version is one state of all names, never changed: schemas by lower-case name.
type version map[string]schema

type schema struct {
	name    string
	objects map[string]Object // by lower-case name
}

func newNames(first string) *names {
	n := &names{}
	n.version.Store(&version{first: {name: first}})
	return n
}

// change publishes what f makes of the present version; nothing when it fails. f gets a copy whose schemas are still shared.
func (n *names) change(f func(version) error) error {
	n.write.Lock()
	defer n.write.Unlock()
	next := maps.Clone(*n.version.Load())
	if err := f(next); err != nil {
		return err
	}
	n.version.Store(&next)
	return nil
}

// with puts an object in a schema of a version, without changing the schema that other versions share.
func (v version) with(key string, o Object) {
	s := v[key]
	s.objects = maps.Clone(s.objects)
	if s.objects == nil {
		s.objects = map[string]Object{}
	}
	s.objects[strings.ToLower(o.Name)] = o
	v[key] = s
}

// without takes an object out of a schema of a version.
func (v version) without(key, name string) {
	s := v[key]
	s.objects = maps.Clone(s.objects)
	delete(s.objects, strings.ToLower(name))
	v[key] = s
}

// names gives where a schema lives, and its key there.
func (c *Catalog) names(schema string) (*names, string) {
	key := strings.ToLower(schema)
	if key == TemporarySchema {
		return c.temporary, key
	}
	return c.database, key
}

// schema gives a schema as it is now.
func (c *Catalog) schema(name string) (schema, bool) {
	n, key := c.names(name)
	s, known := (*n.version.Load())[key]
	return s, known
}

// SchemaOf gives the schema that the parts of a dotted name before its last one mean: "" for none, which is the default one for a new object and a
// search for a known one. A first part may be the database.
func (c *Catalog) SchemaOf(qualifier []string) (string, error) {
	switch len(qualifier) {
	case 0:
		return "", nil
	case 1:
		name := qualifier[0]
		if s, known := c.schema(name); known {
			return s.name, nil
		}
		if strings.EqualFold(name, DatabaseName) {
			return DefaultSchema, nil
		}
		return "", c.undefinedSchema(name)
	}
	database, name := qualifier[0], qualifier[1]
	switch {
	case strings.EqualFold(database, TemporarySchema) && strings.EqualFold(name, DefaultSchema):
		return TemporarySchema, nil
	case !strings.EqualFold(database, DatabaseName):
		return "", types.Errorf(types.CodeUndefinedDatabase, "database %q does not exist", database).WithHint("The database is called %q.", DatabaseName)
	}
	if s, known := c.schema(name); known && !strings.EqualFold(name, TemporarySchema) {
		return s.name, nil
	}
	return "", c.undefinedSchema(name)
}

func (c *Catalog) undefinedSchema(name string) error {
	e := types.Errorf(types.CodeUndefinedSchema, "schema %q does not exist", name)
	e.Hint = DidYouMean(name, c.Schemas())
	return e
}

// Lookup finds an object by its name, in any case. Without a schema it is looked for among the temporary objects, then in the default schema. A name
// that is unknown but looks like a file (FROM 'a.parquet') is for OpenFile.
func (c *Catalog) Lookup(schema, name string) (Object, error) {
	search := []string{schema}
	if schema == "" {
		search = []string{TemporarySchema, DefaultSchema}
	}
	for _, in := range search {
		s, known := c.schema(in)
		if !known {
			return Object{}, c.undefinedSchema(in)
		}
		if o, ok := s.objects[strings.ToLower(name)]; ok {
			return o, nil
		}
	}
	return Object{}, c.undefined(schema, name)
}

func (c *Catalog) undefined(schema, name string) error {
	full := name
	if schema != "" && !strings.EqualFold(schema, DefaultSchema) {
		full = schema + "." + name
	}
	e := types.Errorf(types.CodeUndefinedTable, "relation %q does not exist", full)
	var candidates []string
	for _, o := range c.Objects() {
		searched := strings.EqualFold(schema, o.Schema)
		if schema == "" {
			searched = o.Schema == DefaultSchema || o.Schema == TemporarySchema
		}
		if searched {
			candidates = append(candidates, o.Name)
		}
	}
	if e.Hint = DidYouMean(name, candidates); e.Hint == "" {
		e.Hint = c.FileHint(name)
	}
	return e
}

// FileHint gives the hint for a name that is unknown but looks like a file's; else the empty string.
func (c *Catalog) FileHint(name string) string {
	if c.formatOf(name) == nil {
		return ""
	}
	return "To read a file, write its path in single quotes: FROM '" + name + "'."
}

// Conflict says what Create does about an object of the same name.
type Conflict uint8

const (
	// ConflictFails is an error.
	ConflictFails Conflict = iota
	// ConflictKeeps leaves the object as it is, of whatever kind (IF NOT EXISTS).
	ConflictKeeps
	// ConflictReplaces puts the new object in the place of one of the same kind (OR REPLACE).
	ConflictReplaces
)

// Create makes an object known in its schema. It gives the object that was replaced, and whether the new one is known now.
func (c *Catalog) Create(o Object, conflict Conflict) (old Object, created bool, err error) {
	n, key := c.names(o.Schema)
	err = n.change(func(next version) error {
		s, known := next[key]
		if !known {
			return c.undefinedSchema(o.Schema)
		}
		before, taken := s.objects[strings.ToLower(o.Name)]
		switch {
		case taken && conflict == ConflictFails:
			return types.Errorf(types.CodeDuplicateTable, "relation %q already exists", o.Name)
		case taken && conflict == ConflictKeeps:
			return nil
		case taken && before.Kind() != o.Kind():
			return wrongKind(before, o.Kind())
		}
		o.Schema = s.name
		next.with(key, o)
		old, created = before, true
		return nil
	})
	return old, created, err
}

func wrongKind(o Object, wanted string) error {
	return types.Errorf(types.CodeWrongObjectType, "%q is a %s, not a %s", o.Name, o.Kind(), wanted)
}

// Drop forgets an object of a kind ("table", "view") and gives it back. Without a schema a temporary object is found first.
func (c *Catalog) Drop(kind, schema, name string) (Object, error) {
	for {
		found, err := c.Lookup(schema, name)
		switch {
		case err != nil:
			return Object{}, err
		case found.Kind() != kind:
			return Object{}, wrongKind(found, kind)
		}
		n, key := c.names(found.Schema)
		gone := false
		err = n.change(func(next version) error {
			o, known := next[key].objects[strings.ToLower(name)]
			if gone = !known || o.Kind() != kind; !gone {
				found = o
				next.without(key, name)
			}
			return nil
		})
		if !gone {
			return found, err
		}
	}
}

// CreateSchema makes a schema, and reports whether there was none of that name. One that exists is an error, unless it is to be kept.
func (c *Catalog) CreateSchema(name string, conflict Conflict) (created bool, err error) {
	n, key := c.names(name)
	err = n.change(func(next version) error {
		if _, taken := next[key]; taken || key == DatabaseName {
			if conflict == ConflictKeeps {
				return nil
			}
			return types.Errorf(types.CodeDuplicateSchema, "schema %q already exists", name)
		}
		next[key], created = schema{name: name}, true
		return nil
	})
	return created, err
}

// DropSchema forgets a schema and gives back the objects that were in it: an error unless they are to go with it.
func (c *Catalog) DropSchema(name string, cascade bool) (dropped []Object, err error) {
	n, key := c.names(name)
	if key == DefaultSchema || key == TemporarySchema {
		return nil, types.Errorf(types.CodeDependentObjects, "cannot drop schema %q because the database needs it", name)
	}
	err = n.change(func(next version) error {
		s, known := next[key]
		switch {
		case !known:
			return c.undefinedSchema(name)
		case len(s.objects) > 0 && !cascade:
			return types.Errorf(types.CodeDependentObjects, "cannot drop schema %q because it is not empty", name).
				WithHint("Use DROP SCHEMA ... CASCADE to drop what is in it too.")
		}
		dropped = sorted(s)
		delete(next, key)
		return nil
	})
	return dropped, err
}

// DropTemporary forgets the session's temporary objects and gives them back.
func (c *Catalog) DropTemporary() []Object {
	var dropped []Object
	_ = c.temporary.change(func(next version) error {
		dropped = sorted(next[TemporarySchema])
		next[TemporarySchema] = schema{name: TemporarySchema}
		return nil
	})
	return dropped
}

// sorted gives the objects of a schema by name.
func sorted(s schema) []Object {
	return slices.SortedFunc(maps.Values(s.objects), func(a, b Object) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
}

// Schemas gives the names of all schemas, sorted.
func (c *Catalog) Schemas() []string {
	var all []string
	for _, n := range []*names{c.database, c.temporary} {
		for _, s := range *n.version.Load() {
			all = append(all, s.name)
		}
	}
	slices.Sort(all)
	return all
}

// Objects gives every object, sorted by schema and name.
func (c *Catalog) Objects() []Object {
	var all []Object
	for _, name := range c.Schemas() {
		if s, known := c.schema(name); known {
			all = append(all, sorted(s)...)
		}
	}
	return all
}
