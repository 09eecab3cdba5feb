package method_test

import (
	"context"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method"
)

// The layers are GoMLX functions: here the selection of two features of three at temperature 1, from logits that prefer the first and
// the last.
func ExampleSelectionLayer() {
	device, err := device.Open(context.Background(), "go")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Close()
	x := [][]float32{{1, 2, 3}}
	logDelta := [][]float32{{50, 0, 0}, {0, 0, 50}}
	selected, err := graph.CallOnce(device.Backend(), func(x, logDelta *graph.Node) *graph.Node {
		return method.SelectionLayer(x, logDelta, nil, graph.Const(x.Graph(), float32(1)))
	}, x, logDelta)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(selected.Value())
	// Output: [[1 3]]
}

func ExampleUniqueArgmax() {
	p := []float32{
		0.6, 0.3, 0.1, // both selectors want feature 0;
		0.5, 0.1, 0.4, // the first wants it more
	}
	fmt.Println(method.UniqueArgmax(p, 2, 3))
	// Output: [0 2]
}

// An architecture is the layers that a configuration and its data ask for, and where their parameters lie in one vector.
func ExampleNewArchitecture() {
	rules := config.RulesOf(config.Paper)
	rules.PredictorHidden = []int{4}
	settings, err := config.Config{Protocol: config.Paper, K: 2, Hidden: []int{8}, Rules: &rules}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	a := method.NewArchitecture(settings, 30, 100, 3)
	for _, p := range a.Parameters() {
		fmt.Println(p.Name, p.Dims, "from", p.Start)
	}
	fmt.Println(a.Size() == len(a.Initial(1)), a.SelectorSize())
	// Output:
	// selector/0/weights [4 10] from 0
	// selector/0/biases [4] from 40
	// selector/1/weights [2 4] from 44
	// encoder/0/weights [2 8] from 52
	// encoder/0/biases [8] from 68
	// classifier/0/weights [8 3] from 76
	// classifier/0/biases [3] from 100
	// reconstruction/0/weights [4 10] from 103
	// reconstruction/0/biases [4] from 143
	// reconstruction/1/weights [8 4] from 147
	// true 52
}

// P, and the concrete variables that are drawn from the same logits.
func ExampleProbability() {
	device, err := device.Open(context.Background(), "go")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Close()
	logDelta := [][]float32{{1, 2, 3}}
	out, err := graph.CallOnceN(device.Backend(), func(l *graph.Node) []*graph.Node {
		return []*graph.Node{method.Probability(l), method.Concrete(l, nil, graph.Const(l.Graph(), float32(0.1)))}
	}, logDelta)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n%.3f\n", out[0].Value(), out[1].Value())
	// Output:
	// [[0.090 0.245 0.665]]
	// [[0.000 0.000 1.000]]
}
