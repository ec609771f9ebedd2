package expr

import (
	"fmt"
	"sort"
	"strings"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// Kernel computes a bound function on one batch: args have the function's argument types (any encoding) and equal lengths; the
// result has type out and that length, is allocated from env.Pool or shares the arguments' buffers, and may be in any encoding.
// Only rows of env.Active may raise; the kernel must not keep or change its arguments. A kernel is safe for concurrent use.
type Kernel func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error)

// NullPolicy says how a function treats null arguments.
type NullPolicy uint8

const (
	// NullStrict functions give null exactly where an argument is null, unless NullFromValues.
	NullStrict NullPolicy = iota
	// NullFromValues functions give null where an argument is null and may give null elsewhere (x // 0).
	NullFromValues
	// NullCustom functions decide themselves; the result may be null although no argument is.
	NullCustom
	// NullNever functions never give null (IS NULL).
	NullNever
)

// Function is a function bound to argument types: what a Call node holds. Immutable.
type Function struct {
	Name     string
	Args     []types.Type // of the arguments as the kernel takes them; the binder casts to them
	Result   types.Type
	Nulls    NullPolicy
	CanFail  bool // some arguments raise
	Volatile bool // two calls may differ
	// Encoded says that the kernel is about the encoding of its arguments: it gets them as they are, not entry by entry or run by run.
	Encoded bool
	// Encoding is how a column of results is handed out to Arrow, for functions that are there to give one; see types.Field.
	Encoding types.Encoding
	// Lambda is the expression that a function applies to the elements of lists; its columns are numbered for the kernel, not for the query. Nil
	// for other functions.
	Lambda *Expr
	Kernel Kernel
}

func (f *Function) nullable(args []*Expr) bool {
	switch f.Nulls {
	case NullNever:
		return false
	case NullStrict:
		for _, a := range args {
			if a.Nullable {
				return true
			}
		}
		return false
	}
	return true
}

// Arg describes an argument to the function that is being bound.
type Arg struct {
	Type     types.Type
	Constant *types.Vector // its value when it is a constant, else nil
	Name     string        // of an argument that is given by name, f(name := x); only for families with Named
	// Literal says that the constant was written as a literal: a string literal takes the other side's type, an integer literal
	// the narrowest that its partner allows (sql.md).
	Literal bool
}

// Family is a function name with all its overloads.
type Family struct {
	Name    string
	Aliases []string
	// Bind picks the overload for the arguments. It returns nil, nil when none takes them: the binder makes the error from the
	// name, the types and Signatures. Another error is reported as it is.
	Bind func(args []Arg) (*Function, error)
	// BindAggregate does the same for an aggregate and BindWindow for a function that only windows have; exactly one of the three is set.
	BindAggregate func(args []Arg) (*Aggregate, error)
	BindWindow    func(args []Arg) (*WindowFunction, error)
	Named         bool     // arguments may have names
	Signatures    []string // for messages and lacuna_functions(), such as "abs(x NUMERIC)"
	Description   string
	Example       string // an SQL expression and, after " = ", its result as text; run as a test
}

// Set is a set of function families by name. A DB copies the built-in set and adds its own. Not safe for concurrent change.
type Set struct {
	families map[string]*Family // by lower-case name and alias
}

// NewSet makes an empty set.
func NewSet() *Set { return &Set{families: map[string]*Family{}} }

// Clone gives an independent copy.
func (s *Set) Clone() *Set {
	c := NewSet()
	for name, f := range s.families {
		c.families[name] = f
	}
	return c
}

// Add puts a family into the set under its name and aliases. A name that is taken already is an error.
func (s *Set) Add(f *Family) error {
	for _, name := range append([]string{f.Name}, f.Aliases...) {
		key := strings.ToLower(name)
		if s.families[key] != nil {
			return types.Errorf(types.CodeInvalidDefinition, "function %s exists already", name)
		}
		s.families[key] = f
	}
	return nil
}

// MustAdd is Add for the built-in families, where a name given twice is a bug.
func (s *Set) MustAdd(families ...*Family) {
	for _, f := range families {
		if err := s.Add(f); err != nil {
			panic(fmt.Sprintf("expr: %v", err))
		}
	}
}

// Lookup finds a family by name or alias, in any case; nil when there is none.
func (s *Set) Lookup(name string) *Family { return s.families[strings.ToLower(name)] }

// Names gives all names and aliases, sorted.
func (s *Set) Names() []string {
	names := make([]string, 0, len(s.families))
	for name := range s.families {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Families gives every family once, sorted by name.
func (s *Set) Families() []*Family {
	var all []*Family
	for name, f := range s.families {
		if name == strings.ToLower(f.Name) {
			all = append(all, f)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}
