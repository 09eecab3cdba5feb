package stacked

import (
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// backends are those that tests build programs on. XLA's are tested with FsNet's programs, in fsnet/engine.
func onGo(t *testing.T) compute.Backend {
	t.Helper()
	b := must(gobackend.New("ops_sequential"))
	t.Cleanup(b.Finalize)
	return b
}

// graphs have, for each rule that the Go backend has an operation for, an operation of x, 4×6 small whole numbers, of a scalar s, and of i, a count.
func graphs() map[string]func(x, s, i *graph.Node) *graph.Node {
	constant := func(x *graph.Node, v any) *graph.Node { return graph.Const(x.Graph(), v) }
	ones := func(x *graph.Node, dims ...int) *graph.Node {
		return graph.BroadcastToShape(constant(x, float32(1)), shapes.Make(dtypes.Float32, dims...))
	}
	return map[string]func(x, s, i *graph.Node) *graph.Node{
		"elements":    func(x, _, _ *graph.Node) *graph.Node { return graph.Neg(graph.Abs(graph.Mul(x, x))) },
		"by a scalar": func(x, s, _ *graph.Node) *graph.Node { return graph.Sub(s, graph.Mul(x, s)) },
		"scalars":     func(_, s, _ *graph.Node) *graph.Node { return graph.Add(s, graph.Mul(s, constant(s, float32(3)))) },
		"by a column": func(x, _, _ *graph.Node) *graph.Node {
			return graph.Add(x, graph.ReduceAndKeep(x, graph.ReduceMax, -1))
		},
		"by what is one": func(x, _, _ *graph.Node) *graph.Node { return graph.Add(ones(x, 4, 1), x) },
		"by a count":     func(x, _, i *graph.Node) *graph.Node { return graph.Mul(x, graph.ConvertDType(i, dtypes.Float32)) },
		"reduced":        func(x, _, _ *graph.Node) *graph.Node { return graph.Add(graph.ReduceSum(x, 0), graph.ReduceMin(x, 0)) },
		"reduced to one": func(x, s, _ *graph.Node) *graph.Node { return graph.Mul(graph.ReduceAllSum(x), s) },
		"argmax":         func(x, _, _ *graph.Node) *graph.Node { return graph.ConvertDType(graph.ArgMax(x, 1), dtypes.Float32) },
		"turned":         func(x, _, _ *graph.Node) *graph.Node { return graph.Transpose(graph.Reshape(x, 2, 2, 6), 0, 2) },
		"cut":            func(x, _, _ *graph.Node) *graph.Node { return graph.SliceAxis(x, -1, graph.AxisRange(1, 5)) },
		"padded": func(x, _, _ *graph.Node) *graph.Node {
			return graph.Pad(x, constant(x, float32(7)), compute.PadAxis{Start: 1}, compute.PadAxis{End: 2})
		},
		"joined": func(x, _, _ *graph.Node) *graph.Node { return graph.Concatenate([]*graph.Node{x, ones(x, 4, 2)}, 1) },
		"where": func(x, s, _ *graph.Node) *graph.Node {
			return graph.Where(graph.GreaterThan(x, graph.BroadcastToShape(s, x.Shape())), x, graph.ZerosLike(x))
		},
		"gathered": func(x, _, _ *graph.Node) *graph.Node {
			return graph.Gather(x, graph.ExpandAxes(graph.ConvertDType(graph.ArgMax(x, 0), dtypes.Int32), -1))
		},
		"gathered by what is one": func(x, _, _ *graph.Node) *graph.Node { return graph.Gather(x, constant(x, [][]int32{{2}, {0}})) },
		"product":                 func(x, _, _ *graph.Node) *graph.Node { return graph.Einsum("ij,kj->ik", x, x) },
		"product with an axis":    func(x, _, _ *graph.Node) *graph.Node { return graph.Einsum("ij,ik->ijk", x, x) },
		"product with ones":       func(x, _, _ *graph.Node) *graph.Node { return graph.Einsum("i,ij->j", ones(x, 4), x) },
		"a row of counts":         func(x, _, _ *graph.Node) *graph.Node { return graph.Iota(x.Graph(), x.Shape(), 1) },
	}
}

// A program for several calls gives each what a program for one gives it: also where some places are left, and whether an input is apart.
func TestProgram_GivesEachCallItsOwn(t *testing.T) {
	b := onGo(t)
	var calls [][]any
	for c := range 3 {
		numbers := make([]float32, 24)
		for i := range numbers {
			numbers[i] = float32((7*c+i*i*(c+3))%19 - 8)
		}
		calls = append(calls, []any{tensors.FromFlatDataAndDimensions(numbers, 4, 6), float32(c - 1), int32(1)})
	}
	for name, f := range graphs() {
		build := func(in []*graph.Node) []*graph.Node {
			y := f(in[0], in[1], in[2])
			return []*graph.Node{y, graph.Neg(y)}
		}
		alone := must(graph.NewExec(b, build))
		for _, apart := range []bool{false, true} {
			var inputs []Input
			for i, arg := range calls[0] {
				inputs = append(inputs, Input{ShapeOf(arg), apart && i == 0})
			}
			p := must(Compile(b, name, 4, inputs, 1, build))
			results := must(p.Call(calls))
			for c, call := range calls {
				for o, want := range must(alone.Call(call...)) {
					if got := results[c][o]; !reflect.DeepEqual(got.Value(), want.Value()) {
						t.Errorf("%s, apart=%v: result %d of call %d is %v, alone %v", name, apart, o, c, got.Value(), want.Value())
					}
				}
			}
			p.Finalize()
		}
		alone.Finalize()
	}
}

// What has no rule, and a count that differs between calls, are errors that say so.
func TestCompile_Refuses(t *testing.T) {
	b := onGo(t)
	for want, build := range map[string]func(x *graph.Node) *graph.Node{
		"has no rule for several calls": func(x *graph.Node) *graph.Node { return graph.Reverse(x, 0) },
		"differs between calls": func(x *graph.Node) *graph.Node {
			return graph.ConvertDType(graph.ReduceAllSum(x), dtypes.Int32)
		},
		"a position differs": func(x *graph.Node) *graph.Node {
			return graph.DynamicSlice(x, []*graph.Node{graph.ConvertDType(graph.ReduceAllSum(x), dtypes.Int32)}, []int{1})
		},
	} {
		func() {
			var err error
			defer func() {
				if r := recover(); r != nil {
					err = r.(error)
				}
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, not %q", err, want)
				}
			}()
			_, err = Compile(b, "refused", 2, []Input{{Shape: shapes.Make(dtypes.Float32, 3)}}, 0, func(in []*graph.Node) []*graph.Node { return []*graph.Node{build(in[0])} })
		}()
	}
}
