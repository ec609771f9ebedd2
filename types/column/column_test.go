package column_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
	"github.com/lacunadb/lacuna/types/column"
)

// roundTrip makes a column of values and reads it again, as it is and optional, whole and sliced, as a batch and as an array.
func roundTrip[T any](t *testing.T, name string, typ column.Type[T], values ...T) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		d := column.Describe("c", typ)
		made, err := d.Make(values)
		if err != nil {
			t.Fatal(err)
		}
		defer made.Release()
		if !arrow.TypeEqual(made.Array().DataType(), d.Field().Type) || made.Field().Nullable || !made.Field().Equal(d.Field()) {
			t.Errorf("array of %s, field %s, want %s", made.Array().DataType(), made.Field(), d.Field())
		}
		if err := types.Validate(made.Field(), made.Array().Data(), types.ValidateStrict); err != nil {
			t.Error(err)
		}
		expect(t, made.Values(), values)
		batch, err := column.Batch(made)
		if err != nil {
			t.Fatal(err)
		}
		defer batch.Release()
		for from := range values {
			slice := batch.NewSlice(int64(from), int64(len(values)))
			read, err := d.From(slice)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, read.Values(), values[from:])
			var all []T
			for row, x := range read.All() {
				if !reflect.DeepEqual(x, read.Value(row)) {
					t.Errorf("row %d: %v, %v", row, x, read.Value(row))
				}
				all = append(all, x)
			}
			expect(t, all, values[from:])
			read.Release()
			slice.Release()
		}
		optional(t, d.Optional(), values)
	})
}

func expect[T any](t *testing.T, got, want []T) {
	t.Helper()
	if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// optional puts nulls between the values.
func optional[T any](t *testing.T, d column.OptionalDescriptor[T], values []T) {
	var rows []column.Optional[T]
	for _, x := range values {
		rows = append(rows, column.Some(x), column.Null[T](), column.Null[T]())
	}
	made, err := d.Make(rows)
	if err != nil {
		t.Fatal(err)
	}
	defer made.Release()
	if err := types.Validate(made.Field(), made.Array().Data(), types.ValidateStrict); err != nil {
		t.Error(err)
	}
	expect(t, made.Values(), rows)
	if made.NullCount() != 2*len(values) || !made.IsNull(1) || made.IsNull(0) {
		t.Errorf("%d nulls of %d rows", made.NullCount(), made.Len())
	}
	var e *types.Error
	if _, err := made.Required(); !errors.Is(err, types.ErrNullInRequired) || !errors.As(err, &e) || e.Row != 1 || e.Count != int64(2*len(values)) || e.Path != "c" {
		t.Errorf("required: %v", err)
	}
	first := array.NewSlice(made.Array(), 0, 1)
	defer first.Release()
	read, err := d.Required().FromArray(d.Field(), first)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Release()
	expect(t, read.Values(), values[:1])
}

type point struct {
	X int64
	Y column.Optional[string]
	Z []float64
}

func TestRoundTrips(t *testing.T) {
	day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	roundTrip(t, "bool", column.Bool, true, false, true)
	roundTrip(t, "int8", column.Int8, -128, 0, 127)
	roundTrip(t, "int64", column.Int64, 1, 2, 1<<62)
	roundTrip(t, "uint64", column.Uint64, 1<<63, 2)
	roundTrip(t, "float32", column.Float32, 1.5, -2)
	roundTrip(t, "float64", column.Float64, 1.5, -2)
	roundTrip(t, "string", column.String, "", "short", "a text that is too long for a view")
	roundTrip(t, "string_view", column.StringView, "", "a text that is too long for a view")
	roundTrip(t, "large_string", column.LargeString, "x", "yy")
	roundTrip(t, "binary", column.Binary, []byte{}, []byte{0, 255}, []byte("thirteen bytes"))
	roundTrip(t, "fixed binary", column.FixedBinary(3), []byte("abc"), []byte("def"))
	roundTrip(t, "date", column.Date, day, day.AddDate(-60, 0, 1))
	roundTrip(t, "timestamp", column.Timestamp(arrow.Nanosecond, ""), day.Add(123456789), day.AddDate(-60, 0, 0))
	roundTrip(t, "timestamptz", column.Timestamp(arrow.Second, "Europe/Paris"), day)
	roundTrip(t, "time32", column.Time(arrow.Millisecond), 3*time.Millisecond)
	roundTrip(t, "time64", column.Time(arrow.Nanosecond), 3, time.Hour)
	roundTrip(t, "interval", column.Interval, types.MonthDayNano{Months: 1, Days: -2, Nanos: 3})
	roundTrip(t, "list", column.List(column.Int32), []int32{1, 2}, []int32{}, []int32{3})
	roundTrip(t, "list of strings", column.List(column.String), []string{"a", ""}, []string{})
	roundTrip(t, "list of optional", column.ListOfOptional(column.Int32), []column.Optional[int32]{column.Some(int32(1)), column.Null[int32]()}, []column.Optional[int32]{})
	roundTrip(t, "list of lists", column.List(column.List(column.Int8)), [][]int8{{1}, {}}, [][]int8{}, [][]int8{{2, 3}})
	points := column.Struct(
		column.Field("x", column.Int64, func(p *point) *int64 { return &p.X }),
		column.OptionalField("y", column.String, func(p *point) *column.Optional[string] { return &p.Y }),
		column.Field("z", column.List(column.Float64), func(p *point) *[]float64 { return &p.Z }),
	)
	p, q := point{1, column.Some("one"), []float64{1, 2}}, point{2, column.Null[string](), []float64{}}
	roundTrip(t, "struct", points, p, q)
	roundTrip(t, "list of structs", column.List(points), []point{p, q, p}, []point{}, []point{q})
	roundTrip(t, "dictionary", column.Dictionary(arrow.PrimitiveTypes.Int8, column.String), "a", "b", "a")
	roundTrip(t, "runs", column.RunEnd(arrow.PrimitiveTypes.Int32, column.String), "a", "a", "b", "b")
	roundTrip(t, "runs of structs", column.RunEnd(arrow.PrimitiveTypes.Int16, points), p, p, q)
	roundTrip(t, "dictionary of lists", column.Dictionary(arrow.PrimitiveTypes.Uint16, column.List(column.Int8)), []int8{1}, []int8{}, []int8{1})
	roundTrip(t, "list of runs", column.List(column.RunEnd(arrow.PrimitiveTypes.Int32, column.Int64)), []int64{1, 1, 2}, []int64{2})
	union := arrow.SparseUnionOf([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String}}, []int8{3, 7})
	roundTrip(t, "any", column.Of[any](arrow.PrimitiveTypes.Int64), any(int64(1)), any(int64(2)))
	d := column.Describe("u", column.Of[types.UnionValue](union))
	made, err := d.Make([]types.UnionValue{{Tag: "s", Value: "x"}, {Tag: "n", Value: int64(4)}})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, made.Values(), []types.UnionValue{{Tag: "s", Value: "x"}, {Tag: "n", Value: int64(4)}})
	made.Release()
}

// TestEncodings reads the same rows in every encoding with one descriptor, and one value per run.
func TestTimestampLimits(t *testing.T) {
	d := column.Describe("c", column.Timestamp(arrow.Nanosecond, ""))
	limits := []time.Time{time.Unix(0, math.MinInt64).UTC(), time.Unix(0, math.MaxInt64).UTC(), time.Unix(0, -1).UTC(), time.Unix(-1, 0).UTC()}
	c, err := d.Make(limits)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	expect(t, c.Values(), limits)
	for _, x := range []time.Time{limits[0].Add(-1), limits[1].Add(1)} {
		if _, err := d.Make([]time.Time{limits[0], x}); !errors.Is(err, types.ErrCastOverflow) {
			t.Errorf("%s: %v", x, err)
		}
	}
}

func TestEncodings(t *testing.T) {
	rows := []column.Optional[string]{column.Some("a"), column.Some("a"), column.Null[string](), column.Null[string](), column.Some("b")}
	d := column.Describe("c", column.String).Optional()
	for _, typ := range []column.Type[string]{
		column.String, column.LargeString, column.StringView, column.Dictionary(arrow.PrimitiveTypes.Int32, column.String),
		column.RunEnd(arrow.PrimitiveTypes.Int64, column.StringView),
		column.RunEnd(arrow.PrimitiveTypes.Int16, column.Dictionary(arrow.PrimitiveTypes.Uint8, column.LargeString)),
	} {
		made, err := column.Describe("c", typ).Optional().Make(rows)
		if err != nil {
			t.Fatal(err)
		}
		read, err := d.FromArray(made.Field(), made.Array())
		if err != nil {
			t.Fatal(err)
		}
		expect(t, read.Values(), rows)
		if typ.Arrow().ID() == arrow.RUN_END_ENCODED {
			var runs []string
			for run, x := range read.Runs() {
				runs = append(runs, fmt.Sprint(run, x))
			}
			if want := []string{"{0 2} {a true}", "{2 4} { false}", "{4 5} {b true}"}; !slices.Equal(runs, want) {
				t.Errorf("runs %q, want %q", runs, want)
			}
		}
		read.Release()
		made.Release()
	}
}

func TestErrors(t *testing.T) {
	d := column.Describe("id", column.Int64)
	build := func(fields ...arrow.Field) arrow.RecordBatch {
		var columns []arrow.Array
		for _, f := range fields {
			b := array.NewBuilder(memory.DefaultAllocator, f.Type)
			b.AppendEmptyValue()
			b.AppendNull()
			b.AppendNull()
			columns = append(columns, b.NewArray())
		}
		return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, 3)
	}
	i64, i32 := arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int32
	for _, c := range []struct {
		name   string
		fields []arrow.Field
		kind   error
		row    int64
	}{
		{"missing", []arrow.Field{{Name: "x", Type: i64, Nullable: true}}, types.ErrNoMember, -1},
		{"twice", []arrow.Field{{Name: "id", Type: i64, Nullable: true}, {Name: "id", Type: i64, Nullable: true}}, types.ErrAmbiguousMember, -1},
		{"wrong type", []arrow.Field{{Name: "id", Type: i32, Nullable: true}}, types.ErrTypeMismatch, -1},
		{"nulls", []arrow.Field{{Name: "id", Type: i64, Nullable: true}}, types.ErrNullInRequired, 1},
		{"nulls that the schema denies", []arrow.Field{{Name: "id", Type: i64}}, types.ErrNullInRequired, 1},
	} {
		_, err := d.From(build(c.fields...))
		var e *types.Error
		if !errors.Is(err, c.kind) || !errors.As(err, &e) || e.Path != "id" || e.Row != c.row {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	list := column.Describe("l", column.List(column.Int64))
	nullable, err := column.Describe("l", column.ListOfOptional(column.Int64)).Make([][]column.Optional[int64]{{}, {column.Some(int64(1)), column.Null[int64]()}})
	if err != nil {
		t.Fatal(err)
	}
	var e *types.Error
	if _, err := list.FromArray(nullable.Field(), nullable.Array()); !errors.As(err, &e) || e.Path != "l[]" || e.Row != 1 {
		t.Errorf("null element: %v", err)
	}
	for name, make := range map[string]func() error{
		"fixed binary of another length": func() error {
			_, err := column.Describe("c", column.FixedBinary(3)).Make([][]byte{[]byte("ab")})
			return err
		},
		"time between units": func() error {
			_, err := column.Describe("c", column.Timestamp(arrow.Second, "")).Make([]time.Time{time.Unix(0, 1)})
			return err
		},
		"date with a time of day": func() error {
			_, err := column.Describe("c", column.Date).Make([]time.Time{time.Unix(1, 0)})
			return err
		},
		"date out of range": func() error {
			_, err := column.Describe("c", column.Date).Make([]time.Time{time.Unix(1<<31*86400, 0)})
			return err
		},
		"time out of range": func() error {
			_, err := column.Describe("c", column.Timestamp(arrow.Nanosecond, "")).Make([]time.Time{time.Unix(1<<34, 0)})
			return err
		},
		"time of day out of range": func() error {
			_, err := column.Describe("c", column.Time(arrow.Second)).Make([]time.Duration{-time.Second})
			return err
		},
		"time of day between": func() error {
			_, err := column.Describe("c", column.Time(arrow.Second)).Make([]time.Duration{time.Second + 1})
			return err
		},
		"bad UTF-8":         func() error { _, err := column.Describe("c", column.String).Make([]string{"\xff"}); return err },
		"too many for keys": func() error { return tooManyKeys() },
		"lengths": func() error {
			a, _ := d.Make([]int64{1})
			b, _ := d.Make([]int64{1, 2})
			_, err := column.Batch(a, b)
			return err
		},
	} {
		if make() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func tooManyKeys() error {
	values := make([]int64, 300)
	for i := range values {
		values[i] = int64(i)
	}
	_, err := column.Describe("c", column.Dictionary(arrow.PrimitiveTypes.Int8, column.Int64)).Make(values)
	return err
}

// TestConversionCopiesNothing compares the buffers of the two forms of a column.
func TestConversionCopiesNothing(t *testing.T) {
	for _, typ := range []column.Type[string]{column.String, column.StringView, column.Dictionary(arrow.PrimitiveTypes.Int8, column.String), column.RunEnd(arrow.PrimitiveTypes.Int32, column.String)} {
		c, err := column.Describe("c", typ).Make([]string{"a", "a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		o := c.Optional()
		r, err := o.Required()
		if err != nil {
			t.Fatal(err)
		}
		if !o.Field().Nullable || r.Field().Nullable || !r.Field().Equal(c.Field()) {
			t.Errorf("fields %s, %s, %s", c.Field(), o.Field(), r.Field())
		}
		if a, b := buffers(c.Array().Data()), buffers(o.Array().Data()); !slices.Equal(a, b) {
			t.Errorf("%s: optional has buffers %v, not %v", typ.Arrow(), b, a)
		}
		if a, b := buffers(c.Array().Data()), buffers(r.Array().Data()); !slices.Equal(a, b) {
			t.Errorf("%s: required has buffers %v, not %v", typ.Arrow(), b, a)
		}
		c.Release()
		expect(t, r.Values(), []string{"a", "a", "b"})
		o.Release()
		r.Release()
	}
}

// buffers gives the addresses of all buffers with something in them.
func buffers(d arrow.ArrayData) []*byte {
	var out []*byte
	for _, b := range d.Buffers() {
		if b != nil && b.Len() > 0 {
			out = append(out, &b.Bytes()[0])
		}
	}
	for _, c := range d.Children() {
		out = append(out, buffers(c)...)
	}
	if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
		out = append(out, buffers(dict)...)
	}
	return out
}

// TestOwnership holds a column while the batch is released, in memory that is overwritten when it is freed.
func TestOwnership(t *testing.T) {
	alloc := arrowtest.NewAllocator(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, dt := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.StringView, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}} {
		for _, noNulls := range []bool{true, false} {
			a := arrowtest.RandomArray(rng, alloc, dt, 100, arrowtest.Options{NoNulls: noNulls})
			want := fmt.Sprint(a)
			c, err := column.Describe("", column.String).Optional().FromArray(arrow.Field{Type: dt, Nullable: true}, a)
			if err != nil {
				t.Fatal(err)
			}
			texts := fmt.Sprint(c.Values())
			a.Release()
			if r, err := c.Required(); err == nil {
				c.Release()
				r.Values()
				c = r.Optional()
				r.Release()
			}
			if got := fmt.Sprint(c.Values()); got != texts {
				t.Errorf("%s: %s after release, before %s of %s", dt, got, texts, want)
			}
			c.Release()
		}
	}
}

func TestConcurrentReads(t *testing.T) {
	c, err := column.Describe("c", column.RunEnd(arrow.PrimitiveTypes.Int32, column.Int64)).Make([]int64{1, 1, 2, 3, 3})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				sum := int64(0)
				for _, x := range c.All() {
					sum += x
				}
				if sum != 10 || c.Value(4) != 3 {
					t.Error("wrong sum", sum)
				}
			}
		})
	}
	wg.Wait()
}

func TestValuePanics(t *testing.T) {
	c, err := column.Describe("c", column.RunEnd(arrow.PrimitiveTypes.Int32, column.Int64)).Make([]int64{1})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []int{-1, 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("row %d gives a value", row)
				}
			}()
			c.Value(row)
		}()
	}
	defer func() {
		if recover() == nil {
			t.Error("a type of another Go type is made")
		}
	}()
	column.Of[string](arrow.PrimitiveTypes.Int64)
}
