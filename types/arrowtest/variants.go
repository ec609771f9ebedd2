package arrowtest

import (
	"math/rand/v2"

	"github.com/lacunadb/lacuna/types"
)

// Variant is a vector in one of many layouts for the same rows.
type Variant struct {
	Name   string
	Vector *types.Vector
}

// Variants gives the rows of v in many layouts: plain, sliced out of a longer vector at an offset that is no multiple of 64, dictionaries with
// duplicate, unused and null entries, runs, dictionaries of runs, a constant where all rows are equal, and an all-ones bitmap where no row is
// null. All are types.EqualWith v under IgnoreEncoding and NaNEqual.
func Variants(rng *rand.Rand, v *types.Vector) []Variant {
	n := v.Len()
	plain := types.Flatten(nil, v)
	out := []Variant{{"plain", plain}}
	add := func(name string, v *types.Vector) { out = append(out, Variant{name, v}) }
	if n == 0 {
		return out
	}
	before := 1 + rng.IntN(130)
	add("plain sliced", padded(rng, plain, before).Slice(nil, before, before+n))
	if types.NullCount(nil, plain) == 0 && v.Type().Kind() != types.KindNull {
		all := make(types.Bitmap, types.BitmapWords(n))
		types.FillBitmap(all, n)
		add("all-ones bitmap", plain.WithValidity(all))
	}
	dict := dictionary(rng, plain)
	add("dictionary", dict)
	add("dictionary sliced", dictionary(rng, padded(rng, plain, before)).Slice(nil, before, before+n))
	ends, equal := runs(plain)
	runEnd := types.NewRunEnd(ends, take(plain, starts(ends)))
	add("run-end", runEnd)
	long := padded(rng, plain, before)
	longEnds, _ := runs(long)
	add("run-end sliced", types.NewRunEnd(longEnds, take(long, starts(longEnds))).Slice(nil, before, before+n))
	own := make([]uint32, n)
	for i := range own {
		own[i] = uint32(i)
	}
	add("dictionary of runs", types.NewDictionary(own, runEnd, nil))
	if equal {
		add("constant", types.NewConstant(plain, n))
	}
	return out
}

// take gives rows of v as a plain vector.
func take(v *types.Vector, rows []uint32) *types.Vector {
	return types.Flatten(nil, types.NewDictionary(rows, v, nil))
}

// padded gives v with rows before and after it, copies of its own.
func padded(rng *rand.Rand, v *types.Vector, before int) *types.Vector {
	n := v.Len()
	rows := make([]uint32, before+n+rng.IntN(70))
	for i := range rows {
		rows[i] = uint32(rng.IntN(n))
		if at := i - before; at >= 0 && at < n {
			rows[i] = uint32(at)
		}
	}
	return take(v, rows)
}

// dictionary encodes with entries in random order, twice each, and one null entry; null rows are null keys or name null entries.
func dictionary(rng *rand.Rand, v *types.Vector) *types.Vector {
	n := v.Len()
	order := append(rng.Perm(n), rng.Perm(n)...)
	rows := make([]uint32, len(order)+1)
	valid := make(types.Bitmap, types.BitmapWords(len(rows)))
	entry := make([]uint32, n)
	for i, r := range order {
		rows[i] = uint32(r)
		valid.Set(i)
		if i < n || rng.IntN(2) == 0 {
			entry[r] = uint32(i)
		}
	}
	// The last entry is null.
	entries := types.Flatten(nil, types.NewDictionary(rows, v, valid))
	rowValid := types.LogicalValidity(nil, v)
	keyValid := make(types.Bitmap, types.BitmapWords(n))
	for i := range n {
		keyValid.Set(i)
		if !rowValid.Has(i) {
			switch rng.IntN(3) {
			case 0:
				keyValid.Clear(i)
			case 1:
				entry[i] = uint32(len(order))
			}
		}
	}
	if rng.IntN(2) == 0 && keyValid.Count(n) == n {
		keyValid = nil
	}
	return types.NewDictionary(entry, entries, keyValid)
}

// runs finds the ends of runs of bitwise equal neighbours, and whether all rows are equal.
func runs(v *types.Vector) ([]int32, bool) {
	var ends []int32
	for i := 1; i < v.Len(); i++ {
		if !types.EqualWith(v.Slice(nil, i-1, i), v.Slice(nil, i, i+1), types.EqualOptions{IgnoreEncoding: true, BitwiseFloats: true}) {
			ends = append(ends, int32(i))
		}
	}
	return append(ends, int32(v.Len())), len(ends) == 0
}

func starts(ends []int32) []uint32 {
	out := []uint32{0}
	for _, e := range ends[:len(ends)-1] {
		out = append(out, uint32(e))
	}
	return out
}
