package device_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/device"
)

// The best device that works here is "auto"; the Go backend is always there.
func ExampleOpen() {
	d, err := device.Open(context.Background(), "go")
	check(err)
	defer d.Close()
	fmt.Println(d.Name, slices.Contains(device.Backends(), d.Name))
	_, err = device.Open(context.Background(), "xla:tpu")
	fmt.Println(err != nil)
	// Output:
	// go true
	// true
}

// A graph is compiled when it is first asked for, and let go with its scope.
func ExampleOpenScope() {
	s, err := device.OpenScope(context.Background(), "go")
	check(err)
	defer s.Close()
	squares := func(in []*graph.Node) []*graph.Node { return []*graph.Node{graph.Square(in[0])} }
	numbers, err := device.Numbers[float32](s, "squares", squares, []float32{1, 2, 3})
	fmt.Println(s.Name(), numbers, err)

	t, err := s.One("squares", squares, []float32{4})
	check(err)
	defer device.Free(t)
	sixteen, err := device.Floats(t)
	fmt.Println(sixteen, err)
	// Output:
	// go [1 4 9] <nil>
	// [16] <nil>
}

// A graph that cannot be built is an error that names it, not a panic.
func ExampleScope_Call() {
	d, err := device.Open(context.Background(), "go")
	check(err)
	defer d.Close()
	s := device.ScopeOn(d)
	defer s.Close()
	_, err = s.Call("sum", func(in []*graph.Node) []*graph.Node { return []*graph.Node{graph.Add(in[0], in[1])} }, []float32{1, 2},
		[]float32{1, 2, 3})
	fmt.Println(err != nil)
	// Output: true
}

func ExampleDevice_Upload() {
	d, err := device.Open(context.Background(), "go")
	check(err)
	defer d.Close()
	t, err := d.Upload([]float32{1, 2, 3, 4}, 2, 2)
	check(err)
	defer device.Free(t)
	fmt.Println(t.Value())
	// Output: [[1 2] [3 4]]
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
