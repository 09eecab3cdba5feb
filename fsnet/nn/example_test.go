package nn_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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

// The parts of a network are GoMLX functions of nodes: a dense layer, its activation, the loss and a step of Adam.
func ExampleDense() {
	scope, err := device.OpenScope(context.Background(), "go")
	if err != nil {
		panic(err)
	}
	defer scope.Close()
	scaled, root := nn.AdamRates(0.1, 0)
	out, err := scope.Call("loss and step", func(in []*graph.Node) []*graph.Node {
		x, w, b, y := in[0], in[1], in[2], in[3]
		scores := nn.LeakyReLU(nn.Dense(x, w, b))
		loss := graph.ReduceAllMean(nn.CrossEntropy(scores, y))
		zeros := graph.ZerosLike(w)
		after, _, _ := nn.Adam(in[4], in[5], w, graph.Gradient(loss, w)[0], zeros, zeros)
		return []*graph.Node{scores, loss, after}
	}, [][]float32{{1, 2}}, [][]float32{{1, 0}, {0, -1}}, []float32{0, 0}, [][]float32{{1, 0}}, scaled, root)
	if err != nil {
		panic(err)
	}
	defer device.Free(out...)
	fmt.Println(out[0].Value())
	fmt.Printf("%.3f\n", out[1].Value())
	fmt.Printf("%.3f\n", out[2].Value())
	// Output:
	// [[1 -0.4]]
	// 0.220
	// [[1.100 -0.100] [0.100 -1.100]]
}

// A network that was trained on a device answers without one.
func ExamplePerceptron() {
	p := &nn.Perceptron{
		Columns:    []int{2, 0}, // of a row the third feature and the first
		Layers:     []nn.Layer{nn.NewLayer([]float32{1, 0, 0, 1}, []float32{0, 0}), nn.NewLayer([]float32{1, -1, 0, 2}, []float32{0.5, 0})},
		Activation: nn.ActivateReLU,
	}
	row := []float64{3, 9, 2}
	fmt.Println(p.Scores(row), "class", p.Predict(row), "of", p.Parameters(), "numbers")
	// Output: [2.5 4] class 1 of 12 numbers
}

// Initial weights are a function of a generator alone.
func ExampleGlorotUniform() {
	weights := nn.GlorotUniform(rand.New(rand.NewPCG(1, 2)), 3, 3)
	normal := nn.TruncatedNormal(rand.New(rand.NewPCG(1, 2)), 100, 0.1, 2)
	fmt.Println(len(weights), slices.Max(weights) < 1, slices.Max(normal) <= 0.2)
	// Output: 9 true true
}
