package types

// SameBits reports whether row i of a and row j of b, of one type, are bitwise identical (null-semantics 2.0): null with null, in unions only of the same
// variant, also where the union itself is NULL, and floats bit by bit, so that NaN payloads and -0 stay apart. What merges runs and shares dictionary entries asks this, and loses nothing.
func SameBits(a *Vector, i int, b *Vector, j int) bool {
	c := comparer{EqualOptions: EqualOptions{BitwiseFloats: true}, variants: true}
	return c.rows(a, i, b, j)
}
