package engine

import (
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/method"
)

// targetWidth is how many columns the targets of rows have: one-hot classes, or a quantity, and, where rows weigh differently, their
// weights.
func targetWidth(a method.Architecture) int {
	if a.Weighted {
		return a.Outputs() + 1
	}
	return a.Outputs()
}

// classesOf are the classes of targets.
func (gs graphs) classesOf(targets *graph.Node) *graph.Node {
	if !gs.Weighted {
		return targets
	}
	return graph.SliceAxis(targets, -1, graph.AxisRange(0, gs.Outputs()))
}

// weightsOf are the weights of targets, a column; nil where there are none.
func (gs graphs) weightsOf(targets *graph.Node) *graph.Node {
	if !gs.Weighted {
		return nil
	}
	return graph.SliceAxis(targets, -1, graph.AxisRange(gs.Outputs(), gs.Outputs()+1))
}
