package ipc

import (
	"encoding/binary"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/lacunadb/lacuna/catalog/arrowschema"
)

// fileWriter writes messages as a file: the magic, the messages of a stream, and a footer that says where they are
// (https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format). Arrow's own writer of files refuses dictionaries that grow, which the format
// allows; its writer of streams makes the messages.
type fileWriter struct {
	out          io.Writer
	offset       int64
	schema       []byte // the schema's message
	schemaAt     int    // of the schema in it
	dictionaries []fileBlock
	batches      []fileBlock
}

var _ ipc.PayloadWriter = (*fileWriter)(nil)

// fileBlock is where a message lies: its start, and the bytes of its header and body.
type fileBlock struct{ offset, header, body int64 }

// Write passes bytes on and counts them.
func (w *fileWriter) Write(p []byte) (int, error) {
	n, err := w.out.Write(p)
	w.offset += int64(n)
	return n, err
}

// Start writes the magic, padded to eight bytes.
func (w *fileWriter) Start() error {
	_, err := w.Write([]byte(magic + "\x00\x00"))
	return err
}

// WritePayload writes a message.
func (w *fileWriter) WritePayload(p ipc.Payload) error {
	meta := p.Meta()
	defer meta.Release()
	bad := false
	root := arrowschema.Root(meta.Bytes(), &bad)
	kind := root.Integer(1, 1, 0)
	b := fileBlock{offset: w.offset, body: root.Integer(3, 8, 0)}
	header, err := p.WritePayload(w)
	if err != nil {
		return err
	}
	b.header = int64(header)
	switch kind {
	case schemaMessage:
		schema, _ := root.Table(2)
		w.schema, w.schemaAt = append([]byte(nil), meta.Bytes()...), schema.At()
	case dictionaryMessage:
		w.dictionaries = append(w.dictionaries, b)
	case recordBatchMessage:
		w.batches = append(w.batches, b)
	}
	if bad {
		return corrupt("a message of kind %d contradicts itself", kind)
	}
	return nil
}

// Close writes the mark of the stream's end, the footer, its length and the magic.
func (w *fileWriter) Close() error {
	end := []byte{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0}
	footer := w.footer()
	end = append(end, footer...)
	end = binary.LittleEndian.AppendUint32(end, uint32(len(footer)))
	_, err := w.Write(append(end, magic...))
	return err
}

// footer makes the flatbuffer Footer{version, schema, dictionaries, recordBatches}. Offsets in flatbuffers are relative, so that the schema is where the
// bytes of its message, which follow the rest, have it.
func (w *fileWriter) footer() []byte {
	const version = 4 // V5
	le := binary.LittleEndian
	b := le.AppendUint32(nil, 16) // the root
	for _, x := range []uint16{12, 18, 16, 4, 8, 12} {
		b = le.AppendUint16(b, x) // sizes of this list and of the table, and where the table has its fields
	}
	b = le.AppendUint32(b, 12) // the table: back to the list
	table := len(b)
	b = append(b, make([]byte, 12)...)
	b = le.AppendUint16(b, version)
	point := func(field, to int) { le.PutUint32(b[table+4*field:], uint32(to-(table+4*field))) }
	for i, blocks := range [][]fileBlock{w.dictionaries, w.batches} {
		for len(b)%8 != 4 {
			b = append(b, 0) // for the elements of eight bytes behind the count
		}
		point(1+i, len(b))
		b = le.AppendUint32(b, uint32(len(blocks)))
		for _, k := range blocks {
			b = le.AppendUint64(b, uint64(k.offset))
			b = le.AppendUint64(b, uint64(k.header)) // of four bytes, and padding
			b = le.AppendUint64(b, uint64(k.body))
		}
	}
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	point(0, len(b)+w.schemaAt)
	return append(b, w.schema...)
}
