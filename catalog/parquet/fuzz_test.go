package parquet

import (
	"testing"

	"github.com/lacunadb/lacuna/types"
)

// FuzzOpen opens and reads arbitrary files: errors, but no panics, and no more work than the rows it asks for.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"int96", "nested_v1", "nested_v2", "duckdb", "nulls_fixed_delta_byte_array"} {
		f.Add(readFile(f, "testdata/"+name+".parquet"))
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		_ = openAndRead(data, 2000)
	})
}

// FuzzRead reads arbitrary bytes as the values of a page, for each physical type and encoding, in arbitrary steps.
func FuzzRead(f *testing.F) {
	f.Add([]byte("\x03\x00\x00\x00abc\x04\x00\x00\x00abcd"), uint8(physicalByteArray), uint8(encodingPlain), uint8(2))
	f.Add([]byte{128, 1, 4, 8, 2, 0, 0, 0, 0, 0, 0}, uint8(physicalInt64), uint8(encodingDelta), uint8(8))
	f.Add([]byte{2, 0, 0, 0, 6, 1}, uint8(physicalBoolean), uint8(encodingRLE), uint8(3))
	f.Add([]byte{128, 1, 4, 2, 0, 2, 0, 0, 0, 0, 128, 1, 4, 2, 6, 0, 0, 0, 0, 0, 'a', 'b', 'c'}, uint8(physicalByteArray), uint8(encodingDeltaBytes), uint8(2))
	f.Add(make([]byte, 64), uint8(physicalDouble), uint8(encodingSplit), uint8(5))
	f.Add([]byte{3, 3, 0xff, 0x11, 0x22}, uint8(physicalInt32), uint8(encodingRLEDictionary), uint8(4))
	f.Fuzz(func(t *testing.T, data []byte, physical, encoding, step uint8) {
		element := schemaElement{physical: int64(physical % 8), length: 5, name: []byte("c"), converted: convertedNone}
		if element.physical == physicalByteArray {
			element.converted = convertedUTF8
		}
		b := &schemaBuilder{elements: []schemaElement{element}}
		n, err := b.node(0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		const rows = 1000
		c := &columnReader{leaf: n.leaf, buffers: &columnBuffers{}}
		if encoding%10 == encodingRLEDictionary {
			c.dictionary = types.NewNull(n.leaf.typ, 1).First()
			c.keyed, err = true, c.openKeys(data)
		} else {
			err = c.openValues(int64(encoding%10), data)
		}
		for done := 0; err == nil && done < rows; done += int(step) + 1 {
			out := newOutput(nil, n.leaf, int(step))
			if err = out.add(c, int(step)); err != nil {
				break
			}
			v := out.finish(int(step), nil)
			for row := range v.Len() {
				types.Value(v, row)
			}
			err = c.skipValues(1)
		}
	})
}
