package kernels

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/lacunadb/lacuna/types"
)

// TestData runs testdata/*.test. A case is a verb with its options, an argument vector a line, the wanted type after an arrow where
// the verb takes one, and what comes out: type and rows, or an error with its row. Every case runs in all layouts of its arguments. Run with -rewrite after a change and review the
// diff.
//
//	add
//	INTEGER 1 | NULL | 2147483647
//	INTEGER 1 | 1 | 1
//	-> INTEGER
//	----
//	error row 2: overflow in addition of INTEGER (2147483647 + 1)
//
// Options: try; wrap; floats=IEEE or floats=TotalOrder; active=(0,2); zone=Europe/Berlin.
func TestData(t *testing.T) {
	files, err := filepath.Glob("testdata/*.test")
	if err != nil || len(files) == 0 {
		t.Fatal("no test files")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test"), func(t *testing.T) {
			datadriven.RunTest(t, file, runCase)
		})
	}
}

func runCase(t *testing.T, d *datadriven.TestData) string {
	var columns [][]layout
	rows := -1
	out := types.Null
	for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
		if to, ok := strings.CutPrefix(line, "-> "); ok {
			out = parseType(to)
			continue
		}
		typ, values := parseVector(t, line)
		if rows >= 0 && len(values) != rows && d.Cmd != "concat" && d.Cmd != "take" {
			d.Fatalf(t, "arguments of %d and %d rows", rows, len(values))
		}
		rows = len(values)
		columns = append(columns, layouts(t, typ, values))
	}
	env := caseEnv(t, d, rows)
	var first string
	for i, l := range columns[0] {
		arguments := []*types.Vector{l.vector}
		names := l.name
		for _, other := range columns[1:] {
			o := other[i%len(other)]
			arguments = append(arguments, o.vector)
			names += ", " + o.name
		}
		got := caseResult(t, d, env, out, arguments)
		if i == 0 {
			first = got
		} else if got != first {
			d.Fatalf(t, "%s: got\n%s\nplain: got\n%s", names, got, first)
		}
	}
	return first
}

func caseEnv(t *testing.T, d *datadriven.TestData, rows int) *Env {
	env := &Env{Try: d.HasArg("try"), Wrap: d.HasArg("wrap")}
	if d.HasArg("floats") {
		var mode string
		d.ScanArgs(t, "floats", &mode)
		env.Floats = map[string]FloatMode{"IEEE": FloatsIEEE, "TotalOrder": FloatsTotalOrder}[mode]
	}
	if d.HasArg("active") {
		env.Active = make(types.Bitmap, types.BitmapWords(rows))
		arg, _ := d.Arg("active")
		for _, x := range arg.Vals {
			i, err := strconv.Atoi(x)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			env.Active.Set(i)
		}
	}
	if d.HasArg("zone") {
		var name string
		d.ScanArgs(t, "zone", &name)
		var err error
		if env.Zone, err = time.LoadLocation(name); err != nil {
			t.Skip(err)
		}
	}
	return env
}

func caseResult(t *testing.T, d *datadriven.TestData, env *Env, out types.Type, arguments []*types.Vector) string {
	a := arguments[0]
	var b *types.Vector
	if len(arguments) > 1 {
		b = arguments[1]
	}
	var v *types.Vector
	var err error
	switch d.Cmd {
	case "add":
		v, err = Add(env, out, a, b)
	case "sub":
		v, err = Sub(env, out, a, b)
	case "mul":
		v, err = Mul(env, out, a, b)
	case "div":
		v, err = Div(env, out, a, b)
	case "intdiv":
		v, err = IntDiv(env, out, a, b)
	case "mod":
		v, err = Mod(env, out, a, b)
	case "neg":
		v, err = Neg(env, a)
	case "cast":
		v, err = Cast(env, a, out)
	case "cast_bits":
		if v, err = Cast(env, a, types.Bit); err == nil {
			var back *types.Vector
			if back, err = Cast(env, v, out); err == nil {
				return rowText(v) + "\n" + back.Type().String() + " " + rowText(back)
			}
		}
	case "cast_text_bits":
		if v, err = Cast(env, a, types.Bit); err == nil {
			v, err = Cast(env, v, out)
		}
	case "cast_bubble":
		v, err = CastBubble(env, a, out)
	case "compare":
		return compareTable(t, env, a, b)
	case "and":
		v, err = And(env, a, b)
	case "or":
		v, err = Or(env, a, b)
	case "xor":
		v, err = Xor(env, a, b)
	case "not":
		v, err = Not(env, a)
	case "truth":
		return strings.Join([]string{
			"is true:      " + rowText(IsTrue(env, a)), "is not true:  " + rowText(IsNotTrue(env, a)),
			"is false:     " + rowText(IsFalse(env, a)), "is not false: " + rowText(IsNotFalse(env, a)),
		}, "\n")
	case "coalesce":
		v, err = Coalesce(env, arguments...)
	case "nullif":
		v, err = NullIf(env, a, b)
	case "mask":
		v, err = Mask(env, a, b)
	case "concat":
		v = Concat(env, arguments)
	case "take":
		indices, valid := caseIndices(Decode(env, b))
		if err = CheckIndices(indices, valid, a.Len()); err == nil {
			v = Take(env, a, indices, valid)
		}
	case "filter":
		selection := TrueRows(env, b)
		v = Filter(env, a, selection, selection.Count(b.Len()))
	case "sort":
		key := SortKey{Vector: a, Descending: d.HasArg("desc"), NullsFirst: d.HasArg("nulls_first")}
		v = Take(env, a, SortIndices(env, []SortKey{key}, a.Len()), nil)
	default:
		d.Fatalf(t, "unknown verb")
	}
	var e *types.Error
	switch {
	case errors.As(err, &e) && e.Row >= 0:
		row := e.Row
		path := ""
		if e.Path != "" {
			path = " in " + e.Path
		}
		return fmt.Sprintf("error %s row %d%s: %s", e.Code, row, path, e.Message)
	case errors.As(err, &e) && e.Path != "":
		return fmt.Sprintf("error %s in %s: %s", e.Code, e.Path, e.Message)
	case errors.As(err, &e):
		return fmt.Sprintf("error %s: %s", e.Code, e.Message)
	case err != nil:
		d.Fatalf(t, "%v", err)
	}
	checkBitmaps(t, d.Cmd, v)
	return v.Type().String() + " " + rowText(v)
}

func caseIndices(v *types.Vector) ([]uint32, types.Bitmap) {
	indices := make([]uint32, v.Len())
	for i, x := range types.ValuesOf[int32](v)[:v.Len()] {
		indices[i] = uint32(x)
	}
	return indices, v.Validity()
}

// compareTable gives the six comparisons and IS DISTINCT FROM, a row of results a line.
func compareTable(t *testing.T, env *Env, a, b *types.Vector) string {
	var lines []string
	for _, op := range allOps {
		v, err := Compare(env, op, a, b)
		if err != nil {
			return "error: " + err.Error()
		}
		lines = append(lines, fmt.Sprintf("%-8s %s", op, rowText(v)))
	}
	v, err := IsDistinct(env, a, b)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(append(lines, "distinct "+rowText(v)), "\n")
}

func rowText(v *types.Vector) string {
	rows := make([]string, v.Len())
	for i := range rows {
		if u, ok := types.Value(v, i).(types.UnionValue); ok {
			rows[i] = fmt.Sprintf("%s:%v", u.Tag, u.Value)
			continue
		}
		rows[i] = types.Text(v, i)
		if k := v.Type().Kind(); k == types.KindVarchar && rows[i] != "NULL" {
			rows[i] = "'" + rows[i] + "'"
		}
	}
	return strings.Join(rows, " | ")
}
