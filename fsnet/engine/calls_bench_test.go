package engine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/fused"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/devicetest"
)

// benched is a toy of many features.
func benched(b testing.TB, d int) toy {
	toy := newToyOf(b, config.Config{K: 10, Batch: new(8), Epochs: 300, Sharpness: new(1.0), Repulsion: new(0.0), Seed: 1}, 36)
	toy.arch.Hidden = []int{64, 32, 16}
	return toy.ofWidth(d)
}

// BenchmarkCalls times calls of each size, with known counts and without, and how long each compiles.
func BenchmarkCalls(b *testing.B) {
	d := devicetest.All(b)[0]
	for _, width := range []int{1000, 7129} {
		toy := benched(b, width)
		for _, known := range []bool{false, true} {
			for _, steps := range []int{1, 2, 4, 8, 16, 32, 64, 128} {
				b.Run(fmt.Sprintf("d=%d/known=%v/steps=%d", width, known, steps), func(b *testing.B) {
					layout := fused.LayoutFor(d.Name, toy.arch)
					layout.Known = known
					e := must(newWith(d, layout, 1, slices.Clone(toy.phi), Rows{Dense: slices.Clone(toy.x)}, toy.target(), nil))
					defer e.Close()
					e.programs.ahead.Do(func() {})
					began, start := time.Now(), 0
					advanced(b, e, 0, steps, toy.settings.Live)
					first := time.Since(began)
					var took []float64
					for range 30 {
						start += steps
						now := time.Now()
						advanced(b, e, start, steps, toy.settings.Live)
						took = append(took, time.Since(now).Seconds()*1000)
					}
					slices.Sort(took)
					b.ReportMetric(took[len(took)/2], "ms/call")
					b.ReportMetric(took[len(took)/2]/float64(steps), "ms/step")
					b.ReportMetric(first.Seconds(), "s/first")
				})
			}
		}
	}
}

// replicasGraph is advanceGraph for R trainings, each with a theta, squares, seed and rows of its own: the bodies of R steps in one loop.
func (gs graphs) replicasGraph(r int) func(inputs []*graph.Node) []*graph.Node {
	return func(inputs []*graph.Node) []*graph.Node {
		state := slices.Clone(inputs)
		state[inputPhi] = gs.IndependentRows(inputs[inputPhi])
		count := func(in []*graph.Node) *graph.Node { return nn.Count(in[inputBatches], gs.capacity(), nil) }
		step := func(i *graph.Node, in []*graph.Node) []*graph.Node {
			var thetas, squares []*graph.Node
			part := func(n *graph.Node, k int) *graph.Node {
				return graph.Reshape(graph.SliceAxis(n, 0, graph.AxisRange(k, k+1)), n.Shape().Dimensions[1:]...)
			}
			for k := range r {
				own := slices.Clone(in)
				for _, at := range []int{inputTheta, inputSquares, inputSeed} {
					own[at] = part(in[at], k)
				}
				_, one := gs.stepInputs(own, graph.Add(in[inputStart], graph.ConvertDType(i, in[inputStart].DType())), func(input int) *graph.Node {
					row := nn.Row(in[input], i)
					if input == inputBatches || input == inputMasks {
						row = part(row, k)
					}
					return row
				})
				theta, square, _ := gs.Step(fused.Inputs{StepInputs: one, Parts: fused.PartsOf(gs.Divide(one.Phi), gs.Divide(one.X)),
					Tiles: gs.Tiles(one.Phi), Folding: gs.Folding(one.Labels)})
				thetas, squares = append(thetas, graph.ExpandAxes(theta, 0)), append(squares, graph.ExpandAxes(square, 0))
			}
			next := slices.Clone(in)
			next[inputTheta], next[inputSquares] = graph.Concatenate(thetas, 0), graph.Concatenate(squares, 0)
			return next
		}
		return nn.While(state, count, step)[:2]
	}
}

// BenchmarkReplicas times R trainings in one program.
func BenchmarkReplicas(b *testing.B) {
	d := devicetest.All(b)[0]
	const steps = 32
	for _, width := range []int{1000, 7129} {
		toy := benched(b, width)
		for _, r := range []int{1, 8, 32} {
			b.Run(fmt.Sprintf("d=%d/R=%d", width, r), func(b *testing.B) {
				layout := fused.LayoutFor(d.Name, toy.arch)
				e := must(newWith(d, layout, 1, slices.Clone(toy.phi), Rows{Dense: slices.Clone(toy.x)}, toy.target(), nil))
				defer e.Close()
				exec := must(graph.NewExec(d.Backend(), e.graphs().replicasGraph(r)))
				defer exec.Finalize()
				plan := must(e.Plan(0, steps, steps, toy.settings.Live))
				p, batch := layout.Size(), layout.B
				theta, squares, seeds := []float32{}, make([]float32, r*p), []uint32{}
				rows, masks := make([]int32, steps*r*batch), make([]float32, steps*r*batch)
				random := num.RNG(1, "rows")
				for k := range r {
					theta = append(theta, layout.Initial(int64(k))...)
					seeds = append(seeds, nn.SeedWords(int64(k))...)
				}
				for i := range rows {
					rows[i], masks[i] = int32(random.IntN(layout.Rows)), 1
				}
				th, sq := tensors.FromFlatDataAndDimensions(theta, r, p), tensors.FromFlatDataAndDimensions(squares, r, p)
				se, ba := tensors.FromFlatDataAndDimensions(seeds, r, 2), tensors.FromFlatDataAndDimensions(rows, steps, r, batch)
				ma, hy := tensors.FromFlatDataAndDimensions(masks, steps, r, batch), tensors.FromFlatDataAndDimensions(plan.Hypers, steps, method.HyperCount)
				cw := tensors.FromFlatDataAndDimensions(e.ClassWeights(toy.settings.Live), layout.Outputs())
				call := func() time.Duration {
					began := time.Now()
					out := must(exec.Call(th, sq, e.inputs.phi, e.inputs.x, e.inputs.y, cw, se, int32(layout.D), uint32(0), int32(steps), ba, ma, hy))
					_ = must(tensors.CopyFlatData[float32](out[0]))
					device.Free(th, sq)
					th, sq = out[0], out[1]
					return time.Since(began)
				}
				first := call()
				var took []float64
				for range 8 {
					took = append(took, call().Seconds()*1000/steps)
				}
				slices.Sort(took)
				b.ReportMetric(took[len(took)/2], "ms/steps")
				b.ReportMetric(took[len(took)/2]/float64(r), "ms/step")
				b.ReportMetric(first.Seconds(), "s/first")
			})
		}
	}
}
