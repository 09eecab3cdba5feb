package method_test

import (
	"context"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

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
