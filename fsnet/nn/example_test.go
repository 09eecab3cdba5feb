package nn_test

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/nn"
)

// The square root of two, by gradient descent on (x² − 2)².
func Example() {
	ctx := context.Background()
	device, err := device.OpenScope(ctx, "go")
	if err != nil {
		panic(err)
	}
	defer device.Close()
	step := func(in nn.In) (state []*graph.Node, metrics *graph.Node) {
		x := in.State[0]
		loss := graph.Square(graph.Sub(graph.Square(x), in.Number(0)))
		slope := graph.Gradient(loss, x)[0]
		return []*graph.Node{graph.Sub(x, graph.Mul(slope, in.Number(1)))}, graph.Reshape(loss, 1)
	}
	program := nn.Program{Name: "root", Step: step, Metrics: 1, Rows: 1, Numbers: 2}
	loop, err := nn.NewLoop(device, program, []*tensors.Tensor{tensors.FromValue(float32(1))}, nil, 0)
	if err != nil {
		panic(err)
	}
	defer loop.Close()
	plan := func(_ int, _ []int32, numbers []float32) { numbers[0], numbers[1] = 2, 0.05 }
	err = loop.Run(ctx, 100, plan, func(int, [][]float32) (stop bool, err error) { return false, nil })
	if err != nil {
		panic(err)
	}
	x, err := loop.Values(0)
	fmt.Println(math.Round(float64(x[0])*1e4)/1e4, err)
	// Output: 1.4142 <nil>
}
