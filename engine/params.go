package engine

import (
	"math"
	"math/big"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/lacunadb/lacuna/plan/sql"
	"github.com/lacunadb/lacuna/types"
)

// NamedArg is the value of a parameter with a name.
type NamedArg struct {
	Name  string
	Value any
}

// Named gives the value of parameter $name. Values, here and by position, are of these Go types, also through types defined over them and
// pointers (nil is NULL):
//
//	nil                     NULL, of the type that its place asks for
//	bool                    BOOLEAN
//	int8 ... int64, int     TINYINT ... BIGINT
//	uint8 ... uint64, uint  UTINYINT ... UBIGINT
//	float32, float64        FLOAT, DOUBLE
//	string, []byte          VARCHAR, BLOB
//	time.Time               TIMESTAMP: date and time of day as the value shows them in its zone, to the microsecond
//	time.Duration           INTERVAL
//	*big.Int                HUGEINT
//	types.DecimalValue      DECIMAL of its digits
//	types.UUIDValue         UUID
//	types.MonthDayNano      INTERVAL
//	*types.Vector           row 0 of a plain or constant vector, for every other type
func Named(name string, value any) NamedArg { return NamedArg{Name: name, Value: value} }

// parameterValues gives the arguments as the binder takes them: constants by name, or by number from "1".
func parameterValues(args []any) (map[string]*types.Vector, error) {
	if len(args) == 0 {
		return nil, nil
	}
	values := make(map[string]*types.Vector, len(args))
	position := 0
	for _, arg := range args {
		var name string
		if named, ok := arg.(NamedArg); ok {
			name, arg = named.Name, named.Value
			if _, err := strconv.Atoi(name); name == "" || err == nil {
				return nil, types.Errorf(types.CodeInvalidParameter, "%q is no name of a parameter", name)
			}
		} else {
			position++
			name = strconv.Itoa(position)
		}
		if values[name] != nil {
			return nil, types.Errorf(types.CodeInvalidParameter, "parameter %s is given twice", name)
		}
		v, err := parameterValue(arg)
		if err != nil {
			return nil, types.Errorf(types.CodeInvalidParameter, "parameter %s: %v", name, err).WithCause(err)
		}
		values[name] = v
	}
	return values, nil
}

// checkSurplus gives an error for a value whose parameter a text does not have. used are the parameters that are known to be there.
func checkSurplus(text string, values map[string]*types.Vector, used map[string]bool) error {
	surplus := ""
	for name := range values {
		if !used[name] && (surplus == "" || name < surplus) {
			surplus = name
		}
	}
	if surplus == "" {
		return nil
	}
	// A part of a statement that is not bound, such as a WITH query that nothing reads, may have it.
	statements, err := sql.ParametersOf(text)
	if err != nil {
		return err
	}
	return surplusError(values, statements)
}

// surplusError names the values whose parameter no statement has; nil for none.
func surplusError[T any](values map[string]T, statements []sql.Parameters) error {
	var extra []string
	for name := range values {
		if !slices.ContainsFunc(statements, func(p sql.Parameters) bool { return p.Has(name) }) {
			extra = append(extra, "$"+name)
		}
	}
	if len(extra) == 0 {
		return nil
	}
	sort.Strings(extra)
	return types.Errorf(types.CodeUndefinedParameter, "values were given for parameters that the statement does not have: %s", strings.Join(extra, ", "))
}

// parameterValue gives a Go value as a constant.
func parameterValue(x any) (*types.Vector, error) {
	switch x := x.(type) {
	case nil:
		return types.NewNull(types.Null, 1), nil
	case *types.Vector:
		if x == nil || x.Encoding() > types.Constant || x.Len() < 1 {
			return nil, types.Errorf(types.CodeInvalidParameter, "a vector must be plain or constant and have a row")
		}
		return types.NewConstant(x, 1), nil
	case []byte:
		if x == nil {
			return types.NewNull(types.Blob, 1), nil
		}
		return types.NewValue(types.Blob, x)
	case time.Time:
		return types.NewValue(types.TimestampOf(types.Microsecond), x)
	case time.Duration:
		return types.NewValue(types.Interval, types.MonthDayNano{Nanos: int64(x)})
	case types.MonthDayNano:
		return types.NewValue(types.Interval, x)
	case types.UUIDValue:
		return types.NewValue(types.UUID, x)
	case types.DecimalValue:
		return decimalValue(x)
	case *big.Int:
		if x == nil {
			return types.NewNull(types.HugeInt, 1), nil
		}
		return types.NewValue(types.HugeInt, x)
	}
	v := reflect.ValueOf(x)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return types.NewNull(types.Null, 1), nil
		}
		return parameterValue(v.Elem().Interface())
	case reflect.Bool:
		return types.NewValue(types.Boolean, v.Bool())
	case reflect.Int8:
		return types.NewValue(types.TinyInt, v.Int())
	case reflect.Int16:
		return types.NewValue(types.SmallInt, v.Int())
	case reflect.Int32:
		return types.NewValue(types.Integer, v.Int())
	case reflect.Int, reflect.Int64:
		return types.NewValue(types.BigInt, v.Int())
	case reflect.Uint8:
		return types.NewValue(types.UTinyInt, v.Uint())
	case reflect.Uint16:
		return types.NewValue(types.USmallInt, v.Uint())
	case reflect.Uint32:
		return types.NewValue(types.UInteger, v.Uint())
	case reflect.Uint, reflect.Uint64:
		return types.NewValue(types.UBigInt, v.Uint())
	case reflect.Float32:
		return types.NewValue(types.Float, float32(v.Float()))
	case reflect.Float64:
		return types.NewValue(types.Double, v.Float())
	case reflect.String:
		return types.NewValue(types.Varchar, v.String())
	}
	return nil, types.Errorf(types.CodeInvalidParameter, "Go type %T has no SQL type", x)
}

// decimalValue gives a decimal the narrowest type that holds its digits.
func decimalValue(x types.DecimalValue) (*types.Vector, error) {
	if x.Unscaled == nil {
		return types.NewNull(types.Null, 1), nil
	}
	digits := len(new(big.Int).Abs(x.Unscaled).String())
	precision := max(digits, x.Scale, 1)
	if x.Scale < 0 || x.Scale > math.MaxInt8 || precision > types.MaxDecimalPrecision {
		return nil, types.Errorf(types.CodeNumericOutOfRange, "a decimal of %d digits and scale %d does not fit DECIMAL", digits, x.Scale)
	}
	return types.NewValue(types.Decimal(precision, x.Scale), x)
}
