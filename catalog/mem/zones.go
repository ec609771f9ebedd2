package mem

import (
	"sync/atomic"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// zoneRows is the number of rows whose bounds are kept: those of a morsel of batches of the default size.
const zoneRows = defaultBatchRows * morselBatches

// zones are the bounds of a column, zone by zone. They are found out by the first scan with a condition on the column, which reads these rows anyway; the
// scans after it need not.
type zones []atomic.Pointer[catalog.Bounds]

// newZones makes room for the bounds of a column of so many rows, if it has values that are compared at little cost.
func newZones(t types.Type, rows int64) zones {
	if w := t.Storage().Width(); w == 0 || w > 8 || !(t.IsNumeric() || t.IsTemporal()) {
		return nil
	}
	return make(zones, (rows+zoneRows-1)/zoneRows)
}

// zone gives the bounds of a zone; false when they are not known: the zone lies in several chunks, or in one that is converted batch by batch.
func (c *column) zone(number int) (catalog.Bounds, bool) {
	if number >= len(c.zones) {
		return catalog.Bounds{}, false
	}
	if known := c.zones[number].Load(); known != nil {
		return *known, true
	}
	start := int64(number) * zoneRows
	k := &c.chunks[c.find(start)]
	from := int(start - k.start)
	to := min(from+zoneRows, int(c.rows()-k.start))
	if k.whole == nil || to > k.rows {
		return catalog.Bounds{}, false
	}
	b := boundsOf(k.whole.Slice(nil, from, to))
	c.zones[number].Store(&b)
	return b, true
}
