package engine

import (
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method/fused"
	"fsnetlab/fsnet/method/repair"
)

// upload brings a tilt to the device, as wide as the layout; nil for what there is not.
func (t Tilt) upload(d *device.Device, l fused.Layout) (tilt, groups *tensors.Tensor, err error) {
	if t.Logits != nil {
		if tilt, err = d.Upload(widen(t.Logits, l.D, l.Width()), l.K, l.Width()); err != nil {
			return nil, nil, err
		}
	}
	if t.Groups != nil {
		if groups, err = d.Upload(widen(t.Groups, l.D, l.Width()), l.Width()); err != nil {
			device.Free(tilt)
			return nil, nil, err
		}
	}
	return tilt, groups, nil
}

// tilts are the last inputs of every program that reads log δ: those that there are.
func (in *inputs) tilts() []any {
	var list []any
	for _, t := range []*tensors.Tensor{in.tilt, in.groups} {
		if t != nil {
			list = append(list, t)
		}
	}
	return list
}

// apart divides the inputs of a program into those that all have and tilt and groups behind them, nil where there are none.
func (gs graphs) apart(inputs []*graph.Node) (rest []*graph.Node, tilt, groups *graph.Node) {
	n := len(inputs)
	if gs.GroupLimit > 0 {
		n--
		groups = inputs[n]
	}
	if gs.Tilted {
		n--
		tilt = inputs[n]
	}
	return inputs[:n:n], tilt, groups
}

// behind are tilt and groups as inputs again.
func behind(tilt, groups *graph.Node) []*graph.Node {
	var list []*graph.Node
	for _, n := range []*graph.Node{tilt, groups} {
		if n != nil {
			list = append(list, n)
		}
	}
	return list
}

// exclusive is repair.Exclusive with the groups of the layout.
func (gs graphs) exclusive(z, sharpness, groups *graph.Node) *graph.Node {
	return repair.Exclusive(z, sharpness, groups, gs.GroupLimit)
}
