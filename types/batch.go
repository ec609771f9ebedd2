package types

// Batch is a few thousand rows on their way through a query: one vector per column, all Rows long.
//
// Selection, when not nil, says which rows count; the others are still in the vectors but are no part of the query any more: an
// operator may compute on them but must not let them raise an error, be counted, or leave. Selected is the number of rows that
// count.
//
// Sequence orders the batches of one source: a later batch of the same scan has a higher one. Operators that split or
// replace a batch keep its sequence.
type Batch struct {
	Columns   []*Vector
	Rows      int
	Selection Bitmap
	Selected  int
	Sequence  Sequence
}

// Sequence is a batch's place in its source: the morsel's number in the high bits, the batch within the morsel in the low 24.
type Sequence int64

// MaxSequenceBatch is the greatest number of a batch inside a morsel.
const MaxSequenceBatch = 1<<24 - 1

// MakeSequence combines a morsel's number with that of a batch inside the morsel.
func MakeSequence(morsel, batch int) Sequence { return Sequence(morsel)<<24 | Sequence(batch) }

// Morsel gives the number of the morsel.
func (s Sequence) Morsel() int { return int(s >> 24) }

// NewBatch makes a batch in which every row counts.
func NewBatch(columns []*Vector, rows int, sequence Sequence) *Batch {
	return &Batch{Columns: columns, Rows: rows, Selected: rows, Sequence: sequence}
}

// Select gives the same rows under another selection (nil = every row). The columns are shared.
func (b *Batch) Select(selection Bitmap) *Batch {
	c := *b
	c.Selection, c.Selected = selection, selection.Count(b.Rows)
	if c.Selected == b.Rows {
		c.Selection = nil
	}
	return &c
}

// WithColumns gives the same rows, selection and sequence with other columns of the same length.
func (b *Batch) WithColumns(columns []*Vector) *Batch {
	c := *b
	c.Columns = columns
	return &c
}

// MemorySize gives the bytes that the columns' buffers span.
func (b *Batch) MemorySize() int {
	n := 0
	for _, v := range b.Columns {
		n += v.MemorySize()
	}
	return n
}
