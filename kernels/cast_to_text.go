package kernels

import (
	"time"

	"github.com/lacunadb/lacuna/types"
)

// castToText gives a plain vector as VARCHAR: the text of types.AppendText, but TIMESTAMPTZ, where it is
// not inside another value, in the session's zone.
func castToText(env *Env, v *types.Vector) (*types.Vector, error) {
	n, typ, valid := v.Len(), v.Type(), v.Validity()
	out := NewViewBuilder(env, types.Varchar, n)
	var scratch [128]byte
	for i := range n {
		if !valid.Has(i) {
			out.AppendEmpty()
			continue
		}
		if typ.Kind() == types.KindTimestampTZ {
			out.Append(appendTimestampTZ(scratch[:0], types.ValuesOf[int64](v)[i], typ.Unit(), env.zone()))
		} else {
			out.Append(types.AppendText(scratch[:0], v, i))
		}
	}
	return out.Finish(valid), nil
}

// appendTimestampTZ writes the session's wall clock and its offset from UTC.
func appendTimestampTZ(dst []byte, t int64, unit types.TimeUnit, zone *time.Location) []byte {
	local, ok := toLocal(t, unit.PerSecond(), zone)
	if isInfiniteTimestamp(t) || !ok {
		return types.AppendTimestamp(dst, t, unit)
	}
	dst = types.AppendTimestamp(dst, local, unit)
	offset := (local - t) / unit.PerSecond()
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	dst = appendTwoDigits(append(dst, sign), offset/3600)
	if offset%3600 != 0 {
		dst = appendTwoDigits(append(dst, ':'), offset/60%60)
	}
	if offset%60 != 0 {
		dst = appendTwoDigits(append(dst, ':'), offset%60)
	}
	return dst
}

func appendTwoDigits(dst []byte, x int64) []byte { return append(dst, byte('0'+x/10), byte('0'+x%10)) }

// parseUUID reads 32 hexadecimal digits in any case, with hyphens after any pair and braces around them.
func parseUUID(b []byte) (int128, parseStatus) {
	if n := len(b); n > 1 && b[0] == '{' && b[n-1] == '}' {
		b = b[1 : n-1]
	}
	var words [2]uint64
	digits := 0
	for i, c := range b {
		if c == '-' && digits > 0 && digits%4 == 0 && i+1 < len(b) && b[i-1] != '-' {
			continue
		}
		d, ok := hexValue(c)
		if !ok || digits == 32 {
			return int128{}, malformed
		}
		words[digits/16] = words[digits/16]<<4 | uint64(d)
		digits++
	}
	if digits != 32 {
		return int128{}, malformed
	}
	return int128{Hi: int64(words[0] ^ 1<<63), Lo: words[1]}, parsed
}

func hexValue(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// textToBlob reads ASCII with \xHH for other bytes, as casts of BLOB to VARCHAR write them.
func textToBlob(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	return textToBytes(env, v, to, unescapeBlob)
}

// textToBit packs texts of 0 and 1.
func textToBit(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	return textToBytes(env, v, to, func(dst, text []byte) ([]byte, parseStatus) {
		dst, ok := types.AppendBit(dst, text)
		if !ok {
			return dst, malformed
		}
		return dst, parsed
	})
}

// textToBytes makes byte strings of texts, none more than two bytes longer than its text.
func textToBytes(env *Env, v *types.Vector, to types.Type, pack func(dst, text []byte) ([]byte, parseStatus)) (*types.Vector, error) {
	n, valid := v.Len(), v.Validity()
	views, buffers := types.ValuesOf[types.View](v), v.DataBuffers()
	out := NewViewBuilder(env, to, n)
	failed := false
	for i := range n {
		if !valid.Has(i) {
			out.AppendEmpty()
			continue
		}
		text := views[i].Bytes(buffers)
		b, status := pack(out.Reserve(len(text) + 2)[:0], text)
		failed = failed || status != parsed
		out.AppendReserved(b)
	}
	if failed {
		var err error
		valid, err = settleTexts(env, v, to, func(b []byte) parseStatus {
			_, status := pack(nil, b)
			return status
		})
		if err != nil {
			return nil, err
		}
	}
	return out.Finish(valid), nil
}

func unescapeBlob(dst, text []byte) ([]byte, parseStatus) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x80 {
			return dst, malformed
		}
		if c == '\\' {
			if i+3 >= len(text) || text[i+1] != 'x' {
				return dst, malformed
			}
			hi, ok1 := hexValue(text[i+2])
			lo, ok2 := hexValue(text[i+3])
			if !ok1 || !ok2 {
				return dst, malformed
			}
			c = hi<<4 | lo
			i += 3
		}
		dst = append(dst, c)
	}
	return dst, parsed
}
