package kernels

import (
	"math"
	"math/bits"

	"github.com/lacunadb/lacuna/types"
)

// InSet is the list of x IN (a, b, ...), made once for all batches. Immutable and safe for concurrent use.
type InSet struct {
	values  *types.Vector // those that are not null, plain
	null    bool          // one is
	members members       // nil: compare with one value after the other
}

// members finds the rows of a plain vector whose value is in a set: bits of dst, which is zero. Rows that are not valid are not looked at or
// get an arbitrary bit.
type members interface {
	find(env *Env, dst types.Bitmap, v *types.Vector, valid types.Bitmap)
}

// fewValues is the longest list that is compared value by value when the type's comparisons have loops of their own: up to here that is
// faster than a look into a table for each row.
const fewValues = 6

// NewInSet makes the set of a vector's rows. The vector's memory is kept.
func NewInSet(values *types.Vector) *InSet {
	values = Decode(nil, values)
	s := &InSet{values: values}
	if valid := types.LogicalValidity(nil, values); valid != nil {
		if kept := valid.Count(values.Len()); kept < values.Len() {
			s.null = true
			s.values = Filter(nil, values, valid, kept)
		}
		s.values = Decode(nil, s.values)
	}
	s.members = membersOf(s.values)
	return s
}

// HasNull reports whether NULL is in the list.
func (s *InSet) HasNull() bool { return s.null }

// Values gives the values of the list that are not null, as a plain vector.
func (s *InSet) Values() *types.Vector { return s.values }

// Contains gives v IN (list) as BOOLEAN: true where a value of the list equals the row's (Compare), else null where the row is null, the list
// has a NULL, or a null inside a nested value leaves it undecided, else false. An empty list gives false for every row. The type of v is that
// of the list.
func (s *InSet) Contains(env *Env, v *types.Vector) (*types.Vector, error) {
	if s.values.Len() == 0 && !s.null {
		no := types.NewBool(types.Bitmap{0}, 1, nil)
		return types.NewConstant(no, v.Len()), nil
	}
	if isNullConstant(v) || s.values.Len() == 0 {
		return types.NewNull(types.Boolean, v.Len()), nil
	}
	if err := sameComparable(v, s.values); err != nil {
		return nil, err
	}
	return applyUnary(env, v, s.containsPlain)
}

func (s *InSet) containsPlain(env *Env, v *types.Vector) (*types.Vector, error) {
	if s.members == nil {
		return s.compareEach(env, v)
	}
	valid := types.LogicalValidity(env.pool(), v)
	dst := env.pool().ZeroBitmap(v.Len())
	s.members.find(env, dst, v, valid)
	if s.null {
		valid = types.AndBitmaps(env.pool(), valid, dst, v.Len())
	}
	return types.NewBool(dst, v.Len(), valid), nil
}

// compareEach joins the comparisons with each value by OR.
func (s *InSet) compareEach(env *Env, v *types.Vector) (*types.Vector, error) {
	var result *types.Vector
	if s.null {
		result = types.NewNull(types.Boolean, v.Len())
	}
	for i := range s.values.Len() {
		equal, err := Compare(env, Equal, v, types.NewConstant(s.values.Slice(nil, i, i+1), v.Len()))
		if err != nil {
			return nil, err
		}
		if result == nil {
			result = equal
		} else if result, err = Or(env, result, equal); err != nil {
			return nil, err
		}
	}
	return Decode(env, result), nil
}

// membersOf picks how to look values up, or gives nil when comparing with each is best or all that there is.
func membersOf(values *types.Vector) members {
	few := values.Len() <= fewValues
	switch s := values.Type().Storage(); {
	case s == types.StorageView:
		return newTextMembers(values)
	case few:
		return nil
	case s == types.StorageInt8:
		return newNumberMembers(types.ValuesOf[int8](values))
	case s == types.StorageInt16:
		return newNumberMembers(types.ValuesOf[int16](values))
	case s == types.StorageInt32:
		return newNumberMembers(types.ValuesOf[int32](values))
	case s == types.StorageInt64:
		return newNumberMembers(types.ValuesOf[int64](values))
	case s == types.StorageUint8:
		return newNumberMembers(types.ValuesOf[uint8](values))
	case s == types.StorageUint16:
		return newNumberMembers(types.ValuesOf[uint16](values))
	case s == types.StorageUint32:
		return newNumberMembers(types.ValuesOf[uint32](values))
	case s == types.StorageUint64:
		return newNumberMembers(types.ValuesOf[uint64](values))
	case s == types.StorageFloat32:
		return newFloatMembers(types.ValuesOf[float32](values))
	case s == types.StorageFloat64:
		return newFloatMembers(types.ValuesOf[float64](values))
	case s == types.StorageInt128:
		return newPairMembers(types.ValuesOf[types.Int128](values))
	case s == types.StorageInterval:
		return intervalMembers{newPairMembers(types.ValuesOf[types.Int128](intervalLengths(nil, values)))}
	}
	return nil
}

// maxSpan is the largest distance between the least and the greatest integer of a list that gets a bit for each integer between: 8 KiB.
const maxSpan = 1 << 16

// spanMembers has a bit for each integer from low on.
type spanMembers[T integer] struct {
	low  T
	span uint64
	bits types.Bitmap
}

func newNumberMembers[T integer](values []T) members {
	low, high := values[0], values[0]
	for _, x := range values {
		low, high = min(low, x), max(high, x)
	}
	span := uint64(high) - uint64(low) + 1
	if span == 0 || span > maxSpan {
		return numberMembers[T]{newWordTable(values, func(x T) uint64 { return uint64(x) })}
	}
	m := spanMembers[T]{low: low, span: span, bits: make(types.Bitmap, types.BitmapWords(int(span)))}
	for _, x := range values {
		m.bits.Set(int(uint64(x) - uint64(low)))
	}
	return m
}

func (m spanMembers[T]) find(_ *Env, dst types.Bitmap, v *types.Vector, _ types.Bitmap) {
	values := types.ValuesOf[T](v)[:v.Len()]
	for w := range dst {
		var word uint64
		for i, x := range values[w*64 : min(len(values), w*64+64)] {
			if at := uint64(x) - uint64(m.low); at < m.span {
				word |= (m.bits[at>>6] >> (at & 63) & 1) << uint(i)
			}
		}
		dst[w] = word
	}
}

// wordTable is a set of 64-bit words: open addressing with linear probing, at most half full.
type wordTable struct {
	slots []uint64
	empty uint64 // what stands in a free slot: a word that is not in the set
	shift uint   // of the hash, so that its high bits number a slot
}

func newWordTable[T any](values []T, word func(T) uint64) wordTable {
	t := wordTable{slots: make([]uint64, tableSize(len(values)))}
	t.shift = uint(64 - bits.TrailingZeros(uint(len(t.slots))))
	known := make(map[uint64]bool, len(values))
	for _, x := range values {
		known[word(x)] = true
	}
	for known[t.empty] {
		t.empty++
	}
	for i := range t.slots {
		t.slots[i] = t.empty
	}
	for x := range known {
		at := t.slot(x)
		for t.slots[at] != t.empty {
			at = (at + 1) & uint64(len(t.slots)-1)
		}
		t.slots[at] = x
	}
	return t
}

// tableSize gives a power of two that is more than twice n.
func tableSize(n int) int { return 1 << max(3, bits.Len(uint(2*n))) }

// golden is 2^64 divided by the golden ratio: multiplied by it, neighbours land far apart (Knuth, "The Art of Computer Programming" 6.4).
const golden = 0x9E3779B97F4A7C15

func (t *wordTable) slot(x uint64) uint64 { return x * golden >> t.shift }

// has gives 1 for a word of the set.
func (t *wordTable) has(x uint64) uint64 {
	if x == t.empty {
		return 0
	}
	for at := t.slot(x); ; at = (at + 1) & uint64(len(t.slots)-1) {
		switch t.slots[at&uint64(len(t.slots)-1)] {
		case x:
			return 1
		case t.empty:
			return 0
		}
	}
}

type numberMembers[T integer] struct{ table wordTable }

func (m numberMembers[T]) find(_ *Env, dst types.Bitmap, v *types.Vector, _ types.Bitmap) {
	values := types.ValuesOf[T](v)[:v.Len()]
	for w := range dst {
		var word uint64
		for i, x := range values[w*64 : min(len(values), w*64+64)] {
			word |= m.table.has(uint64(x)) << uint(i)
		}
		dst[w] = word
	}
}

type floatMembers[T float] struct{ table wordTable }

func newFloatMembers[T float](values []T) members {
	return floatMembers[T]{newWordTable(values, floatWord[T])}
}

// floatWord gives equal numbers the same word: -0 that of 0, every NaN the same.
func floatWord[T float](x T) uint64 {
	switch {
	case x == 0:
		return 0
	case x != x:
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(float64(x))
}

func (m floatMembers[T]) find(_ *Env, dst types.Bitmap, v *types.Vector, _ types.Bitmap) {
	values := types.ValuesOf[T](v)[:v.Len()]
	for w := range dst {
		var word uint64
		for i, x := range values[w*64 : min(len(values), w*64+64)] {
			word |= m.table.has(floatWord(x)) << uint(i)
		}
		dst[w] = word
	}
}

// pairTable is a set of 128-bit values: open addressing with linear probing, at most half full.
type pairTable struct {
	slots []types.Int128
	used  types.Bitmap
	mask  uint64
}

func newPairTable(values []types.Int128) pairTable {
	size := tableSize(len(values))
	t := pairTable{slots: make([]types.Int128, size), used: make(types.Bitmap, types.BitmapWords(size)), mask: uint64(size - 1)}
	for _, x := range values {
		at := t.slot(x)
		for t.used.Get(int(at)) && t.slots[at] != x {
			at = (at + 1) & t.mask
		}
		t.used.Set(int(at))
		t.slots[at] = x
	}
	return t
}

func (t *pairTable) slot(x types.Int128) uint64 {
	h := (x.Lo ^ bits.RotateLeft64(uint64(x.Hi), 29)) * golden
	return (h ^ h>>32) & t.mask
}

func (t *pairTable) has(x types.Int128) bool {
	for at := t.slot(x); t.used.Get(int(at)); at = (at + 1) & t.mask {
		if t.slots[at] == x {
			return true
		}
	}
	return false
}

type pairMembers struct{ table pairTable }

func newPairMembers(values []types.Int128) pairMembers { return pairMembers{newPairTable(values)} }

func (m pairMembers) find(_ *Env, dst types.Bitmap, v *types.Vector, _ types.Bitmap) {
	for i, x := range types.ValuesOf[types.Int128](v)[:v.Len()] {
		if m.table.has(x) {
			dst.Set(i)
		}
	}
}

// intervalMembers looks intervals up by their length.
type intervalMembers struct{ lengths pairMembers }

func (m intervalMembers) find(env *Env, dst types.Bitmap, v *types.Vector, valid types.Bitmap) {
	m.lengths.find(env, dst, intervalLengths(env, v), valid)
}

// textMembers keeps short texts as the two words of their views, and long ones by their bytes, first asked for by the word of their length and
// prefix.
type textMembers struct {
	short pairTable
	heads wordTable
	long  map[string]struct{}
}

func newTextMembers(values *types.Vector) members {
	m := textMembers{long: map[string]struct{}{}}
	var short []types.Int128
	var heads []uint64
	views := types.ValuesOf[types.View](values)[:values.Len()]
	for i := range views {
		x := &views[i]
		if x.IsInline() {
			short = append(short, viewPair(x))
			continue
		}
		heads = append(heads, x.Head)
		m.long[string(x.Bytes(values.DataBuffers()))] = struct{}{}
	}
	m.short = newPairTable(short)
	m.heads = newWordTable(heads, func(x uint64) uint64 { return x })
	return m
}

func viewPair(x *types.View) types.Int128 { return types.Int128{Lo: x.Head, Hi: int64(x.Tail)} }

func (m textMembers) find(_ *Env, dst types.Bitmap, v *types.Vector, valid types.Bitmap) {
	views, buffers := types.ValuesOf[types.View](v)[:v.Len()], v.DataBuffers()
	for i := range views {
		x := &views[i]
		if x.IsInline() {
			if m.short.has(viewPair(x)) {
				dst.Set(i)
			}
			continue
		}
		if m.heads.has(x.Head) == 0 || !valid.Has(i) { // a view under a null may point anywhere
			continue
		}
		if _, found := m.long[string(x.Bytes(buffers))]; found {
			dst.Set(i)
		}
	}
}
