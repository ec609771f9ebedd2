package main

// A goal is what a kernel should reach on a Zen 4 class CPU with AVX2, per size; 0 asks for nothing.
type goal struct {
	peer  [3]float64 // times as fast as arrow-go with 1K, 64K and 16M rows
	limit [2]float64 // share of the probe's bandwidth with 64K and 16M rows
}

// Goals, measured with prototypes of the kernels before they were written.
var (
	goalCompareConstant8 = goal{[3]float64{60, 8, 1.3}, [2]float64{0.8, 0.85}}
	goalCompareConstantF = goal{[3]float64{60, 8, 1.3}, [2]float64{0.7, 0.85}}
	goalCompareConstant4 = goal{[3]float64{150, 15, 2}, [2]float64{0.8, 0.85}}
	goalCompareColumns8  = goal{[3]float64{40, 4.5, 1}, [2]float64{0.85, 0.85}}
	goalCompareColumnsF  = goal{[3]float64{40, 4.5, 1.6}, [2]float64{0.85, 0.85}}
	goalCompareColumns4  = goal{[3]float64{40, 9, 1.6}, [2]float64{0.85, 0.85}}

	goalFilterNullable = map[int]goal{
		1:  {[3]float64{150, 20, 8}, [2]float64{}},
		10: {[3]float64{70, 18, 5}, [2]float64{0.6, 0.45}},
		50: {[3]float64{80, 40, 12}, [2]float64{0.6, 0.6}},
		90: {[3]float64{80, 40, 12}, [2]float64{0.6, 0.6}},
		99: {[3]float64{100, 25, 10}, [2]float64{0.75, 0.6}},
	}
	goalFilterRequired = map[int]goal{
		50: {[3]float64{60, 30, 8}, [2]float64{0.6, 0.6}},
		90: {[3]float64{60, 12, 4}, [2]float64{0.6, 0.6}},
		99: {[3]float64{60, 6, 1.8}, [2]float64{0.85, 0.6}},
	}
	goalFilterText = goal{[3]float64{20, 8, 5}, [2]float64{0.5, 0.5}}

	goalTakeRandom     = goal{peer: [3]float64{20, 7, 1.6}}
	goalTakeSequential = goal{peer: [3]float64{20, 8, 2.8}}
	goalTakeNullable   = goal{peer: [3]float64{25, 11, 4.2}}

	goalLogic         = goal{[3]float64{200, 35, 13}, [2]float64{0.3, 0.6}}
	goalBitmapAligned = goal{[3]float64{6, 1.6, 1}, [2]float64{0.9, 0.9}}
	goalBitmapOffset  = goal{peer: [3]float64{50, 50, 40}}
	goalPopCount      = goal{[3]float64{1.5, 1.6, 1.6}, [2]float64{0.9, 0.9}}

	goalIntToDouble = goal{[3]float64{50, 6, 1.2}, [2]float64{0.85, 0.85}}
	goalDoubleToInt = goal{[3]float64{80, 30, 8}, [2]float64{0.8, 0.8}}
	goalNarrow      = goal{[3]float64{90, 20, 6}, [2]float64{0.8, 0.75}}
	goalWiden       = goal{[3]float64{80, 14, 1.5}, [2]float64{0.85, 0.75}}

	goalAggregate = goal{[3]float64{0.3, 0.5, 0.9}, [2]float64{0.55, 0.9}}
	goalIntSum    = goal{[3]float64{0.3, 0.75, 0.9}, [2]float64{0.75, 0.9}}
	goalRunsOf4   = goal{peer: [3]float64{15, 4.5, 2.8}}
	goalRunsOf100 = goal{peer: [3]float64{40, 12, 2.5}}
	goalWhereSum  = goal{[3]float64{100, 45, 14}, [2]float64{0.75, 0.8}}
)

// at gives the goal of a size, 0 where none is set.
func (g goal) at(rows int) (peer, limit float64) {
	switch rows {
	case 1 << 10:
		return g.peer[0], 0
	case 64 << 10:
		return g.peer[1], g.limit[0]
	case 16 << 20:
		return g.peer[2], g.limit[1]
	}
	return 0, 0
}
