package types_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

func raw[T any](values ...T) *memory.Buffer {
	var b []byte
	for _, v := range values {
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	return memory.NewBufferBytes(b)
}

func text(s string) *memory.Buffer { return memory.NewBufferBytes([]byte(s)) }

func node(dt arrow.DataType, n, nulls, offset int, children []arrow.ArrayData, buffers ...*memory.Buffer) *array.Data {
	return array.NewData(dt, n, buffers, children, nulls, offset)
}

func ints(values ...int32) *array.Data {
	return node(arrow.PrimitiveTypes.Int32, len(values), 0, 0, nil, nil, raw(values...))
}

func dict(keys *memory.Buffer, n int, bitmap *memory.Buffer, values *array.Data) *array.Data {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: values.DataType()}
	return array.NewDataWithDictionary(dt, n, []*memory.Buffer{bitmap, keys}, -1, 0, values)
}

func ree(n, offset int, ends, values *array.Data) *array.Data {
	return node(arrow.RunEndEncodedOf(ends.DataType(), values.DataType()), n, 0, offset, []arrow.ArrayData{ends, values}, nil)
}

// view writes a view of a string that is not inline.
func view(n, prefix, buffer, offset int32) []byte {
	return slices.Concat(raw(n).Bytes(), raw(prefix).Bytes(), raw(buffer).Bytes(), raw(offset).Bytes())
}

type badData struct {
	name string
	data *array.Data
	kind error
}

// badLayouts are arrays each of which lies in one way.
func badLayouts() []badData {
	union := arrow.SparseUnionOf([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, []int8{5})
	dense := arrow.DenseUnionOf([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, []int8{5})
	list := arrow.ListOf(arrow.PrimitiveTypes.Int32)
	listView := arrow.ListViewOf(arrow.PrimitiveTypes.Int32)
	str := arrow.BinaryTypes.String
	return []badData{
		{"values too short", node(arrow.PrimitiveTypes.Int32, 3, 0, 0, nil, nil, raw[int32](1, 2)), types.ErrInvalidLayout},
		{"values missing", node(arrow.PrimitiveTypes.Int32, 3, 0, 0, nil, nil, nil), types.ErrInvalidLayout},
		{"no buffers", node(arrow.PrimitiveTypes.Int32, 3, 0, 0, nil), types.ErrInvalidLayout},
		{"offset past the end", node(arrow.PrimitiveTypes.Int32, 1, 0, 2, nil, nil, raw[int32](1, 2)), types.ErrInvalidLayout},
		{"huge length", node(arrow.PrimitiveTypes.Int64, 1<<61, 0, 0, nil, nil, raw[int64](1, 2)), types.ErrInvalidLayout},
		{"negative length", node(arrow.PrimitiveTypes.Int64, -1, 0, 0, nil, nil, raw[int64](1, 2)), types.ErrInvalidLayout},
		{"negative offset", node(arrow.PrimitiveTypes.Int64, 1, 0, -1, nil, nil, raw[int64](1, 2)), types.ErrInvalidLayout},
		{"validity too short", node(arrow.PrimitiveTypes.Int8, 9, -1, 0, nil, raw[uint8](255), raw[int8](1, 2, 3, 4, 5, 6, 7, 8, 9)), types.ErrInvalidLayout},
		{"V10 null count", node(arrow.PrimitiveTypes.Int8, 1, 0, 0, nil, raw[uint8](0), raw[int8](1)), types.ErrInvalidLayout},
		{"bools too short", node(arrow.FixedWidthTypes.Boolean, 9, 0, 0, nil, nil, raw[uint8](1)), types.ErrInvalidLayout},
		{"string offsets decrease", node(str, 2, 0, 0, nil, nil, raw[int32](0, 3, 1), text("abc")), types.ErrInvalidLayout},
		{"string offset past the end", node(str, 1, 0, 0, nil, nil, raw[int32](0, 4), text("abc")), types.ErrInvalidLayout},
		{"string offset negative", node(str, 1, 0, 0, nil, nil, raw[int32](-1, 1), text("abc")), types.ErrInvalidLayout},
		{"string offsets too short", node(str, 2, 0, 0, nil, nil, raw[int32](0, 1), text("abc")), types.ErrInvalidLayout},
		{"string bytes missing", node(str, 1, 0, 0, nil, nil, raw[int32](0, 1), nil), types.ErrInvalidLayout},
		{"large string offset", node(arrow.BinaryTypes.LargeString, 1, 0, 0, nil, nil, raw[int64](0, 1<<40), text("abc")), types.ErrInvalidLayout},
		{"view buffer index", node(arrow.BinaryTypes.BinaryView, 1, 0, 0, nil, nil, memory.NewBufferBytes(view(13, 0, 1, 0)), text("0123456789abc")), types.ErrInvalidLayout},
		{"view negative index", node(arrow.BinaryTypes.BinaryView, 1, 0, 0, nil, nil, memory.NewBufferBytes(view(13, 0, -1, 0)), text("0123456789abc")), types.ErrInvalidLayout},
		{"view offset", node(arrow.BinaryTypes.BinaryView, 1, 0, 0, nil, nil, memory.NewBufferBytes(view(13, 0, 0, 1)), text("0123456789abc")), types.ErrInvalidLayout},
		{"view negative offset", node(arrow.BinaryTypes.BinaryView, 1, 0, 0, nil, nil, memory.NewBufferBytes(view(13, 0, 0, -1)), text("0123456789abc")), types.ErrInvalidLayout},
		{"view negative length", node(arrow.BinaryTypes.BinaryView, 1, 0, 0, nil, nil, memory.NewBufferBytes(view(-1, 0, 0, 0)), text("0123456789abc")), types.ErrInvalidLayout},
		{"fixed size binary too short", node(&arrow.FixedSizeBinaryType{ByteWidth: 4}, 2, 0, 0, nil, nil, text("abcdefg")), types.ErrInvalidLayout},
		{"list offsets decrease", node(list, 2, 0, 0, []arrow.ArrayData{ints(1, 2, 3)}, nil, raw[int32](0, 2, 1)), types.ErrInvalidLayout},
		{"list offset past the end", node(list, 1, 0, 0, []arrow.ArrayData{ints(1, 2, 3)}, nil, raw[int32](0, 4)), types.ErrInvalidLayout},
		{"list offset negative", node(list, 1, 0, 0, []arrow.ArrayData{ints(1, 2, 3)}, nil, raw[int32](-1, 2)), types.ErrInvalidLayout},
		{"list without child", node(list, 1, 0, 0, nil, nil, raw[int32](0, 0)), types.ErrInvalidLayout},
		{"list view past the end", node(listView, 1, 0, 0, []arrow.ArrayData{ints(1, 2, 3)}, nil, raw[int32](2), raw[int32](2)), types.ErrInvalidLayout},
		{"list view negative", node(listView, 1, 0, 0, []arrow.ArrayData{ints(1, 2, 3)}, nil, raw[int32](2), raw[int32](-1)), types.ErrInvalidLayout},
		{"struct child too short", node(arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32}), 3, 0, 1, []arrow.ArrayData{ints(1, 2, 3)}, nil), types.ErrInvalidLayout},
		{"array child too short", node(arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32), 2, 0, 0, []arrow.ArrayData{ints(1, 2, 3)}, nil), types.ErrInvalidLayout},
		{"V12 key out of range", dict(raw[int8](0, 2), 2, nil, ints(1, 2)), types.ErrInvalidLayout},
		{"key negative", dict(raw[int8](-1), 1, nil, ints(1, 2)), types.ErrInvalidLayout},
		{"key into empty dictionary", dict(raw[int8](0), 1, nil, ints()), types.ErrInvalidLayout},
		{"dictionary missing", node(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: str}, 1, 0, 0, nil, nil, raw[int8](0)), types.ErrInvalidLayout},
		{"V7 run ends equal", ree(3, 0, ints(2, 2, 3), ints(1, 2, 3)), types.ErrInvalidLayout},
		{"V7 run ends too small", ree(3, 1, ints(2, 3), ints(1, 2)), types.ErrInvalidLayout},
		{"V7 run ends null", ree(1, 0, node(arrow.PrimitiveTypes.Int32, 1, 1, 0, nil, raw[uint8](0), raw[int32](1)), ints(1)), types.ErrInvalidLayout},
		{"run ends start at zero", ree(1, 0, ints(0, 1), ints(1, 2)), types.ErrInvalidLayout},
		{"fewer values than runs", ree(2, 0, ints(1, 2), ints(1)), types.ErrInvalidLayout},
		{"N29 union with a bitmap", node(union, 1, -1, 0, []arrow.ArrayData{ints(1)}, raw[uint8](1), raw[int8](5)), types.ErrInvalidLayout},
		{"REE with a bitmap", node(arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int32), 1, -1, 0, []arrow.ArrayData{ints(1), ints(1)}, raw[uint8](1)), types.ErrInvalidLayout},
		{"V9 unknown type code", node(union, 1, 0, 0, []arrow.ArrayData{ints(1)}, nil, raw[int8](7)), types.ErrUnknownTypeCode},
		{"negative type code", node(union, 1, 0, 0, []arrow.ArrayData{ints(1)}, nil, raw[int8](-1)), types.ErrUnknownTypeCode},
		{"sparse child too short", node(union, 2, 0, 0, []arrow.ArrayData{ints(1)}, nil, raw[int8](5, 5)), types.ErrInvalidLayout},
		{"V8 dense offset", node(dense, 1, 0, 0, []arrow.ArrayData{ints(1)}, nil, raw[int8](5), raw[int32](1)), types.ErrInvalidLayout},
		{"dense offset negative", node(dense, 1, 0, 0, []arrow.ArrayData{ints(1)}, nil, raw[int8](5), raw[int32](-1)), types.ErrInvalidLayout},
		{"decimal too long", node(&arrow.Decimal32Type{Precision: 3}, 1, 0, 0, nil, nil, raw[int32](1000)), types.ErrCastOverflow},
		{"decimal too long, 128", node(&arrow.Decimal128Type{Precision: 38}, 1, 0, 0, nil, nil, raw[uint64](0, 1<<63)), types.ErrCastOverflow},
		{"decimal too long, to int64", node(&arrow.Decimal128Type{Precision: 18}, 1, 0, 0, nil, nil, raw[uint64](0, 1)), types.ErrCastOverflow},
		{"duration overflow", node(&arrow.DurationType{Unit: arrow.Second}, 1, 0, 0, nil, nil, raw[int64](1<<60)), types.ErrCastOverflow},
		{"date64 overflow", node(arrow.FixedWidthTypes.Date64, 1, 0, 0, nil, nil, raw[int64](1<<62)), types.ErrCastOverflow},
	}
}

func TestImportRejectsBadLayout(t *testing.T) {
	for _, c := range badLayouts() {
		_, err := types.ImportData(c.data, types.ImportOptions{})
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.kind)
		}
	}
}

func TestImportRejectsBadUTF8(t *testing.T) {
	for _, data := range []*array.Data{
		node(arrow.BinaryTypes.String, 2, 0, 0, nil, nil, raw[int32](0, 1, 3), text("a\xff\xfe")),
		node(arrow.BinaryTypes.String, 2, 0, 0, nil, nil, raw[int32](0, 1, 2), text("\xc3\xa9")), // cut inside a character
		node(arrow.BinaryTypes.StringView, 2, 0, 0, nil, nil, memory.NewBufferBytes(append(make([]byte, 16), view(2, 0xfe, 0, 0)...))),
	} {
		_, err := types.ImportData(data, types.ImportOptions{})
		var e *types.Error
		if !errors.As(err, &e) || e.Code != types.CodeInvalidUTF8 || e.Row < 0 {
			t.Errorf("error %v, want invalid UTF-8 with its row", err)
		}
		if _, err := types.ImportData(data, types.ImportOptions{Trusted: true}); err != nil {
			t.Errorf("trusted: %v", err)
		}
	}
}

func TestImportErrorPath(t *testing.T) {
	inner := node(arrow.ListOf(arrow.BinaryTypes.String), 1, 0, 0, []arrow.ArrayData{node(arrow.BinaryTypes.String, 1, 0, 0, nil, nil, raw[int32](0, 1), text("\xff"))}, nil, raw[int32](0, 1))
	s := node(arrow.StructOf(arrow.Field{Name: "l", Type: inner.DataType(), Nullable: true}), 1, 0, 0, []arrow.ArrayData{inner}, nil)
	rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "s", Type: s.DataType()}}, nil), []arrow.Array{array.MakeFromData(s)}, 1)
	schema, err := types.ImportSchema(rec.Schema())
	if err != nil {
		t.Fatal(err)
	}
	_, err = types.ImportBatch(rec, schema, types.ImportOptions{})
	var e *types.Error
	if !errors.As(err, &e) || e.Path != "s.l[]" {
		t.Errorf("error %v, want path s.l[]", err)
	}
}

// TestGarbageUnderNulls: what Arrow leaves undefined must neither fail nor show.
func TestGarbageUnderNulls(t *testing.T) {
	cases := []*array.Data{
		dict(raw[int8](0, 100), 2, raw[uint8](1), ints(7)), // N16
		node(arrow.BinaryTypes.StringView, 2, 1, 0, nil, raw[uint8](1), memory.NewBufferBytes(append(make([]byte, 16), view(-5, 1, 99, -7)...))),
		node(arrow.BinaryTypes.String, 2, 1, 0, nil, raw[uint8](1), raw[int32](0, 0, 2), text("\xff\xfe")),
		node(&arrow.Decimal32Type{Precision: 2}, 2, 1, 0, nil, raw[uint8](1), raw[int32](1, 1<<30)),
		node(&arrow.DurationType{Unit: arrow.Second}, 2, 1, 0, nil, raw[uint8](1), raw[int64](1, 1<<62)),
		node(arrow.ListViewOf(arrow.PrimitiveTypes.Int32), 2, 1, 0, []arrow.ArrayData{ints(1)}, raw[uint8](1), raw[int32](0, -9), raw[int32](1, 77)),
	}
	for _, data := range cases {
		v, err := types.ImportData(data, types.ImportOptions{})
		if err != nil {
			t.Errorf("%s: %v", data.DataType(), err)
			continue
		}
		if types.Value(v, 0) == nil || types.Value(v, 1) != nil {
			t.Errorf("%s: rows %v, %v", data.DataType(), types.Value(v, 0), types.Value(v, 1))
		}
	}
}

func TestMisalignedBuffers(t *testing.T) {
	bytes := make([]byte, 8*5+16)
	for i := range 5 {
		binary.LittleEndian.PutUint64(bytes[3+i*8:], uint64(i*7))
	}
	data := node(arrow.PrimitiveTypes.Int64, 5, 0, 0, nil, nil, memory.NewBufferBytes(bytes[3:3+40]))
	v, err := types.ImportData(data, types.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range types.ValuesOf[int64](v) {
		if x != int64(i*7) {
			t.Errorf("row %d is %d", i, x)
		}
	}
}

// mutate changes random bytes, lengths and offsets of a copy of array data.
func mutate(rng *rand.Rand, d arrow.ArrayData) *array.Data {
	var buffers []*memory.Buffer
	for _, b := range d.Buffers() {
		if b == nil {
			buffers = append(buffers, nil)
			continue
		}
		c := slices.Clone(b.Bytes())
		if len(c) > 0 {
			switch rng.IntN(6) {
			case 0:
				c[rng.IntN(len(c))] = byte(rng.Uint32())
			case 1:
				c = c[:rng.IntN(len(c))]
			case 2:
				c[rng.IntN(len(c))] ^= 0x80
			}
		}
		buffers = append(buffers, memory.NewBufferBytes(c))
	}
	var children []arrow.ArrayData
	for _, c := range d.Children() {
		children = append(children, mutate(rng, c))
	}
	if rng.IntN(20) == 0 && len(children) > 0 {
		children = children[:len(children)-1]
	}
	n, offset := d.Len(), d.Offset()
	if rng.IntN(10) == 0 {
		n, offset = n+rng.IntN(3)-1, offset+rng.IntN(3)-1
	}
	out := array.NewData(d.DataType(), n, buffers, children, array.UnknownNullCount, offset)
	if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil && rng.IntN(20) > 0 {
		out.SetDictionary(mutate(rng, dict))
	}
	return out
}

// touch compares data with themselves, imports them and, when that succeeds, reads every row in every way: nothing may panic.
func touch(data arrow.ArrayData) error {
	arr := safeArray(data)
	types.EqualArrays(arr, arr, types.EqualOptions{BitwiseFloats: true, DictIdentity: true})
	types.Identical(arr, arr)
	v, err := types.ImportData(data, types.ImportOptions{Pool: types.NewPool()})
	if err != nil {
		return err
	}
	for i := range v.Len() {
		types.Value(v, i)
		types.Text(v, i)
	}
	types.NullCount(nil, v)
	types.EqualWith(v, types.Flatten(nil, v), types.EqualOptions{IgnoreEncoding: true})
	return nil
}

func TestImportOfMutatedArrays(t *testing.T) {
	alloc := arrowtest.NewAllocator(t)
	rejected := 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 11))
		arr := arrowtest.RandomArray(rng, alloc, arrowtest.RandomType(rng, 1+int(seed%3)), 20, arrowtest.Options{})
		if touch(mutate(rng, arr.Data())) != nil {
			rejected++
		}
		arr.Release()
	}
	if rejected < 500 {
		t.Errorf("only %d mutated arrays were rejected: the mutation is too weak to test anything", rejected)
	}
}

// FuzzImport reads random bytes as the buffers of arrays of random types.
func FuzzImport(f *testing.F) {
	f.Add(uint64(1), uint64(2), []byte("some bytes that are not an array"), uint16(5))
	f.Fuzz(func(t *testing.T, typeSeed, seed uint64, bytes []byte, n uint16) {
		rng := rand.New(rand.NewPCG(typeSeed, 1))
		dt := arrowtest.RandomType(rng, 3)
		_ = touch(fromBytes(rand.New(rand.NewPCG(seed, 1)), dt, bytes, int(n%300)))
	})
}

// fromBytes builds array data of a type from windows of the bytes.
func fromBytes(rng *rand.Rand, dt arrow.DataType, bytes []byte, n int) *array.Data {
	cut := func() *memory.Buffer {
		if rng.IntN(8) == 0 {
			return nil
		}
		b := make([]byte, rng.IntN(n*16+17))
		for i := range b {
			if len(bytes) > 0 && rng.IntN(3) == 0 {
				b[i] = bytes[rng.IntN(len(bytes))]
			} else if rng.IntN(4) == 0 {
				b[i] = byte(rng.IntN(3))
			}
		}
		return memory.NewBufferBytes(b)
	}
	if d, ok := dt.(*arrow.DictionaryType); ok {
		return array.NewDataWithDictionary(dt, n, []*memory.Buffer{cut(), cut()}, -1, rng.IntN(3), fromBytes(rng, d.ValueType, bytes, rng.IntN(n+1)))
	}
	buffers := []*memory.Buffer{nil}
	if rng.IntN(2) == 0 {
		buffers[0] = cut()
	}
	for range rng.IntN(4) {
		buffers = append(buffers, cut())
	}
	var children []arrow.ArrayData
	if d, ok := dt.(arrow.NestedType); ok {
		for _, f := range d.Fields() {
			children = append(children, fromBytes(rng, f.Type, bytes, rng.IntN(2*n+2)))
		}
	}
	return array.NewData(dt, n, buffers, children, -1, rng.IntN(3))
}

func buffers(all ...*memory.Buffer) []*memory.Buffer { return all }
