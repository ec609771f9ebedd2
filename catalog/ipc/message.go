package ipc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/catalog/arrowschema"
)

// magic begins and ends a file; a stream has none. After the first one comes padding to eight bytes.
const magic = "ARROW1"

// Limits of what a message may claim.
const (
	maxMetadataBytes = 256 << 20
	maxBatchRows     = math.MaxInt32
	maxDepth         = 64 // of nested types
)

// Kinds of messages (Message.fbs, MessageHeader).
const (
	schemaMessage      = 1
	dictionaryMessage  = 2
	recordBatchMessage = 3
)

// block is a message with a body: a record batch or a dictionary.
type block struct {
	metadata []byte                // the flatbuffer
	header   arrowschema.FlatTable // RecordBatch, also of a dictionary
	body     int64                 // where the body starts in the file
	size     int64                 // of the body
	rows     int64
	v4       bool // unions have a validity buffer

	id    int64 // of a dictionary
	delta bool  // adds to the dictionary of the same id
	// dictionaries is how many dictionaries come before a record batch.
	dictionaries int
}

// layout is what is known of a file without reading bodies.
type layout struct {
	schema       *arrow.Schema
	ids          []int64 // of the dictionaries, in the order of the fields that have one, depth first
	dictionaries []block
	batches      []block
}

// readAt gives bytes of the file. A file that ends before is corrupt.
func readAt(ctx context.Context, file catalog.File, offset, n int64) ([]byte, error) {
	if offset < 0 || n < 0 || offset > file.Size()-n {
		return nil, corrupt("%d bytes at offset %d of a file of %d", n, offset, file.Size())
	}
	p := make([]byte, n)
	got, err := file.ReadAt(ctx, p, offset)
	if got < len(p) && (err == nil || errors.Is(err, io.EOF)) {
		return nil, corrupt("the file ends at offset %d", offset+int64(got))
	}
	if got == len(p) {
		err = nil
	}
	return p, err
}

// readLayout reads schema and messages' headers.
func readLayout(ctx context.Context, file catalog.File) (*layout, error) {
	head, err := readAt(ctx, file, 0, min(file.Size(), 8))
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte(magic)) {
		return readFooter(ctx, file)
	}
	if len(head) == 0 {
		return nil, corrupt("not an Arrow file: it is empty")
	}
	return readStream(ctx, file)
}

// readFooter reads the layout of a file.
func readFooter(ctx context.Context, file catalog.File) (*layout, error) {
	const tailBytes = 4 + int64(len(magic))
	size := file.Size()
	if size < 8+tailBytes {
		return nil, corrupt("an Arrow file of only %d bytes", size)
	}
	tail, err := readAt(ctx, file, size-tailBytes, tailBytes)
	if err != nil {
		return nil, err
	}
	if string(tail[4:]) != magic {
		return nil, corrupt("the file begins with %s and does not end with it", magic)
	}
	length := int64(int32(binary.LittleEndian.Uint32(tail)))
	if length <= 0 || length > size-8-tailBytes || length > maxMetadataBytes {
		return nil, corrupt("the footer claims %d bytes of a file of %d", length, size)
	}
	raw, err := readAt(ctx, file, size-tailBytes-length, length)
	if err != nil {
		return nil, err
	}
	bad := false
	footer := arrowschema.Root(raw, &bad)
	l := &layout{}
	// The schema stands in the footer too, but as a part of it; that of the message is the same.
	first, err := readMessage(ctx, file, 8)
	if err != nil {
		return nil, err
	}
	if first == nil || first.kind != schemaMessage {
		return nil, corrupt("the file does not begin with a schema")
	}
	if err := l.readSchema(first); err != nil {
		return nil, err
	}
	headers, seen := int64(0), map[int64]bool{}
	for i, blocks := range []*[]block{&l.dictionaries, &l.batches} {
		const blockBytes = 24 // offset, length of the metadata, padding, length of the body
		at, n := footer.Vector(2+i, blockBytes)
		for k := range n {
			b, err := readBlock(ctx, file, footer.Long(at+k*blockBytes), []int{dictionaryMessage, recordBatchMessage}[i])
			if err != nil {
				return nil, within(err, "%s %d", []string{"dictionary", "record batch"}[i], k)
			}
			// Blocks of a hostile footer may all be the same message, which would be kept once for each.
			if headers += int64(len(b.metadata)); headers > size {
				return nil, corrupt("the footer's blocks overlap")
			}
			if i == 0 && !b.delta {
				// A file has no order in which one could replace the other; only streams have.
				if seen[b.id] {
					return nil, corrupt("dictionary %d stands twice in the file", b.id)
				}
				seen[b.id] = true
			}
			*blocks = append(*blocks, b)
		}
	}
	if bad {
		return nil, corrupt("the footer contradicts itself")
	}
	for i := range l.batches {
		l.batches[i].dictionaries = len(l.dictionaries)
	}
	return l, nil
}

func readBlock(ctx context.Context, file catalog.File, offset int64, kind int) (block, error) {
	m, err := readMessage(ctx, file, offset)
	switch {
	case err != nil:
		return block{}, err
	case m == nil || m.kind != kind:
		return block{}, corrupt("no such message at offset %d", offset)
	}
	return m.block()
}

// readStream reads the layout of a stream.
func readStream(ctx context.Context, file catalog.File) (*layout, error) {
	l := &layout{}
	for offset := int64(0); offset < file.Size(); {
		m, err := readMessage(ctx, file, offset)
		if err != nil {
			if offset == 0 {
				err = within(err, "not an Arrow file or stream")
			}
			return nil, err
		}
		if m == nil {
			break // the mark of the end
		}
		offset = m.end()
		switch {
		case m.kind == schemaMessage && l.schema == nil:
			if err := l.readSchema(m); err != nil {
				return nil, err
			}
		case l.schema == nil:
			return nil, corrupt("the stream does not begin with a schema")
		case m.kind == dictionaryMessage || m.kind == recordBatchMessage:
			b, err := m.block()
			if err != nil {
				return nil, err
			}
			if m.kind == dictionaryMessage {
				l.dictionaries = append(l.dictionaries, b)
			} else {
				b.dictionaries = len(l.dictionaries)
				l.batches = append(l.batches, b)
			}
		default:
			return nil, unsupported("a message of kind %d at offset %d is not supported", m.kind, offset)
		}
	}
	if l.schema == nil {
		return nil, corrupt("not an Arrow stream: it has no schema")
	}
	return l, nil
}

// message is the header of a message.
type message struct {
	metadata []byte
	kind     int
	header   arrowschema.FlatTable
	v4       bool
	body     int64 // where it starts
	size     int64
	bad      *bool
}

// end gives where the next message starts.
func (m *message) end() int64 { return m.body + m.size }

// readMessage reads the header of the message at an offset; nil for the mark of the end. Before 0.15 the length came without the mark before it.
func readMessage(ctx context.Context, file catalog.File, offset int64) (*message, error) {
	head, err := readAt(ctx, file, offset, min(8, max(4, file.Size()-offset)))
	if err != nil {
		return nil, err
	}
	const continuation = 0xFFFFFFFF
	start, length := offset+4, int64(binary.LittleEndian.Uint32(head))
	if length == continuation {
		if len(head) < 8 {
			return nil, corrupt("the file ends at offset %d", offset+int64(len(head)))
		}
		start, length = offset+8, int64(int32(binary.LittleEndian.Uint32(head[4:])))
	}
	if length == 0 {
		return nil, nil
	}
	if length < 0 || length > maxMetadataBytes || length > file.Size()-start {
		return nil, corrupt("the message at offset %d claims a header of %d bytes", offset, length)
	}
	metadata, err := readAt(ctx, file, start, length)
	if err != nil {
		return nil, err
	}
	bad := false
	root := arrowschema.Root(metadata, &bad)
	m := &message{metadata: metadata, kind: int(root.Integer(1, 1, 0)), body: start + length, size: root.Integer(3, 8, 0), bad: &bad}
	switch version := root.Integer(0, 2, 0); version {
	case 3:
		m.v4 = true
	case 4:
	default:
		return nil, unsupported("Arrow metadata of version V%d is not supported", version+1)
	}
	if m.size < 0 || m.size > file.Size()-m.body {
		return nil, corrupt("the message at offset %d claims a body of %d bytes", offset, m.size)
	}
	m.header, _ = root.Table(2)
	if bad {
		return nil, corrupt("the header of the message at offset %d contradicts itself", offset)
	}
	return m, nil
}

// block gives the dictionary or record batch that a message is.
func (m *message) block() (block, error) {
	b := block{metadata: m.metadata, header: m.header, body: m.body, size: m.size, v4: m.v4}
	if m.kind == dictionaryMessage {
		b.id, b.delta = m.header.Integer(0, 8, 0), m.header.Integer(2, 1, 0) != 0
		b.header, _ = m.header.Table(1)
	}
	b.rows = b.header.Integer(0, 8, 0)
	if *m.bad || b.rows < 0 || b.rows > maxBatchRows {
		return b, corrupt("a batch of %d rows, or a header that contradicts itself", b.rows)
	}
	return b, nil
}

// readSchema reads the schema of a message.
func (l *layout) readSchema(m *message) error {
	var err error
	l.schema, l.ids, err = arrowschema.Read(m.metadata)
	return err
}
