package deep

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/nn"
	"fsnetlab/tests/kit/baselinetest"
)

// What a feature would pull is the norm of central differences of a loss in 64
// bits by its first-layer weights, averaged over the dropouts.
func TestDNP_PullMatchesReference(t *testing.T) {
	data := baselinetest.Normal(8, 5, 2)
	m := DNP{Dropouts: 3}
	tr := must(newTrainer(t.Context(), m, data, baseline.Options{K: 2, Seed: 9, Device: baselinetest.Plain()}))(t)
	p := newPursuit(tr, m)
	p.selected = []int{3}
	var theta [][]float64
	state := p.initial().upload(0)
	for _, s := range state {
		theta = append(theta, nn.Widen(tensors.MustCopyFlatData[float32](s)))
	}
	masks := make([][][]float64, m.Dropouts) // of each dropout and layer
	for layer, units := range dnpHidden() {
		draws := noiseOf(t, fmt.Sprint("dnp dropout ", layer), 9, 4, func(in nn.In) []*graph.Node {
			return []*graph.Node{in.Noise(uint32(1+layer)).Uniform(m.Dropouts, units)}
		})[0]
		for r := range masks {
			mask := make([]float64, units)
			for u := range mask {
				if draws[r*units+u] >= 0.5 {
					mask[u] = 2
				}
			}
			masks[r] = append(masks[r], mask)
		}
	}
	// extra are the first-layer weights of the column that is tried.
	loss := func(column int, extra []float64) float64 {
		sums := make([][]float64, len(data.Rows))
		for i, row := range data.Rows {
			sums[i] = append([]float64(nil), theta[1]...)
			for h := range sums[i] {
				sums[i][h] += row[tr.order[3]]*theta[0][h] + row[column]*extra[h]
			}
		}
		mean := 0.0
		for _, mask := range masks {
			mean += plainEntropy(sums, data.Y, theta[2:], func(x float64) float64 { return max(x, 0.2*x) }, mask) / float64(len(masks))
		}
		return mean
	}
	args := []any{p.x, p.places(), p.y, []uint32{9, 0}, uint32(4)}
	for _, s := range state {
		args = append(args, s)
	}
	out := must(baselinetest.Plain().Call("dnp pull of the test", p.gradientNorm, args...))(t)
	got := must(device.Floats(out[0]))(t)
	for position, column := range tr.order {
		squares := 0.0
		extra := make([]float64, dnpHidden()[0])
		for h := range extra {
			const step = 1e-5
			extra[h] = step
			up := loss(column, extra)
			extra[h] = -step
			down := loss(column, extra)
			extra[h] = 0
			slope := (up - down) / (2 * step)
			squares += slope * slope
		}
		if want := math.Sqrt(squares); math.Abs(float64(got[position])-want) > 1e-6+1e-3*want {
			t.Errorf("column %d pulls with %v, the reference with %v", column, got[position], want)
		}
	}
}

// Of three classes, the first column tells one apart and the second one of the
// others: they are selected first.
func TestDNP_Grows(t *testing.T) {
	data := baselinetest.Normal(80, 30, 3)
	for _, row := range data.Rows {
		row[0] = -row[0]
	}
	model := must(DNP{}.Fit(t.Context(), data, baseline.Options{K: 4, Seed: 2, Device: baselinetest.Compiled()}))(t)
	if first, second := model.Selected[0].Index, model.Selected[1].Index; first+second != 1 {
		t.Errorf("selects %v, not columns 0 and 1 first", model.Selected)
	}
	if accuracy, err := model.Score(data); err != nil || accuracy < 0.95 {
		t.Errorf("accuracy on its own rows %v, %v", accuracy, err)
	}
}
