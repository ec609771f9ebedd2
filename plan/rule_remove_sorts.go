package plan

// removeSorts drops sorts whose order nobody sees: below an aggregation whose functions do not depend on it, and on the right side of semi, anti and mark
// joins. A sort under a limit chooses rows and stays.
func removeSorts(_ *Optimizer, n Node) (Node, error) {
	return Transform(n, func(n Node) Node {
		switch n := n.(type) {
		case *Aggregate:
			for _, a := range n.Aggregates {
				if a.Function.OrderSensitive {
					return n
				}
			}
			if input := unsorted(n.Input); input != n.Input {
				return n.WithChildren([]Node{input})
			}
		case *Join:
			if right := unsorted(n.Right); n.Kind.leftOnly() && right != n.Right {
				return n.WithChildren([]Node{n.Left, right})
			}
		}
		return n
	}), nil
}

// unsorted gives a node without sorts that only decide in which order its rows come.
func unsorted(n Node) Node {
	switch n := n.(type) {
	case *Sort:
		return unsorted(n.Input)
	case *Filter, *Project, *UnionAll, *Unnest, *Distinct:
		return withUnsorted(n)
	case *Join:
		return withUnsorted(n)
	}
	return n
}

func withUnsorted(n Node) Node {
	children := n.Children()
	out := make([]Node, len(children))
	changed := false
	for i, c := range children {
		out[i] = unsorted(c)
		changed = changed || out[i] != c
	}
	if !changed {
		return n
	}
	return n.WithChildren(out)
}
