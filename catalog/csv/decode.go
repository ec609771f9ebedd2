package csv

import (
	"bytes"
	"errors"
	"unsafe"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/scalar"
	"github.com/lacunadb/lacuna/types"
)

// decoder makes a vector of one column of some records.
type decoder struct {
	morsel   *morsel
	pool     *types.Pool
	settings *settings
	column   column
	text     []byte // the chunk
	rows     int

	valid types.Bitmap // nil: all
	bad   types.Bitmap // rows that cannot be read, where errors are ignored
}

// vector reads the fields of the column.
func (d *decoder) vector(fields []field) (*types.Vector, error) {
	d.findNulls(fields)
	if format := d.settings.format(d.column.typ); format != nil {
		return d.formatted(fields, format)
	}
	var v *types.Vector
	switch d.column.typ.Kind() {
	case types.KindVarchar:
		return d.texts(fields, types.Varchar), nil
	case types.KindBigInt:
		v = fixed(d, fields, parseInt)
	case types.KindInteger:
		v = fixed(d, fields, func(b []byte) (int32, bool) {
			x, ok := parseInt(b)
			return int32(x), ok && x == int64(int32(x))
		})
	case types.KindDouble:
		parse := parseFloat
		if d.settings.decimalComma {
			parse = parseFloatWithComma
		}
		v = fixed(d, fields, parse)
	case types.KindDate:
		v = fixed(d, fields, d.column.order.parse)
	case types.KindTimestamp:
		if d.column.typ.Unit() == types.Microsecond {
			v = fixed(d, fields, parseTimestamp)
		}
	case types.KindBoolean:
		v = d.booleans(fields)
	}
	if v != nil {
		return v, nil
	}
	return d.cast(fields)
}

// findNulls marks the values that stand for NULL.
func (d *decoder) findNulls(fields []field) {
	if d.column.text {
		return
	}
	onlyEmpty := len(d.settings.nulls) == 1 && d.settings.nulls[0] == ""
	for i, f := range fields[:d.rows] {
		if onlyEmpty {
			if f.length&lengthMask != 0 || f.quoted() && !d.settings.quotedNulls {
				continue
			}
		} else if f.quoted() && !d.settings.quotedNulls || !d.isNull(f) {
			continue
		}
		if d.valid == nil {
			d.valid = d.pool.Bitmap(d.rows)
			types.FillBitmap(d.valid, d.rows)
		}
		d.valid.Clear(i)
	}
}

func (d *decoder) isNull(f field) bool {
	value := f.bytes(d.text)
	for _, n := range d.settings.nulls {
		if string(value) == n {
			return true
		}
	}
	return f == absent
}

// fixed reads values of a frequent form; nil when one has another form.
func fixed[T types.Fixed](d *decoder, fields []field, parse func([]byte) (T, bool)) *types.Vector {
	values := types.Alloc[T](d.pool, d.rows)
	for i, f := range fields[:d.rows] {
		if d.valid != nil && !d.valid.Get(i) {
			var zero T
			values[i] = zero
			continue
		}
		x, ok := parse(trimmed(f.bytes(d.text)))
		if !ok {
			return nil
		}
		values[i] = x
	}
	return types.NewFixed(d.column.typ, values, d.valid)
}

// trimmed takes the blanks around a value away.
func trimmed(b []byte) []byte {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

func (d *decoder) booleans(fields []field) *types.Vector {
	bits := d.pool.ZeroBitmap(d.rows)
	for i, f := range fields[:d.rows] {
		if d.valid != nil && !d.valid.Get(i) {
			continue
		}
		truth, ok := parseBool(trimmed(f.bytes(d.text)))
		if !ok {
			return nil
		}
		if truth {
			bits.Set(i)
		}
	}
	return types.NewBool(bits, d.rows, d.valid)
}

// texts makes views of the chunk. Values with escapes are written anew behind it.
func (d *decoder) texts(fields []field, typ types.Type) *types.Vector {
	views := types.Alloc[types.View](d.pool, d.rows)
	buffers := []types.Buffer{{Bytes: d.text}}
	var own []byte
	for i, f := range fields[:d.rows] {
		if d.valid != nil && !d.valid.Get(i) {
			views[i] = types.View{}
			continue
		}
		value := f.bytes(d.text)
		if f.length&escapedField == 0 {
			views[i] = types.MakeView(value, 0, int(f.start))
			continue
		}
		if own == nil {
			size := 0
			for _, f := range fields[i:d.rows] {
				if f.length&escapedField != 0 {
					size += int(f.length & lengthMask)
				}
			}
			own = make([]byte, 0, size)
			buffers = append(buffers, types.Buffer{})
		}
		start := len(own)
		own = d.settings.unescape(own, value)
		views[i] = types.MakeView(own[start:], 1, start)
	}
	if own != nil {
		buffers[1].Bytes = own
	}
	return types.NewViews(typ, views, buffers, d.valid)
}

// cast reads values by the rules of CAST from text.
func (d *decoder) cast(fields []field) (*types.Vector, error) {
	if d.column.typ.Kind() == types.KindDate && d.column.order != yearMonthDay {
		return d.foreignDates(fields)
	}
	texts := d.texts(fields, types.Varchar)
	if d.settings.swapsPoint(d.column.typ) {
		texts = d.swapPoints(texts)
	}
	return d.castTo(texts, fields)
}

// swapPoints exchanges commas and points.
func (d *decoder) swapPoints(texts *types.Vector) *types.Vector {
	b := kernels.NewViewBuilder(&kernels.Env{Pool: d.pool}, types.Varchar, d.rows)
	views, buffers := types.ValuesOf[types.View](texts), texts.DataBuffers()
	var text []byte
	for i := range d.rows {
		if !d.valid.Has(i) {
			b.AppendEmpty()
			continue
		}
		text = swapPoint(text[:0], views[i].Bytes(buffers))
		b.Append(text)
	}
	return b.Finish(d.valid)
}

// castTo casts what was made of the fields to the column's type.
func (d *decoder) castTo(texts *types.Vector, fields []field) (*types.Vector, error) {
	env := &kernels.Env{Pool: d.pool, Rows: d.rows}
	v, err := kernels.Cast(env, texts, d.column.typ)
	if err == nil {
		return v, nil
	}
	var e *types.Error
	if !errors.As(err, &e) || e.Row < 0 {
		return nil, within(err, "column %s", types.QuoteIdent(d.column.name))
	}
	if !d.settings.ignore {
		return nil, d.valueError(fields, int(e.Row))
	}
	env.Try = true
	if v, err = kernels.Cast(env, texts, d.column.typ); err != nil {
		return nil, err
	}
	valid := types.LogicalValidity(d.pool, v)
	for i := range d.rows {
		if d.valid.Has(i) && !valid.Has(i) {
			d.markBad(i)
		}
	}
	return v, nil
}

// foreignDates reads dates whose year is not first.
func (d *decoder) foreignDates(fields []field) (*types.Vector, error) {
	values, err := oneByOne(d, fields, d.column.order.parse)
	if err != nil {
		return nil, err
	}
	return types.NewFixed(d.column.typ, values, d.valid), nil
}

// formatted reads times in the form that the statement says.
func (d *decoder) formatted(fields []field, format *scalar.TimeFormat) (*types.Vector, error) {
	values, err := oneByOne(d, fields, func(b []byte) (int64, bool) { return format.Parse(unsafe.String(unsafe.SliceData(b), len(b)), nil) })
	if err != nil {
		return nil, err
	}
	micros := types.Timestamp
	if d.column.typ.Kind() == types.KindTimestampTZ {
		micros = types.TimestampTZ
	}
	v := types.NewFixed(micros, values, d.valid)
	if d.column.typ.Equal(micros) {
		return v, nil
	}
	return d.castTo(v, fields)
}

// oneByOne reads values of which each that does not fit is an error, or left out.
func oneByOne[T types.Fixed](d *decoder, fields []field, parse func([]byte) (T, bool)) ([]T, error) {
	values := types.Alloc[T](d.pool, d.rows)
	var plain []byte
	for i, f := range fields[:d.rows] {
		var x T
		if d.valid.Has(i) {
			value, ok := f.bytes(d.text), false
			if f.length&escapedField != 0 {
				plain = d.settings.unescape(plain[:0], value)
				value = plain
			}
			if x, ok = parse(trimmed(value)); !ok {
				if !d.settings.ignore {
					return nil, d.valueError(fields, i)
				}
				d.markBad(i)
			}
		}
		values[i] = x
	}
	return values, nil
}

func (d *decoder) markBad(row int) {
	if d.bad == nil {
		d.bad = d.pool.ZeroBitmap(d.rows)
	}
	d.bad.Set(row)
}

// valueError names the place of a value that is not of its column's type.
func (d *decoder) valueError(fields []field, row int) error {
	value := fields[row].bytes(d.text)
	if fields[row].length&escapedField != 0 {
		value = d.settings.unescape(nil, value)
	}
	const shown = 60
	text := string(value)
	if len(value) > shown {
		text = string(bytes.ToValidUTF8(value[:shown], nil)) + "..."
	}
	e := types.Errorf(types.CodeInvalidText, "line %d, column %s: %q is not a %s", d.morsel.line(int(d.morsel.split.starts[row])),
		types.QuoteIdent(d.column.name), text, d.column.typ)
	if d.settings.known.columns {
		return e.WithHint("With ignore_errors = true such records are left out.")
	}
	return e.WithHint("The type was found out from a sample: read all with sample_size = -1, name it with types = {'%s': 'VARCHAR'}, or leave such records out with ignore_errors = true.",
		d.column.name)
}
