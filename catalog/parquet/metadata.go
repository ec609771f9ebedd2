package parquet

// This file holds the parts of the format's Thrift structures (parquet.thrift of the Apache Parquet format, version 2.12) that a reader
// needs, and reads them from the compact protocol. Fields that are not there keep the values that the read functions set first.

// Physical types.
const (
	physicalBoolean      = 0
	physicalInt32        = 1
	physicalInt64        = 2
	physicalInt96        = 3
	physicalFloat        = 4
	physicalDouble       = 5
	physicalByteArray    = 6
	physicalFixed        = 7
	physicalNone         = -1 // a group
	lastPhysical         = physicalFixed
	repetitionRequired   = 0
	repetitionOptional   = 1
	repetitionRepeated   = 2
	convertedNone        = -1
	convertedUTF8        = 0
	convertedMap         = 1
	convertedMapKeyValue = 2
	convertedList        = 3
	convertedEnum        = 4
	convertedDecimal     = 5
	convertedDate        = 6
	convertedTimeMillis  = 7
	convertedTimeMicros  = 8
	convertedTSMillis    = 9
	convertedTSMicros    = 10
	convertedUint8       = 11 // to UINT_64 = 14
	convertedInt8        = 15 // to INT_64 = 18
	convertedJSON        = 19
	convertedBSON        = 20
	convertedInterval    = 21
)

// Logical types: the field numbers of the LogicalType union.
const (
	logicalNone      = 0
	logicalString    = 1
	logicalMap       = 2
	logicalList      = 3
	logicalEnum      = 4
	logicalDecimal   = 5
	logicalDate      = 6
	logicalTime      = 7
	logicalTimestamp = 8
	logicalInteger   = 10
	logicalUnknown   = 11 // always null
	logicalJSON      = 12
	logicalBSON      = 13
	logicalUUID      = 14
	logicalFloat16   = 15
	logicalVariant   = 16
)

// Encodings.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingDelta           = 5
	encodingDeltaLength     = 6
	encodingDeltaBytes      = 7
	encodingRLEDictionary   = 8
	encodingSplit           = 9
)

var encodingNames = map[int64]string{
	encodingPlain: "PLAIN", encodingPlainDictionary: "PLAIN_DICTIONARY", encodingRLE: "RLE", 4: "BIT_PACKED", encodingDelta: "DELTA_BINARY_PACKED",
	encodingDeltaLength: "DELTA_LENGTH_BYTE_ARRAY", encodingDeltaBytes: "DELTA_BYTE_ARRAY", encodingRLEDictionary: "RLE_DICTIONARY",
	encodingSplit: "BYTE_STREAM_SPLIT",
}

// Page types.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3
)

// fileMetaData is the footer. It borrows the footer's bytes.
type fileMetaData struct {
	version   int64
	schema    []schemaElement
	rows      int64
	groups    []rowGroup
	keyValues []keyValue
	createdBy []byte
	orders    []bool // for each leaf, whether its statistics are in the order that its type defines
	encrypted bool
}

// keyValue is a pair of the metadata that writers put into footers.
type keyValue struct{ key, value []byte }

type schemaElement struct {
	physical   int64 // physicalNone for a group
	length     int64 // of FIXED_LEN_BYTE_ARRAY, in bytes
	repetition int64
	name       []byte
	children   int64
	converted  int64
	scale      int64
	precision  int64
	id         int64 // field_id, -1 for none
	logical    logicalType
}

// logicalType is the LogicalType union: kind is the field number of the variant.
type logicalType struct {
	kind      int64
	precision int64
	scale     int64
	utc       bool
	unit      int64 // 1 milliseconds, 2 microseconds, 3 nanoseconds
	bits      int64
	signed    bool
}

type rowGroup struct {
	columns    []columnChunk
	rows       int64
	bytes      int64 // of the data, not compressed
	offset     int64
	compressed int64
	first      int64 // number of the first row in the file; not of the format
}

// columnChunk is a column of a row group: offsets are from the start of the file, sizes in bytes.
type columnChunk struct {
	elsewhere        bool // in another file
	encrypted        bool
	known            bool // has its metadata
	physical         int64
	codec            int64
	values           int64 // nulls included
	uncompressed     int64
	compressed       int64 // page headers included
	dataOffset       int64
	dictionaryOffset int64 // 0 when there is none
	statistics       chunkStatistics

	offset          int64  // file_offset
	encodings       uint64 // a bit for each
	indexPageOffset int64  // 0 when there is none
	bloomOffset     int64  // 0 when there is none
	bloomLength     int64  // 0 when it is not known
	// The page index: where it lies, 0 where it is missing.
	columnIndexOffset, columnIndexLength int64
	offsetIndexOffset, offsetIndexLength int64
	keyValues                            []keyValue
}

// chunkStatistics are as the file has them; nil and -1 mean unknown.
type chunkStatistics struct {
	oldMin, oldMax []byte // in the deprecated order: signed bytes
	min, max       []byte
	nulls          int64
	distinct       int64
	// minInexact and maxInexact say that a bound is known to be no value of the column, but beyond its values.
	minInexact, maxInexact bool
}

// readFooter reads the footer's structure; false when it is no well-formed Thrift.
func readFooter(data []byte) (m fileMetaData, ok bool) {
	r := &compact{data: data}
	m.rows = -1
	r.fields(func(id int64, wire byte) {
		switch id {
		case 1:
			r.integer(&m.version, wire)
		case 2:
			m.schema = structs(r, wire, r.schemaElement)
		case 3:
			r.integer(&m.rows, wire)
		case 4:
			m.groups = structs(r, wire, r.rowGroup)
		case 5:
			m.keyValues = structs(r, wire, r.keyValue)
		case 6:
			r.binary(&m.createdBy, wire)
		case 7:
			m.orders = structs(r, wire, r.columnOrder)
		case 8: // encryption_algorithm: the footer is readable, columns may not be
			m.encrypted = true
			r.skip(wire)
		default:
			r.skip(wire)
		}
	})
	return m, !r.bad
}

func (r *compact) keyValue(k *keyValue) {
	r.fields(func(id int64, wire byte) {
		switch id {
		case 1:
			r.binary(&k.key, wire)
		case 2:
			r.binary(&k.value, wire)
		default:
			r.skip(wire)
		}
	})
	if k.key == nil {
		r.fail()
	}
}

func (r *compact) schemaElement(e *schemaElement) {
	e.physical, e.converted, e.precision, e.id = physicalNone, convertedNone, -1, -1
	r.fields(func(id int64, wire byte) {
		switch id {
		case 1:
			r.integer(&e.physical, wire)
		case 2:
			r.integer(&e.length, wire)
		case 3:
			r.integer(&e.repetition, wire)
		case 4:
			r.binary(&e.name, wire)
		case 5:
			r.integer(&e.children, wire)
		case 6:
			r.integer(&e.converted, wire)
		case 7:
			r.integer(&e.scale, wire)
		case 8:
			r.integer(&e.precision, wire)
		case 9:
			r.integer(&e.id, wire)
		case 10:
			r.logicalType(&e.logical, wire)
		default:
			r.skip(wire)
		}
	})
	if e.name == nil {
		r.fail()
	}
}

func (r *compact) logicalType(l *logicalType, wire byte) {
	if wire != wireStruct {
		r.skip(wire)
		return
	}
	r.fields(func(id int64, wire byte) {
		l.kind = id
		if wire != wireStruct {
			r.skip(wire)
			return
		}
		kind := id
		r.fields(func(id int64, wire byte) {
			switch {
			case kind == logicalDecimal && id == 1:
				r.integer(&l.scale, wire)
			case kind == logicalDecimal && id == 2:
				r.integer(&l.precision, wire)
			case (kind == logicalTime || kind == logicalTimestamp) && id == 1:
				r.boolean(&l.utc, wire)
			case (kind == logicalTime || kind == logicalTimestamp) && id == 2 && wire == wireStruct:
				r.fields(func(id int64, wire byte) {
					l.unit = id
					r.skip(wire)
				})
			case kind == logicalInteger && id == 1:
				r.integer(&l.bits, wire)
			case kind == logicalInteger && id == 2:
				r.boolean(&l.signed, wire)
			default:
				r.skip(wire)
			}
		})
	})
}

// columnOrder reads the ColumnOrder union, whose only variant that bounds can be trusted by is the first, TYPE_ORDER.
func (r *compact) columnOrder(byType *bool) {
	r.fields(func(id int64, wire byte) {
		*byType = id == 1
		r.skip(wire)
	})
}

func (r *compact) rowGroup(g *rowGroup) {
	g.rows = -1
	r.fields(func(id int64, wire byte) {
		switch id {
		case 1:
			g.columns = structs(r, wire, r.columnChunk)
		case 2:
			r.integer(&g.bytes, wire)
		case 3:
			r.integer(&g.rows, wire)
		case 5:
			r.integer(&g.offset, wire)
		case 6:
			r.integer(&g.compressed, wire)
		default:
			r.skip(wire)
		}
	})
	if g.rows < 0 {
		r.fail()
	}
}

func (r *compact) columnChunk(c *columnChunk) {
	c.statistics.nulls, c.statistics.distinct = -1, -1
	some := false
	r.fields(func(id int64, wire byte) {
		some = true
		switch {
		case id == 1:
			c.elsewhere = true
			r.skip(wire)
		case id == 3 && wire == wireStruct:
			c.known = true
			r.columnMetaData(c)
		case id == 2:
			r.integer(&c.offset, wire)
		case id == 4:
			r.integer(&c.offsetIndexOffset, wire)
		case id == 5:
			r.integer(&c.offsetIndexLength, wire)
		case id == 6:
			r.integer(&c.columnIndexOffset, wire)
		case id == 7:
			r.integer(&c.columnIndexLength, wire)
		case id == 8 || id == 9: // crypto_metadata, encrypted_column_metadata
			c.encrypted = true
			r.skip(wire)
		default:
			r.skip(wire)
		}
	})
	if !some {
		r.fail()
	}
}

func (r *compact) columnMetaData(c *columnChunk) {
	c.physical, c.codec, c.values, c.compressed = physicalNone, -1, -1, -1
	r.fields(func(id int64, wire byte) {
		switch {
		case id == 1:
			r.integer(&c.physical, wire)
		case id == 2:
			for _, e := range integers(r, wire) {
				if e >= 0 && e < 64 {
					c.encodings |= 1 << e
				}
			}
		case id == 4:
			r.integer(&c.codec, wire)
		case id == 5:
			r.integer(&c.values, wire)
		case id == 6:
			r.integer(&c.uncompressed, wire)
		case id == 7:
			r.integer(&c.compressed, wire)
		case id == 9:
			r.integer(&c.dataOffset, wire)
		case id == 8:
			c.keyValues = structs(r, wire, r.keyValue)
		case id == 10:
			r.integer(&c.indexPageOffset, wire)
		case id == 14:
			r.integer(&c.bloomOffset, wire)
		case id == 15:
			r.integer(&c.bloomLength, wire)
		case id == 11:
			r.integer(&c.dictionaryOffset, wire)
		case id == 12 && wire == wireStruct:
			r.statistics(&c.statistics)
		default:
			r.skip(wire)
		}
	})
}

func (r *compact) statistics(s *chunkStatistics) {
	r.fields(func(id int64, wire byte) {
		switch id {
		case 1:
			r.binary(&s.oldMax, wire)
		case 2:
			r.binary(&s.oldMin, wire)
		case 3:
			r.integer(&s.nulls, wire)
		case 4:
			r.integer(&s.distinct, wire)
		case 5:
			r.binary(&s.max, wire)
		case 6:
			r.binary(&s.min, wire)
		case 7:
			r.inexact(&s.maxInexact, wire)
		case 8:
			r.inexact(&s.minInexact, wire)
		default:
			r.skip(wire)
		}
	})
}

func (r *compact) inexact(dst *bool, wire byte) {
	exact := true
	r.boolean(&exact, wire)
	*dst = !exact
}

// pageHeader is the header before each page.
type pageHeader struct {
	kind         int64
	uncompressed int64 // bytes, levels included
	compressed   int64
	crc          int64
	hasCRC       bool
	body         int64 // kind of the page whose own header was there, or -1

	values             int64 // nulls included
	encoding           int64
	definitionEncoding int64 // version 1
	repetitionEncoding int64 // version 1
	definitionBytes    int64 // version 2
	repetitionBytes    int64 // version 2
	compressedBody     bool  // version 2: values are compressed as the chunk says
}

// readPageHeader reads a page header and gives its length in bytes; false when data does not begin with a whole one.
func readPageHeader(data []byte) (h pageHeader, length int, ok bool) {
	r := &compact{data: data}
	h.kind, h.uncompressed, h.compressed, h.body, h.values, h.encoding = -1, -1, -1, -1, -1, -1
	h.definitionEncoding, h.repetitionEncoding, h.compressedBody = encodingRLE, encodingRLE, true
	r.fields(func(id int64, wire byte) {
		switch {
		case id == 1:
			r.integer(&h.kind, wire)
		case id == 2:
			r.integer(&h.uncompressed, wire)
		case id == 3:
			r.integer(&h.compressed, wire)
		case id == 4:
			h.hasCRC = wire == wireInt32
			r.integer(&h.crc, wire)
		case id == 5 && wire == wireStruct:
			h.body = pageData
			r.fields(func(id int64, wire byte) {
				switch id {
				case 1:
					r.integer(&h.values, wire)
				case 2:
					r.integer(&h.encoding, wire)
				case 3:
					r.integer(&h.definitionEncoding, wire)
				case 4:
					r.integer(&h.repetitionEncoding, wire)
				default:
					r.skip(wire)
				}
			})
		case id == 7 && wire == wireStruct:
			h.body = pageDictionary
			r.fields(func(id int64, wire byte) {
				switch id {
				case 1:
					r.integer(&h.values, wire)
				case 2:
					r.integer(&h.encoding, wire)
				default:
					r.skip(wire)
				}
			})
		case id == 8 && wire == wireStruct:
			h.body = pageDataV2
			r.fields(func(id int64, wire byte) {
				switch id {
				case 1:
					r.integer(&h.values, wire)
				case 4:
					r.integer(&h.encoding, wire)
				case 5:
					r.integer(&h.definitionBytes, wire)
				case 6:
					r.integer(&h.repetitionBytes, wire)
				case 7:
					r.boolean(&h.compressedBody, wire)
				default:
					r.skip(wire)
				}
			})
		default:
			r.skip(wire)
		}
	})
	return h, len(data) - len(r.data), !r.bad
}
