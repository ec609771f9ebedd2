package parquet

import (
	"bytes"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// chunkBounds gives what the footer says about a column of a row group, as far as it can be trusted:
//
//   - min_value and max_value only where the footer's column orders say that they are in the order of the type, and that order is SQL's.
//     INT96 and INTERVAL have no order.
//   - The deprecated min and max, which many writers compared as signed bytes, only for signed integers and what is stored as such.
//   - Bounds of floating-point columns leave NaN out, which is SQL's greatest number: the greatest bound is NaN.
//   - Nothing that does not decode, is out of order, or is no UTF-8 in a text column.
func chunkBounds(l *leaf, c *columnChunk, rows int64) catalog.Bounds {
	b := catalog.Bounds{Rows: rows, Nulls: -1}
	s := &c.statistics
	switch {
	case !c.known || c.encrypted || c.physical != l.physical || l.typ.Kind() == types.KindNull:
		return b
	case l.maxRepetition > 0:
		return b // counts and bounds are of elements
	case l.maxDefinition == 0:
		b.Nulls = 0
	case s.nulls >= 0 && s.nulls <= rows:
		b.Nulls = s.nulls
	}
	least, greatest := s.min, s.max
	if (least == nil || greatest == nil || !l.byType) && isSignedInteger(l) {
		if least == nil || greatest == nil {
			least, greatest = s.oldMin, s.oldMax
		}
	} else if !l.byType {
		return b
	}
	if least != nil && greatest != nil {
		setBounds(&b, l, least, greatest)
	}
	return b
}

// setBounds decodes two bounds of a column, unless they cannot be trusted.
func setBounds(b *catalog.Bounds, l *leaf, least, greatest []byte) {
	if l.physical == physicalInt96 || l.typ.Kind() == types.KindInterval {
		return
	}
	b.Min, b.Max = bound(l, least), bound(l, greatest)
	switch {
	case b.Min == nil || b.Max == nil:
		b.Min, b.Max = nil, nil
	case l.typ.IsFloat():
		if isNaN(b.Min) || isNaN(b.Max) {
			b.Min, b.Max = nil, nil
		}
	case less(b.Max, b.Min):
		b.Min, b.Max = nil, nil
	}
}

// isSignedInteger reports the columns whose deprecated statistics are right: integers whose signed order is that of their type. Their
// order is the same whatever the column orders say.
func isSignedInteger(l *leaf) bool {
	return (l.physical == physicalInt32 || l.physical == physicalInt64) && !l.typ.IsUnsigned()
}

// bound decodes one value of statistics to a constant; nil when it does not decode.
func bound(l *leaf, value []byte) *types.Vector {
	storage := l.typ.Storage()
	switch {
	case l.physical == physicalBoolean:
		if len(value) != 1 {
			return nil
		}
		return types.NewConstant(types.NewBool(types.Bitmap{uint64(value[0] & 1)}, 1, nil), 1)
	case storage == types.StorageView:
		kind := l.typ.Kind()
		if (kind == types.KindVarchar || kind == types.KindJSON) && !utf8.Valid(value) {
			return nil // cut inside a character
		}
		// A copy, so that a bound that lives on keeps no whole footer.
		value = bytes.Clone(value)
		views := []types.View{types.MakeView(value, 0, 0)}
		return types.NewConstant(types.NewViews(l.typ, views, []types.Buffer{{Bytes: value}}, nil), 1)
	}
	dst := (*types.Pool)(nil).Bytes(storage.Width())
	var err error
	if l.convertViews != nil {
		err = l.convertViews(dst, []types.View{types.MakeView(value, 0, 0)}, []types.Buffer{{Bytes: value}})
	} else if len(value) != l.width {
		return nil
	} else {
		err = l.convert(dst, value, 1)
	}
	if err != nil {
		return nil
	}
	return types.NewConstant(fixedVector(l.typ, dst, nil), 1)
}

// less compares two constants of one type.
func less(a, b *types.Vector) bool {
	return compareBounds(kernels.Less, types.NewConstant(a, 1), types.NewConstant(b, 1))
}

func compareBounds(op kernels.CompareOp, a, b *types.Vector) bool {
	v, err := kernels.Compare(&kernels.Env{Rows: 1}, op, a, b)
	if err != nil {
		return false
	}
	v = kernels.Decode(nil, v)
	return v.Validity().Has(0) && v.Bools().Get(0)
}

// isNaN reports a NaN: the only value that is greater than infinity.
func isNaN(v *types.Vector) bool {
	switch x := types.Value(v, 0).(type) {
	case float32:
		return x != x
	case float64:
		return x != x
	}
	return false
}

// nan gives NaN as a constant of a floating-point type.
func nan(typ types.Type) *types.Vector {
	dst := (*types.Pool)(nil).Bytes(typ.Storage().Width())
	for i := range dst {
		dst[i] = 0xff
	}
	dst[len(dst)-1] = 0x7f
	return types.NewConstant(fixedVector(typ, dst, nil), 1)
}

// pruningBounds are bounds that nothing lies outside of, NaN included.
func pruningBounds(l *leaf, c *columnChunk, rows int64) catalog.Bounds {
	b := chunkBounds(l, c, rows)
	admitNaN(&b, l)
	return b
}

// admitNaN makes room for NaN, which bounds leave out.
func admitNaN(b *catalog.Bounds, l *leaf) {
	if b.Max != nil && l.typ.IsFloat() {
		b.Max = nan(l.typ)
	}
}

// tableStatistics adds up the footer's statistics of all row groups.
func tableStatistics(m *fileMetaData, s *fileSchema) catalog.Statistics {
	all := catalog.Statistics{RowsConfidence: catalog.Exact, Source: "parquet footer", Columns: make([]catalog.ColumnStatistics, len(s.columns))}
	for i := range m.groups {
		all.Rows += m.groups[i].rows
	}
	for i, n := range s.columns {
		if n.leaf != nil && n.leaf.maxRepetition == 0 && n.unsupported == "" {
			all.Columns[i] = columnStatistics(m, n.leaf)
		}
	}
	return all
}

func columnStatistics(m *fileMetaData, l *leaf) catalog.ColumnStatistics {
	c := catalog.ColumnStatistics{BoundsConfidence: catalog.Exact, NullsConfidence: catalog.Exact}
	if l.typ.IsFloat() {
		c.BoundsConfidence = catalog.Estimated // NaN may lie outside
	}
	var most, sum int64 // of the row groups' distinct values
	var rows int64      // of the largest row group
	for i := range m.groups {
		g := &m.groups[i]
		if g.rows == 0 {
			continue
		}
		chunk := &g.columns[l.index]
		b := chunkBounds(l, chunk, g.rows)
		if b.Nulls < 0 {
			c.NullsConfidence = catalog.Unknown
		} else {
			c.Nulls += b.Nulls
		}
		switch {
		case b.Nulls == g.rows: // no value to bound
		case b.Min == nil:
			c.BoundsConfidence = catalog.Unknown
		default:
			if c.Min == nil || less(b.Min, c.Min) {
				c.Min = b.Min
			}
			if c.Max == nil || less(c.Max, b.Max) {
				c.Max = b.Max
			}
		}
		rows = max(rows, g.rows)
		distinct := chunk.statistics.distinct
		if distinct < 0 || distinct > g.rows {
			sum = -1
		} else if sum >= 0 {
			most, sum = max(most, distinct), sum+distinct
		}
	}
	if c.BoundsConfidence == catalog.Unknown {
		c.Min, c.Max = nil, nil
	}
	if c.NullsConfidence == catalog.Unknown {
		c.Nulls = 0
	}
	if sum > 0 {
		// Values that repeat inside a row group mostly repeat across row groups, too. The last one may be too small to tell.
		c.Distinct, c.DistinctConfidence = sum, catalog.Estimated
		if most <= rows/10 {
			c.Distinct = most
		}
		if len(m.groups) == 1 {
			c.Distinct = sum
		}
	}
	return c
}
