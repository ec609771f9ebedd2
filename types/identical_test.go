package types_test

import (
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
)

// stringViews makes string views of 16 bytes each, over data buffers.
func stringViews(bitmap uint8, n int, views []byte, bodies ...string) *array.Data {
	all := buffers(raw(bitmap), memory.NewBufferBytes(views))
	for _, b := range bodies {
		all = append(all, text(b))
	}
	return node(arrow.BinaryTypes.StringView, n, -1, 0, nil, all...)
}

// TestIdentical has equal arrays, and whether they also lie in memory in the same way.
func TestIdentical(t *testing.T) {
	x := []arrow.Field{nullable("x", arrow.PrimitiveTypes.Int32)}
	item := nullable("item", arrow.PrimitiveTypes.Int32)
	bools := func(bits uint8) *array.Data {
		return node(arrow.FixedWidthTypes.Boolean, 2, -1, 0, nil, raw[uint8](0b01), raw(bits))
	}
	listView := func(bitmap uint8, child *array.Data, offsets, sizes []int32) *array.Data {
		return node(arrow.ListViewOfField(item), len(offsets), -1, 0, []arrow.ArrayData{child}, raw(bitmap), raw(offsets...), raw(sizes...))
	}
	fixedLists := func(child *array.Data) *array.Data {
		return node(arrow.FixedSizeListOfField(2, item), child.Len()/2, -1, 0, []arrow.ArrayData{child}, raw[uint8](0b01))
	}
	extension := func(data *array.Data) *array.Data {
		return array.NewData(types.NullableUnionOf(data.DataType().(arrow.UnionType), false), data.Len(), buffers(raw[uint8](0b01)), []arrow.ArrayData{data}, -1, 0)
	}
	a := func(values ...int32) variant { return variant{0, "a", true, ints(values...)} }
	s := func(values ...string) variant { return variant{1, "s", true, strs(0xff, values...)} }
	long := "longer than twelve bytes"
	prefix := int32('l') | 'o'<<8 | 'n'<<16 | 'g'<<24
	lv := func(buffer, offset int32) []byte { return view(int32(len(long)), prefix, buffer, offset) }
	inline := func(padding int32) []byte { return view(1, 'a', 0, padding) }
	cases := []struct {
		name string
		a, b *array.Data
		want bool
	}{
		{"E13 bitmap", nullableInts(0b11, 1, 2), ints(1, 2), false},
		{"under a null", nullableInts(0b01, 1, 2), nullableInts(0b01, 1, 3), false},
		{"bits after the last row", nullableInts(0b0001, 1, 2), nullableInts(0b1101, 1, 2), true},
		{"outside the window", slice(ints(9, 1, 2, 9), 1, 3), slice(ints(1, 2, 8), 0, 2), true},
		{"no rows", slice(nullableInts(1, 1), 0, 0), ints(), true},
		{"bool under a null", bools(0b01), bools(0b11), false},
		{"bool after the last row", bools(0b001), bools(0b101), true},
		{"string under a null", strs(0b01, "x", "y"), strs(0b01, "x", "z"), false},
		{"length under a null", strs(0b101, "x", "", "y"), strs(0b101, "x", "z", "y"), false},
		{"string offset", slice(strs(0b111, "abc", "x", "y"), 1, 3), strs(0b011, "x", "y"), true},
		{"views", stringViews(1, 1, lv(0, 0), long), stringViews(1, 1, lv(1, 2), "other", "a "+long), true},
		{"view padding", stringViews(1, 1, inline(0)), stringViews(1, 1, inline(7)), true},
		{"view under a null", stringViews(0b01, 2, append(inline(0), inline(0)...)), stringViews(0b01, 2, append(inline(0), lv(0, 0)...), long), false},
		{"wild view under a null", stringViews(0b01, 2, append(inline(0), lv(3, 0)...)), stringViews(0b01, 2, append(inline(0), lv(4, 0)...)), false},
		{"same wild view", stringViews(0b01, 2, append(inline(0), lv(3, 9)...)), stringViews(0b01, 2, append(inline(0), lv(3, 9)...)), true},
		{"E1", structs(0b01, x, ints(7, 1)), structs(0b01, x, ints(7, 2)), false},
		{"struct child offset", structs(0b1, x, slice(ints(9, 7), 1, 2)), structs(0b1, x, ints(7)), true},
		{"E2", lists(0b01, item, ints(7, 1), 0, 1, 2), lists(0b01, item, ints(7, 2), 0, 1, 2), false},
		{"range of a null list", lists(0b01, item, ints(7, 1), 0, 1, 2), lists(0b01, item, ints(7, 1), 0, 1, 1), false},
		{"elements outside", lists(0b1, item, ints(9, 7, 9), 1, 2), lists(0b1, item, ints(7, 8), 0, 1), true},
		{"element under a null", lists(0b1, item, nullableInts(0b01, 7, 1), 0, 2), lists(0b1, item, nullableInts(0b01, 7, 2), 0, 2), false},
		{"list views that overlap", listView(0b11, ints(1, 2), []int32{0, 0}, []int32{2, 1}), listView(0b11, ints(1, 2, 1), []int32{0, 2}, []int32{2, 1}), false},
		{"between list views", listView(0b11, ints(1, 5, 2), []int32{0, 2}, []int32{1, 1}), listView(0b11, ints(1, 6, 2), []int32{0, 2}, []int32{1, 1}), false},
		{"after list views", listView(0b11, ints(1, 5, 2, 7), []int32{0, 2}, []int32{1, 1}), listView(0b11, ints(1, 5, 2), []int32{0, 2}, []int32{1, 1}), true},
		{"list view under a null", listView(0b01, ints(1), []int32{0, -9}, []int32{1, 5}), listView(0b01, ints(1), []int32{0, 9}, []int32{1, 5}), false},
		{"same wild list view", listView(0b01, ints(1), []int32{0, -9}, []int32{1, 5}), listView(0b01, ints(1), []int32{0, -9}, []int32{1, 5}), true},
		{"elements of a null list view", listView(0b01, ints(1, 5), []int32{0, 1}, []int32{1, 1}), listView(0b01, ints(1, 6), []int32{0, 1}, []int32{1, 1}), false},
		{"fixed size list under a null", fixedLists(ints(1, 2, 3, 4)), fixedLists(ints(1, 2, 3, 5)), false},
		{"unselected slot", sparse([]int8{0}, a(1), s("x")), sparse([]int8{0}, a(1), s("y")), false},
		{"sparse slice", slice(sparse([]int8{1, 0}, a(9, 1), s("q", "x")), 1, 2), sparse([]int8{0}, a(1), s("x")), true},
		{"dense offsets", dense([]int8{0, 0}, []int32{0, 0}, a(1)), dense([]int8{0, 0}, []int32{0, 1}, a(1, 1)), false},
		{"between dense rows", dense([]int8{0, 0}, []int32{0, 2}, a(1, 5, 2)), dense([]int8{0, 0}, []int32{0, 2}, a(1, 6, 2)), false},
		{"between dense rows that go back", dense([]int8{0, 0}, []int32{2, 0}, a(1, 5, 2)), dense([]int8{0, 0}, []int32{2, 0}, a(1, 6, 2)), false},
		{"around dense rows", dense([]int8{0}, []int32{1}, a(5, 1, 5), s("x")), dense([]int8{0}, []int32{1}, a(6, 1), s("y")), true},
		{"outer null", extension(sparse([]int8{0, 0}, a(1, 2))), extension(sparse([]int8{0, 0}, a(1, 3))), false},
		{"outer null, same", extension(sparse([]int8{0, 0}, a(1, 2))), extension(sparse([]int8{0, 0}, a(1, 2))), true},
		{"E3", dict(raw[int8](0, 1), 2, nil, ints(5, 6)), dict(raw[int8](1, 0), 2, nil, ints(6, 5)), false},
		{"unused entry", dict(raw[int8](0), 1, nil, ints(5, 6)), dict(raw[int8](0), 1, nil, ints(5, 7)), false},
		{"longer dictionary", dict(raw[int8](0), 1, nil, ints(5)), dict(raw[int8](0), 1, nil, ints(5, 5)), false},
		{"key under a null", dict(raw[int8](0, 1), 2, raw[uint8](0b01), ints(5)), dict(raw[int8](0, 2), 2, raw[uint8](0b01), ints(5)), false},
		{"entries at another offset", dict(raw[int8](0), 1, nil, slice(ints(9, 5), 1, 2)), dict(raw[int8](0), 1, nil, ints(5)), true},
		{"dictionary of no rows", dict(raw[int8](), 0, nil, ints(5)), dict(raw[int8](), 0, nil, ints(6)), true},
		{"E4", ree(3, 0, ints(1, 3), ints(5, 5)), ree(3, 0, ints(3), ints(5)), false},
		{"runs of a window", ree(3, 4, ints(2, 5, 9), ints(1, 5, 6)), ree(3, 0, ints(1, 3), ints(5, 6)), true},
		{"other runs of a window", ree(3, 4, ints(2, 5, 9), ints(5, 5, 5)), ree(3, 0, ints(2, 3), ints(5, 5)), false},
		{"null of a run", ree(2, 0, ints(2), nullableInts(0, 1)), ree(2, 0, ints(2), nullableInts(0, 2)), false},
		{"known null count", node(arrow.PrimitiveTypes.Int32, 1, 1, 0, nil, raw[uint8](0), raw[int32](1)), nullableInts(0, 1), true},
	}
	for _, c := range cases {
		l, r := safeArray(c.a), safeArray(c.b)
		if !types.EqualArrays(l, r, types.EqualOptions{}) {
			t.Errorf("%s: not even equal", c.name)
		}
		if types.Identical(l, r) != c.want || types.Identical(r, l) != c.want {
			t.Errorf("%s: identical, want %t both ways", c.name, c.want)
		}
		if !types.Identical(l, l) {
			t.Errorf("%s: not identical to itself", c.name)
		}
	}
	if types.Identical(array.MakeFromData(ints(1)), array.MakeFromData(ints(2))) {
		t.Error("other values are identical")
	}
}

// TestIdenticalOfHiddenBits flips each bit of a sliced array once: a bit that rows show makes it unequal, a hidden one in the window no longer identical, and one
// outside of it changes nothing.
func TestIdenticalOfHiddenBits(t *testing.T) {
	values := []int32{9, 1, 2, 3, 9}
	arr := func(values []int32, bitmap uint8) arrow.Array {
		return array.MakeFromData(slice(nullableInts(bitmap, values...), 1, 4))
	}
	const bitmap = 0b10111 // row 3 of 5 is null
	original := arr(values, bitmap)
	for bit := range len(values) * 32 {
		changed := slices.Clone(values)
		changed[bit/32] ^= 1 << (bit % 32)
		row := bit / 32
		inside := row > 0 && row < 4
		got := arr(changed, bitmap)
		if equal := types.EqualArrays(original, got, types.EqualOptions{}); equal != (!inside || row == 3) {
			t.Errorf("bit %d of row %d: equal is %t", bit%32, row, equal)
		}
		if same := types.Identical(original, got); same == inside {
			t.Errorf("bit %d of row %d: identical is %t", bit%32, row, same)
		}
	}
	for bit := range 8 {
		inside := bit > 0 && bit < 4
		got := arr(values, bitmap^1<<bit)
		if types.EqualArrays(original, got, types.EqualOptions{}) == inside || types.Identical(original, got) == inside {
			t.Errorf("bit %d of the bitmap", bit)
		}
	}
}
