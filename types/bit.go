package types

// A BIT value is stored as a byte with the number of unused bits, 0 to 7, and then the bits, first bit highest, with the unused ones, set,
// at the front.

// validBit reports whether bytes are a BIT value.
func validBit(b []byte) bool {
	if len(b) < 2 {
		return len(b) == 1 && b[0] == 0
	}
	if b[0] > 7 {
		return false
	}
	unused := byte(0xff) << (8 - b[0])
	return b[1]&unused == unused
}

// InvalidBit gives the first row that is not null and whose bytes, of a plain BLOB or BIT vector, are no BIT value; -1 for none.
func InvalidBit(v *Vector) int {
	for i, x := range ValuesOf[View](v)[:v.length] {
		if v.validity.Has(i) && !validBit(x.Bytes(v.buffers)) {
			return i
		}
	}
	return -1
}

// appendBitText appends the bits as 0 and 1.
func appendBitText(dst []byte, b []byte) []byte {
	if len(b) == 0 { // the placeholder below a null
		return dst
	}
	for i := int(b[0]); i < (len(b)-1)*8; i++ {
		dst = append(dst, '0'+b[1+i/8]>>(7-i%8)&1)
	}
	return dst
}

// AppendBit appends the BIT value of a text of 0 and 1, of which there must be one; it reports false for any other text.
func AppendBit(dst, text []byte) ([]byte, bool) {
	packed, ok := bitFromText(string(text))
	return append(dst, packed...), ok && len(text) > 0
}

// bitFromText packs a text of 0 and 1; it reports false for any other text.
func bitFromText(s string) ([]byte, bool) {
	unused := (8 - len(s)%8) % 8
	b := make([]byte, 1+(len(s)+7)/8)
	b[0] = byte(unused)
	if len(b) > 1 {
		b[1] = byte(0xff) << (8 - unused)
	}
	for i := 0; i < len(s); i++ {
		switch at := i + unused; s[i] {
		case '1':
			b[1+at/8] |= 1 << (7 - at%8)
		case '0':
		default:
			return nil, false
		}
	}
	return b, true
}
