package sqldriver

import (
	"database/sql/driver"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/types"
)

// rows streams a result.
type rows struct {
	result *engine.Result
	batch  *types.Batch
	row    int
}

var (
	_ driver.RowsColumnTypeDatabaseTypeName = (*rows)(nil)
	_ driver.RowsColumnTypeNullable         = (*rows)(nil)
	_ driver.RowsColumnTypePrecisionScale   = (*rows)(nil)
	_ driver.RowsColumnTypeScanType         = (*rows)(nil)
)

// Columns gives the names of the columns.
func (r *rows) Columns() []string {
	names := make([]string, len(r.result.Columns()))
	for i, f := range r.result.Columns() {
		names[i] = f.Name
	}
	return names
}

// Close ends the query, if it still runs.
func (r *rows) Close() error {
	if r.result != nil {
		r.batch = nil
		return r.result.Close()
	}
	return nil
}

// Next gives the next row.
func (r *rows) Next(dest []driver.Value) (err error) {
	defer func() {
		// A bug in giving values must not end the process, as one in the engine does not.
		if x := recover(); x != nil {
			err = types.Errorf(types.CodeInternal, "internal error: %v", x).WithCause(fmt.Errorf("%v\n%s", x, debug.Stack()))
		}
	}()
	for r.batch == nil || r.row == r.batch.Rows {
		if r.batch, err = r.result.NextBatch(); err != nil {
			return err
		}
		if r.batch == nil {
			return io.EOF
		}
		r.row = 0
	}
	for i, v := range r.batch.Columns {
		dest[i] = value(v, r.row)
	}
	r.row++
	return nil
}

// value gives a row as the package's documentation says.
func value(v *types.Vector, row int) any {
	switch v.Type().Kind() {
	case types.KindHugeInt, types.KindDecimal, types.KindTime, types.KindInterval, types.KindUUID:
		if _, _, ok := v.Locate(row); !ok {
			return nil
		}
		return types.Text(v, row)
	}
	return simplified(types.Value(v, row))
}

// simplified gives a value of types.Value, and those inside of it, as this package gives values.
func simplified(x any) any {
	switch x := x.(type) {
	case int8:
		return int64(x)
	case int16:
		return int64(x)
	case int32:
		return int64(x)
	case uint8:
		return int64(x)
	case uint16:
		return int64(x)
	case uint32:
		return int64(x)
	case interface{ String() string }:
		if t, ok := x.(time.Time); ok {
			if word, ok := infinities[t]; ok {
				return word
			}
			return t
		}
		if d, ok := x.(time.Duration); ok { // TIME inside of a nested value
			return timeText(d)
		}
		return x.String()
	case types.MonthDayNano:
		text, err := types.NewValue(types.Interval, x)
		if err != nil {
			return nil
		}
		return types.Text(text, 0)
	case []any:
		for i := range x {
			x[i] = simplified(x[i])
		}
	case []types.FieldValue:
		for i := range x {
			x[i].Value = simplified(x[i].Value)
		}
	case []types.MapEntry:
		for i := range x {
			x[i] = types.MapEntry{Key: simplified(x[i].Key), Value: simplified(x[i].Value)}
		}
	case types.UnionValue:
		x.Value = simplified(x.Value)
		return x
	}
	return x
}

// infinities are what types.Value gives for the infinite DATEs, and TIMESTAMPs of each unit, for which time.Time has no value.
var infinities = func() map[time.Time]string {
	all := map[time.Time]string{}
	for sign, word := range map[int64]string{1: "infinity", -1: "-infinity"} {
		days, instant := sign*int64(types.InfiniteDate), sign*types.InfiniteTimestamp
		for _, t := range []time.Time{time.Unix(days*24*60*60, 0), time.Unix(instant, 0), time.UnixMilli(instant), time.UnixMicro(instant), time.Unix(0, instant)} {
			all[t.UTC()] = word
		}
	}
	return all
}()

func timeText(d time.Duration) string {
	return string(types.AppendTime(nil, int64(d), types.Nanosecond))
}

// ColumnTypeDatabaseTypeName gives the SQL type, without the precision of a DECIMAL.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	t := r.result.Columns()[i].Type
	if t.Kind() == types.KindDecimal {
		return t.Kind().String()
	}
	return t.String()
}

// ColumnTypeNullable reports whether the column can hold NULL, as far as is known before it is read.
func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) {
	f := r.result.Columns()[i]
	return f.Nullable || f.Type.Kind() == types.KindNull, true
}

// ColumnTypePrecisionScale gives those of a DECIMAL.
func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	t := r.result.Columns()[i].Type
	return int64(t.Precision()), int64(t.Scale()), t.Kind() == types.KindDecimal
}

// ColumnTypeScanType gives the Go type of the values that are not NULL.
func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	switch r.result.Columns()[i].Type.Kind() {
	case types.KindNull:
		return reflect.TypeFor[any]()
	case types.KindBoolean:
		return reflect.TypeFor[bool]()
	case types.KindTinyInt, types.KindSmallInt, types.KindInteger, types.KindBigInt, types.KindUTinyInt, types.KindUSmallInt, types.KindUInteger:
		return reflect.TypeFor[int64]()
	case types.KindUBigInt:
		return reflect.TypeFor[uint64]()
	case types.KindHalf, types.KindFloat:
		return reflect.TypeFor[float32]()
	case types.KindDouble:
		return reflect.TypeFor[float64]()
	case types.KindDate, types.KindTimestamp, types.KindTimestampTZ, types.KindTimestampOffset:
		return reflect.TypeFor[time.Time]()
	case types.KindBlob:
		return reflect.TypeFor[[]byte]()
	case types.KindList, types.KindArray:
		return reflect.TypeFor[[]any]()
	case types.KindStruct:
		return reflect.TypeFor[[]types.FieldValue]()
	case types.KindMap:
		return reflect.TypeFor[[]types.MapEntry]()
	case types.KindUnion:
		return reflect.TypeFor[types.UnionValue]()
	}
	return reflect.TypeFor[string]()
}
