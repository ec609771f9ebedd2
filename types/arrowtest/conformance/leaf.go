package conformance

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/lacunadb/lacuna/types"
)

// bits makes a bitmap of a text of 0 and 1, first row first.
func bits(text string) *memory.Buffer {
	out := make([]byte, (len(text)+7)/8)
	for i, c := range text {
		if c == '1' {
			out[i/8] |= 1 << (i % 8)
		}
	}
	return memory.NewBufferBytes(out)
}

// integers makes a buffer of integers of a type.
func integers(dt arrow.DataType, values []int64) (*memory.Buffer, error) {
	width := dt.(arrow.FixedWidthDataType).Bytes()
	out := make([]byte, 0, len(values)*width)
	for _, x := range values {
		out = appendLittle(out, uint64(x), width)
	}
	return memory.NewBufferBytes(out), nil
}

func appendLittle(dst []byte, x uint64, width int) []byte {
	return append(dst, binary.LittleEndian.AppendUint64(nil, x)[:width]...)
}

// leafBuffers gives the buffers after the bitmap of a type without children. A row that is null or a hole has zeros.
func leafBuffers(dt arrow.DataType, rows []any) ([]*memory.Buffer, error) {
	switch d := dt.(type) {
	case *arrow.BooleanType:
		text := ""
		for _, row := range rows {
			if row == true {
				text += "1"
			} else {
				text += "0"
			}
		}
		return []*memory.Buffer{bits(text)}, nil
	case arrow.BinaryDataType:
		return stringBuffers(dt, rows)
	case arrow.FixedWidthDataType:
		var out []byte
		for i, row := range rows {
			value, err := fixedValue(d, row)
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", i, err)
			}
			out = append(out, value...)
		}
		return []*memory.Buffer{memory.NewBufferBytes(out)}, nil
	}
	return nil, fmt.Errorf("no values of type %s", dt)
}

// fixedValue gives the bytes of a value.
func fixedValue(dt arrow.FixedWidthDataType, row any) ([]byte, error) {
	width := dt.Bytes()
	if row == nil || row == (hole{}) {
		return make([]byte, width), nil
	}
	switch dt.ID() {
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		x, err := float(row)
		switch dt.ID() {
		case arrow.FLOAT16:
			return appendLittle(nil, uint64(types.HalfFromFloat(x)), width), err
		case arrow.FLOAT32:
			return appendLittle(nil, uint64(math.Float32bits(float32(x))), width), err
		}
		return appendLittle(nil, math.Float64bits(x), width), err
	case arrow.FIXED_SIZE_BINARY:
		text, _ := row.(string)
		if len(text) != width {
			return nil, fmt.Errorf("%v has not %d bytes", row, width)
		}
		return []byte(text), nil
	case arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO:
		return intervalValue(dt.ID(), row)
	}
	number, ok := row.(json.Number)
	if !ok {
		return nil, fmt.Errorf("%v is no number", row)
	}
	x, ok := new(big.Int).SetString(number.String(), 10)
	if !ok {
		return nil, fmt.Errorf("%v is no integer", row)
	}
	wide, ok := types.Int256FromBig(x)
	if !ok {
		return nil, fmt.Errorf("%v is too large", row)
	}
	var out []byte
	for _, word := range wide {
		out = binary.LittleEndian.AppendUint64(out, word)
	}
	return out[:width], nil
}

func intervalValue(id arrow.Type, row any) ([]byte, error) {
	parts, ok := row.([]any)
	var out []byte
	for i, part := range parts {
		number, isNumber := part.(json.Number)
		if !isNumber {
			return nil, fmt.Errorf("%v is no interval", row)
		}
		x, err := number.Int64()
		if err != nil {
			return nil, err
		}
		width := 4
		if id == arrow.INTERVAL_MONTH_DAY_NANO && i == 2 {
			width = 8
		}
		out = appendLittle(out, uint64(x), width)
	}
	if !ok || (id == arrow.INTERVAL_DAY_TIME) != (len(out) == 8) {
		return nil, fmt.Errorf("%v is no interval", row)
	}
	return out, nil
}

// float reads a number, or a text: NaN, Infinity, -Infinity, -0, or 0x and the 16 digits of the bits of a double.
func float(row any) (float64, error) {
	switch x := row.(type) {
	case json.Number:
		return x.Float64()
	case string:
		if digits, ok := strings.CutPrefix(x, "0x"); ok {
			n, err := strconv.ParseUint(digits, 16, 64)
			return math.Float64frombits(n), err
		}
		return strconv.ParseFloat(x, 64)
	}
	return 0, fmt.Errorf("%v is no float", row)
}

// stringBuffers makes offsets and bytes, or views of which the long ones lie in one buffer.
func stringBuffers(dt arrow.DataType, rows []any) ([]*memory.Buffer, error) {
	var body, views []byte
	offsets := []int64{0}
	for i, row := range rows {
		text, ok := row.(string)
		if !ok && row != nil && row != (hole{}) {
			return nil, fmt.Errorf("row %d: %v is no text", i, row)
		}
		view := make([]byte, 16)
		binary.LittleEndian.PutUint32(view, uint32(len(text)))
		copy(view[4:], text)
		if len(text) > types.MaxInlineView {
			binary.LittleEndian.PutUint32(view[8:], 0)
			binary.LittleEndian.PutUint32(view[12:], uint32(len(body)))
		}
		views = append(views, view...)
		body = append(body, text...)
		offsets = append(offsets, int64(len(body)))
	}
	width := arrow.DataType(arrow.PrimitiveTypes.Int32)
	switch dt.ID() {
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		return []*memory.Buffer{memory.NewBufferBytes(views), memory.NewBufferBytes(body)}, nil
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		width = arrow.PrimitiveTypes.Int64
	}
	buffer, err := integers(width, offsets)
	return []*memory.Buffer{buffer, memory.NewBufferBytes(body)}, err
}
