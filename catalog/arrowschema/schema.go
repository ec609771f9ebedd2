package arrowschema

import (
	"bytes"
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/lacunadb/lacuna/types"
)

// maxDepth bounds the nesting of types.
const maxDepth = 64

// unionType is the kind of a field whose type is a union (Schema.fbs, Type).
const unionType = 14

func corrupt(format string, args ...any) *types.Error {
	return types.Errorf(types.CodeDataCorrupted, format, args...)
}

// Read reads the metadata of a message that is a schema (Message.fbs), by Arrow's own library after its counts have been checked. It also gives the ids of the
// dictionaries, which that keeps to itself, in the order of the fields that have one, depth first. Errors have CodeDataCorrupted, and CodeFeatureNotSupported
// for big-endian data.
func Read(message []byte) (schema *arrow.Schema, dictionaries []int64, err error) {
	bad := false
	root := Root(message, &bad)
	header, _ := root.Table(2)
	const schemaMessage = 1
	if bad || root.Integer(1, 1, 0) != schemaMessage {
		return nil, nil, corrupt("the message is no schema")
	}
	if header.Integer(0, 2, 0) != 0 {
		return nil, nil, types.Errorf(types.CodeFeatureNotSupported, "big-endian data are not supported")
	}
	w := &walk{left: len(message)}
	w.fields(header, 1, 2)
	if bad {
		return nil, nil, corrupt("the schema contradicts itself")
	}
	framed := binary.LittleEndian.AppendUint32([]byte{255, 255, 255, 255}, uint32(len(message)))
	schema, err = parseSchema(append(framed, message...))
	return schema, w.ids, err
}

// ReadEncapsulated is Read of a message behind its length, as streams have it: with the mark before the length, or without it as before Arrow 0.15.
func ReadEncapsulated(stream []byte) (*arrow.Schema, error) {
	for _, header := range []int{8, 4} {
		if len(stream) < header {
			continue
		}
		length := int64(int32(binary.LittleEndian.Uint32(stream[header-4:])))
		if (header == 8) == (binary.LittleEndian.Uint32(stream) == 0xFFFFFFFF) && length >= 0 && length <= int64(len(stream)-header) {
			schema, _, err := Read(stream[header : int64(header)+length])
			return schema, err
		}
	}
	return nil, corrupt("the message is no schema")
}

// Encapsulated gives a schema as a message behind its length.
func Encapsulated(schema *arrow.Schema) ([]byte, error) {
	var out bytes.Buffer
	if err := ipc.NewWriter(&out, ipc.WithSchema(schema)).Close(); err != nil {
		return nil, types.Errorf(types.CodeInternal, "cannot write an Arrow schema: %v", err).WithCause(err)
	}
	const end = 8 // the mark of the stream's end
	return out.Bytes()[:out.Len()-end], nil
}

func parseSchema(stream []byte) (schema *arrow.Schema, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = corrupt("the schema cannot be read: %v", x)
		}
	}()
	r, err := ipc.NewReader(bytes.NewReader(stream))
	if err != nil {
		return nil, corrupt("the schema cannot be read: %v", err)
	}
	defer r.Release()
	schema = r.Schema()
	if schema == nil {
		return nil, corrupt("the schema cannot be read: %v", r.Err())
	}
	return schema, nil
}

// walk bounds what a walk through a schema visits. Offsets of a hostile schema may share one field or text among many, which then are more, by
// magnitudes, than the bytes they are made of; a schema that a writer made has no byte twice.
type walk struct {
	depth, left int
	ids         []int64
}

func (w *walk) take(t FlatTable, bytes int) {
	if w.left -= bytes; w.left < 0 || w.depth > maxDepth {
		*t.bad = true
	}
}

// fields walks the fields of a schema or of a field (children and metadata are field numbers) in the order of their columns, notes the dictionaries'
// ids and checks all counts, which Arrow's library believes. The fields below a dictionary come before it: they are those of its values, whose own
// dictionaries the values need.
func (w *walk) fields(t FlatTable, children, metadata int) {
	const offsetBytes, tableBytes = 4, 4 // of an element of a vector, and at least of the table it points to
	at, n := t.Vector(metadata, offsetBytes)
	for i := 0; i < n && !*t.bad; i++ {
		pair := t.TableAt(at + offsetBytes*i)
		_, key := pair.Vector(0, 1)
		_, value := pair.Vector(1, 1)
		w.take(t, offsetBytes+tableBytes+key+value)
	}
	at, n = t.Vector(children, offsetBytes)
	w.depth++
	for i := 0; i < n && !*t.bad; i++ {
		f := t.TableAt(at + offsetBytes*i)
		_, name := f.Vector(0, 1)
		w.take(t, offsetBytes+tableBytes+name)
		if typed, ok := f.Table(3); ok && f.Integer(2, 1, 0) == unionType {
			const codeBytes = 4
			_, codes := typed.Vector(1, codeBytes)
			w.take(t, codeBytes*codes)
		}
		if *t.bad {
			return
		}
		w.fields(f, 5, 6)
		if d, ok := f.Table(4); ok {
			w.ids = append(w.ids, d.Integer(0, 8, 0))
		}
	}
	w.depth--
}
