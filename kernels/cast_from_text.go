package kernels

import (
	"encoding/json"
	"fmt"
	"unsafe"

	"github.com/lacunadb/lacuna/types"
)

// castFromText parses a plain VARCHAR vector. Texts under nulls are not looked at.
func castFromText(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	switch to.Kind() {
	case types.KindBoolean:
		return textToBoolean(env, v)
	case types.KindTinyInt:
		return parseTexts(env, v, to, parseIntegerOf[int8](to))
	case types.KindSmallInt:
		return parseTexts(env, v, to, parseIntegerOf[int16](to))
	case types.KindInteger:
		return parseTexts(env, v, to, parseIntegerOf[int32](to))
	case types.KindBigInt:
		return parseTexts(env, v, to, parseIntegerOf[int64](to))
	case types.KindUTinyInt:
		return parseTexts(env, v, to, parseIntegerOf[uint8](to))
	case types.KindUSmallInt:
		return parseTexts(env, v, to, parseIntegerOf[uint16](to))
	case types.KindUInteger:
		return parseTexts(env, v, to, parseIntegerOf[uint32](to))
	case types.KindUBigInt:
		return parseTexts(env, v, to, parseIntegerOf[uint64](to))
	case types.KindHugeInt, types.KindDecimal:
		return textToWide(env, v, to)
	case types.KindHalf:
		return parseTexts(env, v, to, func(b []byte) (uint16, parseStatus) {
			f, status := parseFloat(b, 32)
			return types.HalfFromFloat(f), status
		})
	case types.KindFloat:
		return parseTexts(env, v, to, func(b []byte) (float32, parseStatus) {
			f, status := parseFloat(b, 32)
			return float32(f), status
		})
	case types.KindDouble:
		return parseTexts(env, v, to, func(b []byte) (float64, parseStatus) { return parseFloat(b, 64) })
	case types.KindDate:
		return parseTexts(env, v, to, parseDate)
	case types.KindTime:
		unit := to.Unit()
		return parseTexts(env, v, to, func(b []byte) (int64, parseStatus) { return parseTime(b, unit) })
	case types.KindTimestamp:
		unit := to.Unit()
		return parseTexts(env, v, to, func(b []byte) (int64, parseStatus) { return parseTimestamp(b, unit, nil) })
	case types.KindTimestampTZ:
		unit, zone := to.Unit(), env.zone()
		return parseTexts(env, v, to, func(b []byte) (int64, parseStatus) { return parseTimestamp(b, unit, zone) })
	case types.KindInterval:
		return parseTexts(env, v, to, parseInterval)
	case types.KindUUID:
		return parseTexts(env, v, to, parseUUID)
	case types.KindEnum:
		index := make(map[string]uint32, len(to.Members()))
		for i, m := range to.Members() {
			index[m] = uint32(i)
		}
		return parseTexts(env, v, to, func(b []byte) (uint32, parseStatus) {
			if i, ok := index[string(b)]; ok {
				return i, parsed
			}
			return 0, malformed
		})
	case types.KindBlob:
		return textToBlob(env, v, to)
	case types.KindBit:
		return textToBit(env, v, to)
	case types.KindJSON:
		return textToJSON(env, v, to)
	case types.KindList, types.KindArray, types.KindStruct, types.KindMap:
		return castTextToNested(env, v, to)
	}
	return nil, types.Errorf(types.CodeCannotCoerce, "cannot cast type %s to %s", v.Type(), to)
}

// parseStatus is what became of a text.
type parseStatus uint8

const (
	parsed parseStatus = iota
	malformed
	outOfRange
)

// parseTexts parses each text that is not null.
func parseTexts[T types.Fixed](env *Env, v *types.Vector, to types.Type, parse func([]byte) (T, parseStatus)) (*types.Vector, error) {
	n, valid := v.Len(), v.Validity()
	views, buffers := types.ValuesOf[types.View](v), v.DataBuffers()
	dst := types.Alloc[T](env.pool(), n)
	failed := false
	for i := range dst {
		var x T
		if valid.Has(i) {
			var status parseStatus
			x, status = parse(views[i].Bytes(buffers))
			failed = failed || status != parsed
		}
		dst[i] = x
	}
	if failed {
		var err error
		valid, err = settleTexts(env, v, to, func(b []byte) parseStatus {
			_, status := parse(b)
			return status
		})
		if err != nil {
			return nil, err
		}
	}
	return types.NewFixed(to, dst, valid), nil
}

// settleTexts decides about texts that did not parse.
func settleTexts(env *Env, v *types.Vector, to types.Type, parse func([]byte) parseStatus) (types.Bitmap, error) {
	views, buffers := types.ValuesOf[types.View](v), v.DataBuffers()
	status := parsed
	return env.settle(v.Len(), v.Validity(), func(i int) bool {
		status = parse(views[i].Bytes(buffers))
		return status != parsed
	}, func(i int) *types.Error {
		if v.Type().Kind() == types.KindBit {
			return textError(types.AppendText(nil, v, i), to, status)
		}
		return textError(views[i].Bytes(buffers), to, status)
	})
}

// maxErrorText is how much of a text an error shows.
const maxErrorText = 100

// textError is the error of a text that is no value of a type, in PostgreSQL's words.
func textError(b []byte, to types.Type, status parseStatus) *types.Error {
	text := string(b[:min(len(b), maxErrorText)])
	if len(b) > maxErrorText {
		text += "..."
	}
	name := to.String()
	if to.Kind() == types.KindEnum {
		name = "ENUM"
	}
	kind, code, message := types.ErrCastInvalid, types.CodeInvalidText, fmt.Sprintf("invalid input syntax for type %s: %q", name, text)
	if status == outOfRange {
		kind, code, message = types.ErrCastOverflow, types.CodeNumericOutOfRange, fmt.Sprintf("value %q is out of range for type %s", text, name)
	}
	if to.IsTemporal() {
		code = types.CodeInvalidDatetime
		if status == outOfRange {
			code, message = types.CodeDatetimeOutOfRange, fmt.Sprintf("date/time field value out of range: %q", text)
		}
	}
	e := types.KindErrorf(kind, "%s", message)
	e.Code = code
	return e
}

func textToBoolean(env *Env, v *types.Vector) (*types.Vector, error) {
	n, valid := v.Len(), v.Validity()
	views, buffers := types.ValuesOf[types.View](v), v.DataBuffers()
	dst := env.pool().ZeroBitmap(n)
	failed := false
	for i := range n {
		if !valid.Has(i) {
			continue
		}
		value, status := parseBoolean(views[i].Bytes(buffers))
		failed = failed || status != parsed
		if value {
			dst.Set(i)
		}
	}
	if failed {
		var err error
		valid, err = settleTexts(env, v, types.Boolean, func(b []byte) parseStatus {
			_, status := parseBoolean(b)
			return status
		})
		if err != nil {
			return nil, err
		}
	}
	return types.NewBool(dst, n, valid), nil
}

// parseBoolean reads the words of sql.md in any case, without blanks around them.
func parseBoolean(b []byte) (bool, parseStatus) {
	switch len(b) {
	case 1:
		switch b[0] | 0x20 {
		case 't', 'y':
			return true, parsed
		case 'f', 'n':
			return false, parsed
		}
		switch b[0] {
		case '1':
			return true, parsed
		case '0':
			return false, parsed
		}
	case 2:
		return false, okIf(equalFold(b, "no"))
	case 3:
		return true, okIf(equalFold(b, "yes"))
	case 4:
		return true, okIf(equalFold(b, "true"))
	case 5:
		return false, okIf(equalFold(b, "false"))
	}
	return false, malformed
}

func okIf(ok bool) parseStatus {
	if ok {
		return parsed
	}
	return malformed
}

// equalFold compares with a lower-case ASCII word, ignoring case.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// textToJSON checks texts; they stay as they are written.
func textToJSON(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	valid, err := settleTexts(env, v, to, func(b []byte) parseStatus { return okIf(json.Valid(b)) })
	if err != nil {
		return nil, err
	}
	return v.WithType(to).WithValidity(valid), nil
}

// textToWide parses HUGEINT and DECIMAL.
func textToWide(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	n, valid := v.Len(), v.Validity()
	views, buffers := types.ValuesOf[types.View](v), v.DataBuffers()
	lo, hi := wideRange(to)
	parse := func(b []byte) (int256, parseStatus) {
		x, status := parseNumber(b, to.Scale())
		if status == parsed && (cmp256(x, lo) < 0 || cmp256(x, hi) > 0) {
			status = outOfRange
		}
		return x, status
	}
	dst := types.Alloc[int256](env.pool(), n)
	failed := false
	for i := range dst {
		var x int256
		if valid.Has(i) {
			var status parseStatus
			x, status = parse(views[i].Bytes(buffers))
			failed = failed || status != parsed
		}
		dst[i] = x
	}
	if failed {
		var err error
		valid, err = settleTexts(env, v, to, func(b []byte) parseStatus {
			_, status := parse(b)
			return status
		})
		if err != nil {
			return nil, err
		}
	}
	return storeWide(env, dst, valid, to), nil
}

// asString reads bytes as a string without copying; it must not outlive them.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
