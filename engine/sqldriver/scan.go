package sqldriver

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// Decimal scans a DECIMAL, or any other number, exactly, and is a parameter of type DECIMAL. NULL is an error; sql.Null[Decimal] takes it.
type Decimal struct{ types.DecimalValue }

// Scan reads a number.
func (d *Decimal) Scan(source any) error {
	text := fmt.Sprint(source)
	whole, fraction, _ := strings.Cut(text, ".")
	unscaled, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok || source == nil {
		return scanError(source, d)
	}
	d.DecimalValue = types.DecimalValue{Unscaled: unscaled, Scale: len(fraction)}
	return nil
}

// Value gives the value as a parameter.
func (d Decimal) Value() (driver.Value, error) { return d.DecimalValue, nil }

// BigInt scans a HUGEINT or another whole number, and is a parameter of type HUGEINT.
type BigInt struct{ big.Int }

// Scan reads a whole number.
func (b *BigInt) Scan(source any) error {
	if _, ok := b.SetString(fmt.Sprint(source), 10); !ok {
		return scanError(source, b)
	}
	return nil
}

// Value gives the value as a parameter.
func (b *BigInt) Value() (driver.Value, error) {
	if b == nil {
		return nil, nil
	}
	return &b.Int, nil
}

// Duration scans a TIME, as the time since midnight, and is a parameter of that type.
type Duration time.Duration

// Value gives the value as a parameter; what is no time of a day is an error.
func (d Duration) Value() (driver.Value, error) {
	unit := types.Microsecond
	if d%Duration(time.Microsecond) != 0 {
		unit = types.Nanosecond
	}
	return types.NewValue(types.TimeOf(unit), time.Duration(d))
}

// Scan reads a time of day.
func (d *Duration) Scan(source any) error {
	x, ok := parsed(types.TimeOf(types.Nanosecond), source).(time.Duration)
	if !ok {
		return scanError(source, d)
	}
	*d = Duration(x)
	return nil
}

// Interval scans an INTERVAL, and is a parameter of that type.
type Interval struct{ types.MonthDayNano }

// Scan reads an interval.
func (i *Interval) Scan(source any) error {
	x, ok := parsed(types.Interval, source).(types.MonthDayNano)
	if !ok {
		return scanError(source, i)
	}
	i.MonthDayNano = x
	return nil
}

// Value gives the value as a parameter.
func (i Interval) Value() (driver.Value, error) { return i.MonthDayNano, nil }

// UUID scans a UUID, and is a parameter of that type.
type UUID struct{ types.UUIDValue }

// Scan reads a UUID.
func (u *UUID) Scan(source any) error {
	x, ok := parsed(types.UUID, source).(types.UUIDValue)
	if !ok {
		return scanError(source, u)
	}
	u.UUIDValue = x
	return nil
}

// Value gives the value as a parameter.
func (u UUID) Value() (driver.Value, error) { return u.UUIDValue, nil }

// parsed casts a text; nil when it is none, or does not have the type's form.
func parsed(typ types.Type, source any) any {
	text, ok := source.(string)
	if !ok {
		return nil
	}
	v, err := types.NewValue(types.Varchar, text)
	if err != nil {
		return nil
	}
	if v, err = kernels.Cast(&kernels.Env{Rows: 1}, v, typ); err != nil {
		return nil
	}
	return types.Value(v, 0)
}

func scanError(source, dest any) error {
	return fmt.Errorf("cannot scan %v of type %T into %T", source, source, dest)
}

// Into gives a scanner that puts a value, nested ones above all, into what dest points to: a LIST or ARRAY into a slice or array, a STRUCT into a Go
// struct (fields by the tag db or json, else by name in any case; those that the struct does not have are left out) or a map of strings, a MAP into a Go
// map, a UNION into a types.UnionValue or the value of its variant. NULL makes pointers, slices, maps and interfaces nil, and is an error for
// anything else, as are values that do not fit.
func Into(dest any) sql.Scanner { return into{dest} }

type into struct{ dest any }

// Scan assigns a value.
func (i into) Scan(source any) error {
	dest := reflect.ValueOf(i.dest)
	if dest.Kind() != reflect.Pointer || dest.IsNil() {
		return fmt.Errorf("the destination must be a pointer, not %T", i.dest)
	}
	return assign(dest.Elem(), source)
}

// assign puts a value into a destination.
func assign(dest reflect.Value, source any) error {
	if dest.CanAddr() {
		if scanner, ok := dest.Addr().Interface().(sql.Scanner); ok {
			return scanner.Scan(source)
		}
	}
	if source == nil {
		switch dest.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
			dest.SetZero()
			return nil
		}
		return fmt.Errorf("cannot scan NULL into %s", dest.Type())
	}
	if dest.Kind() == reflect.Pointer {
		if dest.IsNil() {
			dest.Set(reflect.New(dest.Type().Elem()))
		}
		return assign(dest.Elem(), source)
	}
	value := reflect.ValueOf(source)
	if value.Type().AssignableTo(dest.Type()) {
		dest.Set(value)
		return nil
	}
	switch x := source.(type) {
	case types.UnionValue:
		return assign(dest, x.Value)
	case []any:
		return assignList(dest, x)
	case []types.FieldValue:
		return assignFields(dest, x)
	case []types.MapEntry:
		return assignMap(dest, x)
	}
	return assignScalar(dest, source)
}

func assignList(dest reflect.Value, list []any) error {
	switch dest.Kind() {
	case reflect.Slice:
		dest.Set(reflect.MakeSlice(dest.Type(), len(list), len(list)))
	case reflect.Array:
		if dest.Len() != len(list) {
			return fmt.Errorf("cannot scan a list of %d elements into %s", len(list), dest.Type())
		}
	default:
		return scanError(list, dest.Interface())
	}
	for i, x := range list {
		if err := assign(dest.Index(i), x); err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	return nil
}

func assignFields(dest reflect.Value, fields []types.FieldValue) error {
	switch dest.Kind() {
	case reflect.Struct:
		for _, f := range fields {
			field, ok := structField(dest, f.Name)
			if !ok {
				continue
			}
			if err := assign(field, f.Value); err != nil {
				return fmt.Errorf("field %s: %w", f.Name, err)
			}
		}
		return nil
	case reflect.Map:
		entries := make([]types.MapEntry, len(fields))
		for i, f := range fields {
			entries[i] = types.MapEntry{Key: f.Name, Value: f.Value}
		}
		return assignMap(dest, entries)
	}
	return scanError(fields, dest.Interface())
}

// structField finds the exported field of a Go struct for a name.
func structField(dest reflect.Value, name string) (reflect.Value, bool) {
	for i := range dest.NumField() {
		f := dest.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		label := f.Tag.Get("db")
		if label == "" {
			label, _, _ = strings.Cut(f.Tag.Get("json"), ",")
		}
		if label == name || label == "" && strings.EqualFold(f.Name, name) {
			return dest.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func assignMap(dest reflect.Value, entries []types.MapEntry) error {
	if dest.Kind() != reflect.Map {
		return scanError(entries, dest.Interface())
	}
	out := reflect.MakeMapWithSize(dest.Type(), len(entries))
	for _, e := range entries {
		key, value := reflect.New(dest.Type().Key()).Elem(), reflect.New(dest.Type().Elem()).Elem()
		if err := assign(key, e.Key); err != nil {
			return fmt.Errorf("key %v: %w", e.Key, err)
		}
		if err := assign(value, e.Value); err != nil {
			return fmt.Errorf("value of %v: %w", e.Key, err)
		}
		out.SetMapIndex(key, value)
	}
	dest.Set(out)
	return nil
}

// assignScalar converts without loss, as database/sql does: by way of the text.
func assignScalar(dest reflect.Value, source any) error {
	var text string
	switch x := source.(type) {
	case []byte:
		text = string(x)
	case time.Time:
		text = x.Format(time.RFC3339Nano)
	default:
		text = fmt.Sprint(x)
	}
	var err error
	switch dest.Kind() {
	case reflect.String:
		dest.SetString(text)
	case reflect.Bool:
		var x bool
		if x, err = strconv.ParseBool(text); err == nil {
			dest.SetBool(x)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		var x int64
		if x, err = strconv.ParseInt(text, 10, dest.Type().Bits()); err == nil {
			dest.SetInt(x)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		var x uint64
		if x, err = strconv.ParseUint(text, 10, dest.Type().Bits()); err == nil {
			dest.SetUint(x)
		}
	case reflect.Float32, reflect.Float64:
		var x float64
		if x, err = strconv.ParseFloat(text, dest.Type().Bits()); err == nil {
			dest.SetFloat(x)
		}
	default:
		return scanError(source, dest.Interface())
	}
	if err != nil {
		return fmt.Errorf("cannot scan %v of type %T into %s: %w", source, source, dest.Type(), err)
	}
	return nil
}
