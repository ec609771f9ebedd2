package types

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
)

// EqualArrays reports whether two Arrow arrays are equal as null-semantics 2.13 says: of the same Arrow type, nullability of every field inside included and
// metadata left aside, as long as each other, and row for row of the same value. Nulls are those of Arrow: a union's null lies in its variant, and another
// variant's null is another row. Dictionaries and runs compare by what they decode to, but they are types: without IgnoreEncoding keys of 8 and
// of 32 bits differ like utf8 and utf8_view. Names count for the fields of structs and the variants of unions, not for what lists and maps call their parts. An
// extension type is its name, its metadata and its storage. Offsets of arrays, what nulls and unselected variants hide, and
// the bitmap of an array without nulls do not count.
//
// Arrays that do not pass ValidateContents equal nothing, not even themselves. Like all functions of this kind it borrows its arguments, and costs a walk per
// row: it serves tests and checks.
func EqualArrays(a, b arrow.Array, opts EqualOptions) bool {
	return equalColumns(bareColumn(a.DataType(), a), bareColumn(b.DataType(), b), opts)
}

// EqualChunked is EqualArrays for arrays in chunks. Where a chunk ends does not count, except under EqualOptions.Layout.
func EqualChunked(a, b *arrow.Chunked, opts EqualOptions) bool {
	return equalColumns(bareColumn(a.DataType(), a.Chunks()...), bareColumn(b.DataType(), b.Chunks()...), opts)
}

// EqualBatches is EqualArrays for the columns of record batches, whose fields, as in the schemas, have the same names and nullability in the same order.
func EqualBatches(a, b arrow.RecordBatch, opts EqualOptions) bool {
	if a.NumCols() != b.NumCols() || a.NumRows() != b.NumRows() || !sameSchema(a.Schema(), b.Schema(), opts) || int(a.NumCols()) != a.Schema().NumFields() {
		return false
	}
	for i, column := range a.Columns() {
		x := arrowColumn{a.Schema().Field(i), []arrow.Array{column}}
		y := arrowColumn{b.Schema().Field(i), []arrow.Array{b.Column(i)}}
		if !equalColumns(x, y, opts) {
			return false
		}
	}
	return true
}

// EqualTables is EqualBatches for tables. Where a chunk ends does not count, except under EqualOptions.Layout.
func EqualTables(a, b arrow.Table, opts EqualOptions) bool {
	if a.NumCols() != b.NumCols() || a.NumRows() != b.NumRows() || !sameSchema(a.Schema(), b.Schema(), opts) || int(a.NumCols()) != a.Schema().NumFields() {
		return false
	}
	for i := range int(a.NumCols()) {
		x := arrowColumn{a.Schema().Field(i), a.Column(i).Data().Chunks()}
		y := arrowColumn{b.Schema().Field(i), b.Column(i).Data().Chunks()}
		if !equalColumns(x, y, opts) {
			return false
		}
	}
	return true
}

// arrowColumn is Arrow data in chunks, with the field that declares them.
type arrowColumn struct {
	field  arrow.Field
	chunks []arrow.Array
}

func bareColumn(dt arrow.DataType, chunks ...arrow.Array) arrowColumn {
	return arrowColumn{arrow.Field{Type: dt, Nullable: true}, chunks}
}

// equalColumns compares first types, then rows, then under Layout the layout of what has proven to be right.
func equalColumns(a, b arrowColumn, opts EqualOptions) bool {
	if opts.Layout {
		opts = EqualOptions{
			Layout: true, BitwiseFloats: true, IgnoreFieldNullability: opts.IgnoreFieldNullability, CheckMetadata: opts.CheckMetadata,
		}
	}
	return sameDeclaration(a.field, b.field, opts) && equalRows(a, b, opts) && (!opts.Layout || sameChunks(a, b))
}

// equalRows compares rows, as far as the chunks of both sides reach, then from the next chunk on.
func equalRows(a, b arrowColumn, opts EqualOptions) bool {
	compare := comparer{EqualOptions: opts}
	x, y := newChunkReader(a, !opts.IgnoreEncoding), newChunkReader(b, !opts.IgnoreEncoding)
	for {
		m, n := x.rows(), y.rows()
		if m <= 0 || n <= 0 {
			return m == 0 && n == 0
		}
		n = min(m, n)
		for i := range n {
			if !compare.rows(x.chunk, x.row+i, y.chunk, y.row+i) {
				return false
			}
		}
		x.row += n
		y.row += n
	}
}

// chunkReader imports one chunk after the other.
type chunkReader struct {
	arrowColumn
	typ   Type
	im    importer
	err   error
	next  int     // chunk
	chunk *Vector // nil before the first
	row   int     // the next one of chunk
}

func newChunkReader(c arrowColumn, exact bool) *chunkReader {
	r := &chunkReader{arrowColumn: c, im: importer{viewSpan: math.MaxUint32, declared: true, exact: exact, entries: map[dictionaryKey]*Vector{}}}
	var f Field
	f, r.err = importField(c.field, unionBare)
	r.typ = f.Type
	return r
}

// rows gives the number of rows that the present chunk has left, or 0 after the last chunk. It moves on from a chunk that has none. -1 means that the data
// are not valid.
func (r *chunkReader) rows() int {
	for r.err == nil && (r.chunk == nil || r.row == r.chunk.length) {
		if r.next == len(r.chunks) {
			return 0
		}
		data := r.chunks[r.next].Data()
		r.next++
		if checkLayout(data, r.field.Type, nil, func(e *Error) { r.err = e }); r.err == nil {
			r.chunk, r.err = r.im.vector(data, r.typ, 0, data.Len(), nil)
			r.row = 0
		}
	}
	if r.err != nil {
		return -1
	}
	return r.chunk.length - r.row
}
