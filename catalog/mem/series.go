package mem

import (
	"context"
	"math"
	"sync"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Series is a table of one column whose values are computed when it is read: generate_series and range.
type Series struct {
	schema types.Schema
	rows   int64 // negative when that is not known
	// start opens the values: next gives the following ones, at most n, in slices that are not changed any more; none at the end.
	start func() (next func(n int) (seriesPart, error))
}

// seriesPart is consecutive values: as they are, or count of them from first in steps of step.
type seriesPart struct {
	values             []int64
	first, step, count int64
}

// NewSeries makes the table of the numbers from start on in steps of step, which is not zero, up to stop: with stop itself when the series is
// inclusive.
func NewSeries(name string, start, stop, step int64, inclusive bool) (*Series, error) {
	if step == 0 {
		return nil, types.Errorf(types.CodeInvalidParameter, "the step of %s must not be zero", name)
	}
	rows := int64(0)
	if start <= stop && step > 0 || start >= stop && step < 0 {
		// Differences of int64 fit a uint64.
		distance, width := uint64(stop)-uint64(start), uint64(step)
		if step < 0 {
			distance, width = uint64(start)-uint64(stop), -uint64(step)
		}
		if !inclusive && distance == 0 {
			return newSeries(name, types.BigInt, 0, nil), nil
		}
		if !inclusive {
			distance--
		}
		if distance/width >= math.MaxInt64 {
			return nil, types.Errorf(types.CodeNumericOutOfRange, "%s has more than %d rows", name, int64(math.MaxInt64))
		}
		rows = int64(distance/width) + 1
	}
	return newSeries(name, types.BigInt, rows, func() func(int) (seriesPart, error) {
		given := int64(0)
		return func(n int) (seriesPart, error) {
			p := seriesPart{first: start + given*step, step: step, count: min(int64(n), rows-given)}
			given += p.count
			return p, nil
		}
	}), nil
}

// NewTimeSeries makes the table of the timestamps, of a type with or without time zone, from start on, each an interval after the one before, up to stop: with
// stop itself when the series is inclusive. The parts of the interval, not all zero, have one sign.
func NewTimeSeries(name string, typ types.Type, start, stop int64, step types.MonthDayNano, inclusive bool) (*Series, error) {
	forward := step.Months >= 0 && step.Days >= 0 && step.Nanos >= 0
	switch {
	case step == types.MonthDayNano{}:
		return nil, types.Errorf(types.CodeInvalidParameter, "the step of %s must not be zero", name)
	case !forward && (step.Months > 0 || step.Days > 0 || step.Nanos > 0):
		return nil, types.KindErrorf(types.ErrUnsupported, "%s by an interval whose parts have different signs is not supported", name)
	}
	interval := types.NewFixed(types.Interval, []types.MonthDayNano{step}, nil)
	return newSeries(name, typ, -1, func() func(int) (seriesPart, error) {
		at, ended := start, false
		return func(n int) (p seriesPart, err error) {
			for len(p.values) < n && !ended {
				if forward && at > stop || !forward && at < stop || at == stop && !inclusive {
					ended = true
					break
				}
				p.values = append(p.values, at)
				next, err := kernels.Add(nil, typ, types.NewFixed(typ, []int64{at}, nil), interval)
				if err != nil { // beyond the last timestamp there is: after stop
					ended = true
					break
				}
				after := types.ValuesOf[int64](next)[0]
				if after == at { // an interval below the type's unit
					return p, types.Errorf(types.CodeInvalidParameter, "the step of %s is too small for %s", name, typ)
				}
				at = after
			}
			p.count = int64(len(p.values))
			return p, nil
		}
	}), nil
}

func newSeries(name string, typ types.Type, rows int64, start func() func(int) (seriesPart, error)) *Series {
	return &Series{schema: types.Schema{{Name: name, Type: typ}}, rows: rows, start: start}
}

// Schema gives the only column, which has the name of the function.
func (s *Series) Schema() types.Schema { return s.schema }

// Applies reports that filters are left to the query.
func (*Series) Applies(*expr.Expr) bool { return false }

// Statistics gives the number of rows of a series of numbers.
func (s *Series) Statistics() catalog.Statistics {
	if s.rows < 0 {
		return catalog.Statistics{}
	}
	return catalog.Statistics{Rows: s.rows, RowsConfidence: catalog.Exact, Source: "series"}
}

// Scan reads the series in morsels of morselBatches batches.
func (s *Series) Scan(ctx context.Context, request catalog.ScanRequest) (catalog.Scan, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scan := &seriesScan{series: s, columns: len(request.Columns), batchRows: request.BatchRows, ended: s.rows == 0}
	if scan.batchRows <= 0 {
		scan.batchRows = defaultBatchRows
	}
	if !scan.ended {
		scan.next = s.start()
	}
	return scan, nil
}

type seriesScan struct {
	series    *Series
	columns   int // how often the column is read: 0 where only the number of rows matters
	batchRows int

	lock   sync.Mutex
	next   func(n int) (seriesPart, error)
	number int
	ended  bool
}

func (*seriesScan) Ordered() bool { return false }
func (*seriesScan) Close() error  { return nil }

func (s *seriesScan) Next(ctx context.Context) (catalog.Morsel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.ended {
		return nil, nil
	}
	part, err := s.next(s.batchRows * morselBatches)
	if err != nil || part.count == 0 {
		s.ended = true
		return nil, err
	}
	s.number++
	return &seriesMorsel{scan: s, number: s.number - 1, part: part}, nil
}

type seriesMorsel struct {
	scan   *seriesScan
	number int
	part   seriesPart
	given  int64
}

func (m *seriesMorsel) Number() int { return m.number }

func (m *seriesMorsel) Next(ctx context.Context, pool *types.Pool) (*types.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := int(min(int64(m.scan.batchRows), m.part.count-m.given))
	if n == 0 {
		return nil, nil
	}
	columns := make([]*types.Vector, m.scan.columns)
	if len(columns) > 0 {
		values := types.Alloc[int64](pool, n)
		if m.part.values != nil {
			copy(values, m.part.values[m.given:])
		} else {
			x := m.part.first + m.given*m.part.step
			for i := range values {
				values[i] = x
				x += m.part.step
			}
		}
		v := types.NewFixed(m.scan.series.schema[0].Type, values, nil)
		for i := range columns {
			columns[i] = v
		}
	}
	batch := types.NewBatch(columns, n, types.MakeSequence(m.number, int(m.given)/m.scan.batchRows))
	m.given += int64(n)
	return batch, nil
}
