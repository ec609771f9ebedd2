package arrowjson

import (
	"bytes"
	"encoding/base64"
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
)

// bitmap is a bitmap that grows.
type bitmap struct {
	words types.Bitmap
	n     int
}

func (b *bitmap) append(bit bool) {
	if b.n&63 == 0 {
		b.words = append(b.words, 0)
	}
	if bit {
		b.words.Set(b.n)
	}
	b.n++
}

func (b *bitmap) truncate(n int) {
	if n >= b.n {
		return
	}
	b.n, b.words = n, b.words[:types.BitmapWords(n)]
	if len(b.words) > 0 {
		b.words[len(b.words)-1] &= types.LastWordMask(n)
	}
}

// validity gives the bitmap, nil when every bit is set.
func (b *bitmap) validity() types.Bitmap {
	if b.words.Count(b.n) == b.n {
		return nil
	}
	return b.words
}

// newColumn makes the column of a shape: that of its type, in one of each encoding around it.
func newColumn(s *shape) column {
	c := newPlainColumn(s)
	for i := len(s.wrappers) - 1; i >= 0; i-- {
		if w := s.wrappers[i]; w.dictionary {
			c = &dictionaryColumn{rows: c, nullKeys: w.nullable}
		} else {
			c = &runColumn{rows: c}
		}
	}
	return c
}

func newPlainColumn(s *shape) column {
	switch s.id {
	case arrow.NULL:
		return &nullColumn{shape: s}
	case arrow.BOOL:
		return &boolColumn{shape: s}
	case arrow.INT8:
		return &fixedColumn[int8]{typ: s.typ, read: readInteger[int8](s)}
	case arrow.INT16:
		return &fixedColumn[int16]{typ: s.typ, read: readInteger[int16](s)}
	case arrow.INT32:
		return &fixedColumn[int32]{typ: s.typ, read: readInteger[int32](s)}
	case arrow.INT64:
		return &fixedColumn[int64]{typ: s.typ, read: readInteger[int64](s)}
	case arrow.UINT8:
		return &fixedColumn[uint8]{typ: s.typ, read: readInteger[uint8](s)}
	case arrow.UINT16:
		return &fixedColumn[uint16]{typ: s.typ, read: readInteger[uint16](s)}
	case arrow.UINT32:
		return &fixedColumn[uint32]{typ: s.typ, read: readInteger[uint32](s)}
	case arrow.UINT64:
		return &fixedColumn[uint64]{typ: s.typ, read: readInteger[uint64](s)}
	case arrow.FLOAT16:
		return &fixedColumn[uint16]{typ: s.typ, read: readHalf(s)}
	case arrow.FLOAT32:
		return &fixedColumn[float32]{typ: s.typ, read: func(d *decoder) (float32, bool) {
			x, ok := d.readFloat(s, 32)
			return float32(x), ok
		}}
	case arrow.FLOAT64:
		return &fixedColumn[float64]{typ: s.typ, read: func(d *decoder) (float64, bool) { return d.readFloat(s, 64) }}
	case arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256:
		return newDecimalColumn(s)
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return newTextColumn(s)
	case arrow.STRUCT:
		return newStructColumn(s)
	case arrow.MAP:
		return newMapColumn(s)
	case arrow.FIXED_SIZE_LIST:
		return &arrayColumn{shape: s, element: newField(s.children[0]), width: s.typ.Width()}
	case arrow.LIST, arrow.LARGE_LIST, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW:
		return &listColumn{shape: s, element: newField(s.children[0])}
	case arrow.SPARSE_UNION, arrow.DENSE_UNION:
		return newUnionColumn(s)
	}
	return newTemporalColumn(s)
}

// nullColumn has nulls only.
type nullColumn struct {
	*shape
	n int
}

func (c *nullColumn) value(d *decoder) bool { return d.mismatch(c.shape) }
func (c *nullColumn) null()                 { c.n++ }
func (c *nullColumn) placeholder()          { c.n++ }
func (c *nullColumn) truncate(n int)        { c.n = min(c.n, n) }
func (c *nullColumn) finish() *types.Vector {
	v := types.NewNull(types.Null, c.n)
	c.n = 0
	return v
}

// boolColumn has true and false.
type boolColumn struct {
	*shape
	values, valid bitmap
}

func (c *boolColumn) add(value, valid bool) {
	c.values.append(value)
	c.valid.append(valid)
}

func (c *boolColumn) value(d *decoder) bool {
	switch d.Peek() {
	case 't':
		c.add(true, true)
		return d.Word("true")
	case 'f':
		c.add(false, true)
		return d.Word("false")
	}
	return d.mismatch(c.shape)
}

func (c *boolColumn) null()        { c.add(false, false) }
func (c *boolColumn) placeholder() { c.add(false, true) }

func (c *boolColumn) truncate(n int) {
	c.values.truncate(n)
	c.valid.truncate(n)
}

func (c *boolColumn) finish() *types.Vector {
	v := types.NewBool(c.values.words, c.values.n, c.valid.validity())
	c.values, c.valid = bitmap{}, bitmap{}
	return v
}

// fixedColumn has values of a fixed width, whose zero is the placeholder.
type fixedColumn[T types.Fixed] struct {
	typ    types.Type
	read   func(*decoder) (T, bool)
	values []T
	valid  bitmap
}

func (c *fixedColumn[T]) add(x T, valid bool) {
	c.values = append(c.values, x)
	c.valid.append(valid)
}

func (c *fixedColumn[T]) value(d *decoder) bool {
	x, ok := c.read(d)
	if ok {
		c.add(x, true)
	}
	return ok
}

func (c *fixedColumn[T]) null() {
	var zero T
	c.add(zero, false)
}

func (c *fixedColumn[T]) placeholder() {
	var zero T
	c.add(zero, true)
}

func (c *fixedColumn[T]) truncate(n int) {
	c.values = c.values[:min(n, len(c.values))]
	c.valid.truncate(n)
}

func (c *fixedColumn[T]) finish() *types.Vector {
	v := types.NewFixed(c.typ, c.values, c.valid.validity())
	c.values, c.valid = nil, bitmap{}
	return v
}

func readHalf(s *shape) func(*decoder) (uint16, bool) {
	return func(d *decoder) (uint16, bool) {
		d.Peek()
		start := d.At
		x, ok := d.readFloat(s, 64)
		if !ok {
			return 0, false
		}
		h := types.HalfFromFloat(x)
		if !math.IsInf(x, 0) && math.IsInf(float64(types.HalfToFloat(h)), 0) {
			return 0, d.exact(overflow, s, start, d.Text[start:d.At])
		}
		return h, true
	}
}

// newDecimalColumn makes the column for the storage of a DECIMAL.
func newDecimalColumn(s *shape) column {
	dt := s.dt.(arrow.DecimalType)
	precision, scale := int(dt.GetPrecision()), int(dt.GetScale())
	read := func(d *decoder) (types.Int256, bool) {
		d.Peek()
		start := d.At
		text, ok := d.number(s)
		if !ok {
			return types.Int256{}, false
		}
		x, o := parseDecimal(text, precision, scale)
		for range -scale { // SQL has no scales below 0: the zeros are part of the number
			x = timesTen(x, 0)
		}
		return x, d.exact(o, s, start, text)
	}
	switch s.typ.Storage() {
	case types.StorageInt64:
		return &fixedColumn[int64]{typ: s.typ, read: func(d *decoder) (int64, bool) {
			x, ok := read(d)
			return int64(x[0]), ok
		}}
	case types.StorageInt128:
		return &fixedColumn[types.Int128]{typ: s.typ, read: func(d *decoder) (types.Int128, bool) {
			x, ok := read(d)
			return types.Int128{Lo: x[0], Hi: int64(x[1])}, ok
		}}
	}
	return &fixedColumn[types.Int256]{typ: s.typ, read: read}
}

// newTemporalColumn makes the column of a type whose values are texts of ISO 8601.
func newTemporalColumn(s *shape) column {
	switch s.id {
	case arrow.DATE32:
		return temporalColumn(s, func(t texts) (int32, outcome) {
			days, o := parseDay(t)
			if o == fits && !isInt32(days) {
				o = overflow
			}
			return int32(days), o
		})
	case arrow.DATE64:
		return temporalColumn(s, parseDate64)
	case arrow.TIME32:
		return temporalColumn(s, func(t texts) (int64, outcome) {
			x, o := parseTime(t, s.unit)
			if o == fits && !isInt32(x) {
				o = overflow
			}
			return x, o
		})
	case arrow.TIME64:
		return temporalColumn(s, func(t texts) (int64, outcome) { return parseTime(t, s.unit) })
	case arrow.TIMESTAMP:
		zoned := s.typ.Kind() == types.KindTimestampTZ
		return temporalColumn(s, func(t texts) (int64, outcome) { return parseTimestamp(t, s.unit, zoned) })
	case arrow.DURATION:
		return temporalColumn(s, func(t texts) (int64, outcome) {
			x, o := parseInterval(t, s.unit)
			if x.dated {
				o = invalid
			}
			return x.clock, o
		})
	}
	unit, longestClock := types.Nanosecond, int64(math.MaxInt64)
	if s.id == arrow.INTERVAL_DAY_TIME {
		unit, longestClock = types.Millisecond, math.MaxInt32
	}
	return temporalColumn(s, func(t texts) (types.MonthDayNano, outcome) {
		x, o := parseInterval(t, unit)
		switch {
		case o != fits:
		case s.id == arrow.INTERVAL_MONTHS && (x.days != 0 || x.clock != 0), s.id == arrow.INTERVAL_DAY_TIME && x.months != 0:
			o = invalid
		case !isInt32(x.months) || !isInt32(x.days) || x.clock > longestClock || x.clock < -longestClock-1:
			o = overflow
		}
		return types.MonthDayNano{Months: int32(x.months), Days: int32(x.days), Nanos: x.clock * (1e9 / unit.PerSecond())}, o
	})
}

func temporalColumn[T types.Fixed](s *shape, parse func(texts) (T, outcome)) column {
	return &fixedColumn[T]{typ: s.typ, read: func(d *decoder) (T, bool) {
		d.Peek()
		start := d.At
		text, ok := d.string(s)
		if !ok {
			var zero T
			return zero, false
		}
		x, o := parse(text)
		return x, d.exact(o, s, start, text)
	}}
}

// textColumn has strings, or bytes written as base64.
type textColumn struct {
	*shape
	text   bool
	width  int // of fixed_size_binary, else -1
	zeros  []byte
	ends   []int
	body   []byte
	valid  bitmap
	binary *base64.Encoding
}

func newTextColumn(s *shape) *textColumn {
	c := &textColumn{shape: s, text: s.typ.Kind() == types.KindVarchar, width: -1, binary: base64.StdEncoding.Strict()}
	if d, ok := s.dt.(*arrow.FixedSizeBinaryType); ok {
		c.width, c.zeros = d.ByteWidth, make([]byte, d.ByteWidth)
	}
	return c
}

func (c *textColumn) add(valid bool) {
	c.ends = append(c.ends, len(c.body))
	c.valid.append(valid)
}

func (c *textColumn) value(d *decoder) bool {
	d.Peek()
	start := d.At
	text, ok := d.string(c.shape)
	if !ok {
		return false
	}
	if c.text {
		c.body = append(c.body, text...)
		c.add(true)
		return true
	}
	from := len(c.body)
	var err error
	c.body, err = c.binary.AppendDecode(c.body, text)
	if n := len(c.body) - from; err != nil || bytes.ContainsAny(text, "\r\n") { // which the decoder passes by
		return d.fail(types.ErrCastInvalid, c.shape, start, "%s is no base64", shown(text))
	} else if c.width >= 0 && n != c.width {
		return d.fail(types.ErrCastInvalid, c.shape, start, "%d bytes cannot be read as %s", n, c.dt)
	}
	c.add(true)
	return true
}

func (c *textColumn) null() { c.add(false) }

func (c *textColumn) placeholder() {
	c.body = append(c.body, c.zeros...)
	c.add(true)
}

func (c *textColumn) truncate(n int) {
	c.ends = c.ends[:min(n, len(c.ends))]
	c.valid.truncate(n)
	end := 0
	if len(c.ends) > 0 {
		end = c.ends[len(c.ends)-1]
	}
	c.body = c.body[:end]
}

// viewStep is the distance of the data buffers that views count from: their offsets are short.
const viewStep = 1 << 30

func (c *textColumn) finish() *types.Vector {
	views := make([]types.View, len(c.ends))
	var buffers []types.Buffer
	for at := 0; at < len(c.body); at += viewStep {
		buffers = append(buffers, types.Buffer{Bytes: c.body[at:]})
	}
	start := 0
	for i, end := range c.ends {
		views[i] = types.MakeView(c.body[start:end], start/viewStep, start%viewStep)
		start = end
	}
	v := types.NewViews(c.typ, views, buffers, c.valid.validity())
	c.ends, c.body, c.valid = nil, nil, bitmap{}
	return v
}
