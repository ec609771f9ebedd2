package arrays

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// trial is one run of a verb on random columns of a type against the slow reference.
type trial struct {
	t     testing.TB
	rng   *rand.Rand
	n     int
	v, w  Column // of one type and length
	o     Options
	typ   types.Type
	a, b  []any // the rows of v and w
	level types.ValidateLevel
}

// newTrial makes columns of n rows; false for a type that cannot be had: with required fields that hold nulls.
func newTrial(t testing.TB, rng *rand.Rand, dt arrow.DataType, n int) (*trial, bool) {
	c := &trial{t: t, rng: rng, n: n, level: types.ValidateStrict, o: Options{WidenKeys: true}}
	for _, column := range []*Column{&c.v, &c.w} {
		required := rng.IntN(4) == 0 && dt.ID() != arrow.NULL && !holdsUnion(dt)
		*column = Of(arrowtest.RandomArray(rng, memory.DefaultAllocator, dt, n, arrowtest.Options{NoNulls: required}))
		column.Field.Name = "c"
		if types.Validate(column.Field, column.Array.Data(), types.ValidateNulls) != nil {
			return nil, false
		}
		nulls, err := column.NullCount()
		if err != nil {
			return nil, false
		}
		if required && nulls == 0 {
			*column = column.Required()
		}
		if types.Validate(column.Field, column.Array.Data(), types.ValidateStrict) != nil {
			c.level = types.ValidateNulls
		}
	}
	if n > 0 && rng.IntN(6) == 0 {
		c.w = repeat(slice(c.w, 0, 1), n)
	}
	c.typ, c.a = values(t, c.v)
	_, c.b = values(t, c.w)
	return c, true
}

// is compares a result with the rows that it must have, and looks at its field and layout.
func (c *trial) is(name string, got Column, err error, want []any, nullable bool) error {
	if err != nil {
		return err
	}
	defer got.Release()
	if !arrow.TypeEqual(got.Field.Type, got.Array.DataType()) {
		c.t.Errorf("%s of %s: the field is of type %s, the array of type %s", name, c.v.Field.Type, got.Field.Type, got.Array.DataType())
	}
	if err := types.Validate(got.Field, got.Array.Data(), c.level); err != nil {
		c.t.Errorf("%s of %s: %v", name, c.v.Field.Type, err)
		return nil
	}
	if declaredNullable(got.Field) != nullable && !holdsUnion(got.Field.Type) && got.Field.Type.ID() != arrow.NULL {
		c.t.Errorf("%s of %s: nullable is %t", name, c.v.Field, !nullable)
	}
	_, rows := values(c.t, got)
	if !slices.Equal(text(rows), text(want)) {
		c.t.Errorf("%s of %s:\ngot  %v\nwant %v\nof   %v", name, c.v.Field, text(rows), text(want), text(c.a))
	}
	return nil
}

// isKept is is for a verb that looks at Options.KeepType: a null in a required column is an error then.
func (c *trial) isKept(name string, got Column, err error, want []any, nullable bool) error {
	if !c.o.KeepType || declaredNullable(c.v.Field) || holdsUnion(c.v.Field.Type) {
		return c.is(name, got, err, want, nullable)
	}
	row := slices.Index(want, nil)
	if row < 0 {
		return c.is(name, got, err, want, false)
	}
	var e *types.Error
	if !errors.As(err, &e) || e.Kind != types.ErrNullInRequired || e.Row != int64(row) {
		c.t.Errorf("%s of %s: %v, want an error at row %d", name, c.v.Field, err, row)
	}
	return nil
}

// flags gives random conditions in some encoding.
func (c *trial) flags() (Column, []any) {
	types := []arrow.DataType{boolean8, boolean8, &arrow.DictionaryType{IndexType: i8, ValueType: boolean8}, arrow.RunEndEncodedOf(i32, boolean8)}
	column := Of(arrowtest.RandomArray(c.rng, memory.DefaultAllocator, types[c.rng.IntN(len(types))], c.n, arrowtest.Options{}))
	if c.n > 0 && c.rng.IntN(6) == 0 {
		column = repeat(slice(column, 0, 1), c.n)
	}
	_, rows := values(c.t, column)
	return column, rows
}

// indices gives rows of v in some integer type and encoding, -1 for nulls.
func (c *trial) indices() (Column, []int) {
	n, rows := c.rng.IntN(2*c.n+2), []int(nil)
	b := array.NewInt64Builder(memory.DefaultAllocator)
	for range n {
		if c.n == 0 || c.rng.IntN(5) == 0 {
			b.AppendNull()
			rows = append(rows, -1)
			continue
		}
		if len(rows) == 0 || rows[len(rows)-1] < 0 || c.rng.IntN(2) == 0 {
			rows = append(rows, c.rng.IntN(c.n))
		} else {
			rows = append(rows, rows[len(rows)-1])
		}
		b.Append(int64(rows[len(rows)-1]))
	}
	column := Of(b.NewArray())
	integers := []arrow.DataType{i8, i16, i32, i64, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64}
	to := arrow.Field{Type: integers[c.rng.IntN(len(integers))], Nullable: true}
	switch c.rng.IntN(4) {
	case 0:
		to.Type = &arrow.DictionaryType{IndexType: i32, ValueType: to.Type}
	case 1:
		to.Type = arrow.RunEndEncodedOf(i32, to.Type)
	}
	if c.n > 127 {
		to.Type = i64
	}
	cast, err := Cast(column, to, Options{})
	if err != nil {
		c.t.Fatal(err)
	}
	return cast, rows
}

// decided gives a Go bool as a row, nil for what is open.
func decided(outcome int, holds bool) any {
	if outcome == open {
		return nil
	}
	return holds
}

// testedVerb is a verb with its check; run gives the error of a verb that refuses the type.
type testedVerb struct {
	name string
	run  func(c *trial) error
}

// testedVerbs are the verbs of the package that take columns of any type.
var testedVerbs = []testedVerb{
	{"Mask", func(c *trial) error {
		condition, flags := c.flags()
		c.o.Conditions = NullCondition(c.rng.IntN(2))
		want := slices.Clone(c.a)
		for i, x := range flags {
			if x == true || x == nil && c.o.Conditions == ConditionNull {
				want[i] = nil
			}
		}
		got, err := Mask(c.v, condition, c.o)
		keepsAll := condition.Repeat > 0 && flags[0] == false
		return c.isKept("mask", got, err, want, declaredNullable(c.v.Field) || !keepsAll)
	}},
	{"WithValidity", func(c *trial) error {
		keep, flags := c.flags()
		want := slices.Clone(c.a)
		for i, x := range flags {
			if x != true {
				want[i] = nil
			}
		}
		got, err := WithValidity(c.v, keep, c.o)
		keepsAll := keep.Repeat > 0 && flags[0] == true
		return c.isKept("with validity", got, err, want, declaredNullable(c.v.Field) || !keepsAll)
	}},
	{"Take", func(c *trial) error {
		indices, rows := c.indices()
		c.o.CompactEntries = c.rng.IntN(2) == 0
		got, err := Take(c.v, indices, c.o)
		return c.isKept("take", got, err, pick(c.a, rows), true)
	}},
	{"Filter", func(c *trial) error {
		selection, flags := c.flags()
		emit := NullSelection(c.rng.IntN(2))
		var want []any
		for i, x := range flags {
			if x == true {
				want = append(want, c.a[i])
			} else if x == nil && emit == SelectionEmit {
				want = append(want, nil)
			}
		}
		c.o.CompactEntries = c.rng.IntN(2) == 0
		got, err := Filter(c.v, selection, emit, c.o)
		return c.isKept("filter", got, err, want, declaredNullable(c.v.Field) || emit == SelectionEmit)
	}},
	{"IsNull", func(c *trial) error {
		null, valid := make([]any, c.n), make([]any, c.n)
		for i, x := range c.a {
			null[i], valid[i] = x == nil, x != nil
		}
		got, err := IsNull(c.v, c.o)
		if err := c.is("is null", got, err, null, false); err != nil {
			return err
		}
		got, err = IsNotNull(c.v, c.o)
		return c.is("is not null", got, err, valid, false)
	}},
	{"IsDistinct", func(c *trial) error {
		distinct, same := make([]any, c.n), make([]any, c.n)
		for i := range c.a {
			differ := order(c.typ, c.a[i], c.b[i]) != 0
			distinct[i], same[i] = differ, !differ
		}
		got, err := IsDistinct(c.v, c.w, c.o)
		if err := c.is("is distinct", got, err, distinct, false); err != nil {
			return err
		}
		got, err = IsNotDistinct(c.v, c.w, c.o)
		return c.is("is not distinct", got, err, same, false)
	}},
	{"Compare", func(c *trial) error {
		nullable := declaredNullable(c.v.Field) || declaredNullable(c.w.Field) || nullableBelow(c.typ)
		for op := kernels.Equal; op <= kernels.GreaterEqual; op++ {
			want := make([]any, c.n)
			for i := range c.a {
				equal, less := equality(c.typ, c.a[i], c.b[i]), ordering(c.typ, c.a[i], c.b[i])
				want[i] = [...]any{
					kernels.Equal: decided(equal, equal == 0), kernels.NotEqual: decided(equal, equal != 0), kernels.Less: decided(less, less < 0), kernels.LessEqual: decided(less, less <= 0),
					kernels.Greater: decided(less, less > 0 && less != incomparable), kernels.GreaterEqual: decided(less, less >= 0 && less != incomparable),
				}[op]
			}
			got, err := Compare(op, c.v, c.w, c.o)
			if err := c.is(op.String(), got, err, want, nullable); err != nil {
				return err
			}
		}
		return nil
	}},
	{"Coalesce", func(c *trial) error {
		want := slices.Clone(c.a)
		for i, x := range want {
			if x == nil {
				want[i] = c.b[i]
			}
		}
		got, err := Coalesce(c.o, c.v, c.w)
		return c.is("coalesce", got, err, want, declaredNullable(c.v.Field) && declaredNullable(c.w.Field))
	}},
	{"FillForward", func(c *trial) error { return c.fill("fill forward", FillForward, 1) }},
	{"FillBackward", func(c *trial) error { return c.fill("fill backward", FillBackward, -1) }},
	{"IfElse", func(c *trial) error {
		condition, flags := c.flags()
		want := make([]any, c.n)
		for i, x := range flags {
			switch x {
			case true:
				want[i] = c.a[i]
			case false:
				want[i] = c.b[i]
			}
		}
		got, err := IfElse(condition, c.v, c.w, c.o)
		return c.is("if else", got, err, want, true)
	}},
	{"CaseWhen", func(c *trial) error {
		first, flags := c.flags()
		second, others := c.flags()
		want := make([]any, c.n)
		for i := range want {
			if flags[i] == true {
				want[i] = c.a[i]
			} else if others[i] == true {
				want[i] = c.b[i]
			}
		}
		got, err := CaseWhen([]Case{{first, c.v}, {second, c.w}}, nil, c.o)
		return c.is("case when", got, err, want, true)
	}},
	{"NullIf", func(c *trial) error {
		want := slices.Clone(c.a)
		for i := range want {
			if equality(c.typ, c.a[i], c.b[i]) == 0 {
				want[i] = nil
			}
		}
		got, err := NullIf(c.v, c.w, c.o)
		return c.isKept("null if", got, err, want, true)
	}},
	{"Concat", func(c *trial) error {
		got, err := Concat(c.o, c.v, c.w, c.v)
		return c.is("concat", got, err, slices.Concat(c.a, c.b, c.a), declaredNullable(c.v.Field) || declaredNullable(c.w.Field))
	}},
	{"Hash", func(c *trial) error {
		both, err := Concat(c.o, c.v, c.w)
		if err != nil {
			return err
		}
		defer both.Release()
		got, err := Hash(both, c.o)
		if err != nil {
			return err
		}
		defer got.Release()
		hashes, rows := got.Array.(*array.Uint64).Uint64Values(), slices.Concat(c.a, c.b)
		for i := range rows {
			for j := range i {
				if order(c.typ, rows[i], rows[j]) == 0 && hashes[i] != hashes[j] {
					c.t.Errorf("hash of %s: %v and %v hash differently", c.v.Field.Type, rows[i], rows[j])
				}
			}
		}
		return nil
	}},
	{"Unique", func(c *trial) error {
		var want []any
		for _, x := range c.a {
			if !slices.ContainsFunc(want, func(y any) bool { return order(c.typ, x, y) == 0 }) {
				want = append(want, x)
			}
		}
		got, err := Unique(c.v, c.o)
		return c.is("unique", got, err, want, declaredNullable(c.v.Field))
	}},
	{"SortIndices", func(c *trial) error {
		if c.o.Floats == kernels.FloatsIEEE {
			referenceFloats = kernels.FloatsSQL // there is no order of NaN
		}
		key := SortKey{Column: c.v, Descending: c.rng.IntN(2) == 0, NullsFirst: c.rng.IntN(2) == 0}
		rows := make([]int, c.n)
		for i := range rows {
			rows[i] = i
		}
		sort.SliceStable(rows, func(i, j int) bool {
			a, b := c.a[rows[i]], c.a[rows[j]]
			if a == nil || b == nil {
				return (a == nil) != (b == nil) && (a == nil) == key.NullsFirst
			}
			if key.Descending {
				a, b = b, a
			}
			return order(c.typ, a, b) < 0
		})
		want := make([]any, c.n)
		for i, k := range rows {
			want[i] = uint32(k)
		}
		got, err := SortIndices(c.o, key)
		return c.is("sort indices", got, err, want, false)
	}},
	{"DictionaryEncode", func(c *trial) error {
		got, err := DictionaryEncode(c.v, i16, c.o)
		return c.is("dictionary encode", got, err, c.a, declaredNullable(c.v.Field))
	}},
	{"RunEndEncode", func(c *trial) error {
		got, err := RunEndEncode(c.v, i16, c.o)
		return c.is("run end encode", got, err, c.a, declaredNullable(c.v.Field))
	}},
	{"Decode", func(c *trial) error {
		got, err := Decode(c.v, c.o)
		return c.is("decode", got, err, c.a, declaredNullable(c.v.Field))
	}},
	{"Cast", func(c *trial) error {
		got, err := Cast(c.v, c.v.Field, c.o)
		if err := c.is("cast to itself", got, err, c.a, declaredNullable(c.v.Field)); err != nil {
			return err
		}
		return c.castRows(arrow.Field{Name: "c", Type: utf8, Nullable: true})
	}},
}

// fill checks a fill that looks step rows back.
func (c *trial) fill(name string, verb func(Column, int, Options) (Column, error), step int) error {
	limit := c.rng.IntN(4)
	want := slices.Clone(c.a)
	for i := range want {
		for k := i; k >= 0 && k < c.n && (limit == 0 || k-i <= limit && i-k <= limit); k -= step {
			if c.a[k] != nil {
				want[i] = c.a[k]
				break
			}
		}
	}
	got, err := verb(c.v, limit, c.o)
	return c.is(name, got, err, want, declaredNullable(c.v.Field))
}

// castRows checks that a cast of all rows is the cast of each row of the decoded column alone.
func (c *trial) castRows(to arrow.Field) error {
	c.o.Mode = CastTryBubble
	plain, err := Decode(c.v, Options{Unions: UnionPromote})
	if err != nil {
		return err
	}
	defer plain.Release()
	want := make([]any, c.n)
	for i := range want {
		one := slice(plain, int64(i), int64(i+1))
		got, err := Cast(one, to, c.o)
		one.Release()
		if err != nil {
			return err
		}
		_, rows := values(c.t, got)
		want[i] = rows[0]
		got.Release()
	}
	got, err := Cast(c.v, to, c.o)
	return c.is(fmt.Sprintf("cast to %s", to.Type), got, err, want, to.Nullable)
}

// anyUnionOptions draws a policy for the nulls of unions.
func (c *trial) anyUnionOptions() {
	c.o.Unions = UnionNulls(c.rng.IntN(int(UnionError) + 1))
	if c.o.Unions == UnionOutputType {
		c.o.Unions = UnionPromote
	}
	if u, ok := valueType(c.v.Field.Type).(arrow.UnionType); ok {
		c.o.UnionCode = u.TypeCodes()[c.rng.IntN(u.NumFields())]
	}
}

// mayRefuse reports whether an error is one of a policy that has no place for a null, or of a dictionary below the column, whose keys are never widened.
func mayRefuse(err error) bool {
	return errors.Is(err, types.ErrDictKeyOverflow) || errors.Is(err, types.ErrNoNullHost) || errors.Is(err, types.ErrTypeCodeRange) || errors.Is(err, types.ErrExtensionStorage)
}

// TestVerbs runs every verb on random columns of random nested types against the slow reference.
func TestVerbs(t *testing.T) {
	for _, verb := range testedVerbs {
		t.Run(verb.name, func(t *testing.T) {
			for seed := range uint64(200) {
				checkVerb(t, verb, seed)
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

// checkVerb runs a verb on what a seed makes.
func checkVerb(t testing.TB, verb testedVerb, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	rows := []int{4, 40, 150}[rng.IntN(3)]
	c, ok := newTrial(t, rng, arrowtest.RandomType(rng, rng.IntN(4)), rng.IntN(rows))
	if !ok {
		return
	}
	c.anyUnionOptions()
	c.o.Runs = RunOutput(rng.IntN(3))
	c.o.KeepType = rng.IntN(4) == 0
	c.o.Floats = kernels.FloatMode(rng.IntN(3))
	referenceFloats = c.o.Floats
	defer func() { referenceFloats = kernels.FloatsSQL }()
	if err := verb.run(c); err != nil && !mayRefuse(err) {
		t.Errorf("%s of %s: %v", verb.name, c.v.Field, err)
	}
}

// TestConcurrent runs all verbs on the same columns in several goroutines; the race detector has to be silent.
func TestConcurrent(t *testing.T) {
	for _, name := range []string{"ree<i32,dictionary<i16,utf8>>", "su{0:l list<i32>,1:s struct{x f64}}", "list<dictionary<i16,utf8>>", "utf8_view", "f64"} {
		c, ok := newTrial(t, rand.New(rand.NewPCG(1, 3)), parseType(t, name), 70)
		if !ok {
			t.Fatalf("no columns of %s", name)
		}
		var done sync.WaitGroup
		for g := range 4 {
			done.Go(func() {
				for _, verb := range testedVerbs {
					own := *c
					own.rng = rand.New(rand.NewPCG(uint64(g), 5))
					if err := verb.run(&own); err != nil {
						t.Errorf("%s of %s: %v", verb.name, name, err)
					}
				}
			})
		}
		done.Wait()
	}
}
