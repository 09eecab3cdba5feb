package stacked

import (
	"encoding/binary"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"
)

// Input is an input of a graph. If it is apart, the tensors of the calls are on the device and stay
// where they are. Otherwise they are on the host, and one transfer takes all of them. Scalars of
// int32 are the same in all calls.
type Input struct {
	Shape shapes.Shape
	Apart bool
}

// Program makes up to n calls of a graph at once.
type Program struct {
	backend compute.Backend
	n, kept int
	inputs  []Input
	graph   *graph.Graph
}

// Compile compiles a program for n calls of a graph. Of the first kept results each call gets a
// tensor on the device; the others are read by the host. Like all building of graphs it may panic.
func Compile(on compute.Backend, name string, n int, inputs []Input, kept int, build func([]*graph.Node) []*graph.Node) (*Program, error) {
	b := &backend{Backend: on, n: n, kept: kept}
	for _, in := range inputs {
		b.apart = append(b.apart, in.Apart)
	}
	p := &Program{backend: on, n: n, kept: kept, inputs: inputs, graph: graph.NewGraph(b, name)}
	nodes := make([]*graph.Node, len(inputs))
	for i, in := range inputs {
		nodes[i] = graph.Parameter(p.graph, fmt.Sprintf("in%d", i), in.Shape)
	}
	if err := p.graph.Compile(build(nodes)...); err != nil {
		return nil, err
	}
	return p, nil
}

// Finalize frees the program.
func (p *Program) Finalize() { p.graph.Finalize() }

// Call makes calls, from one to n. Each is a list of tensors and scalars, one for each input. It
// returns the results of each call.
func (p *Program) Call(calls [][]any) ([][]*tensors.Tensor, error) {
	var buffers, ours []compute.Buffer
	defer func() {
		for _, b := range ours {
			_ = b.Finalize()
		}
	}()
	call := func(i int) []any { return calls[min(i, len(calls)-1)] } // the places that are left repeat the last call
	for at, in := range p.inputs {
		if in.Apart {
			for i := range p.n {
				b, err := call(i)[at].(*tensors.Tensor).Buffer(p.backend, 0)
				if err != nil {
					return nil, err
				}
				buffers = append(buffers, b)
			}
			continue
		}
		shape, count := in.Shape, 1
		if !isCommon(shape) {
			shape, count = shapes.Make(shape.DType, append([]int{p.n}, shape.Dimensions...)...), p.n
		}
		var data []byte
		for i := range count {
			var err error
			if data, err = appendBytes(data, call(i)[at]); err != nil {
				return nil, err
			}
		}
		t, err := tensors.FromRaw(p.backend, 0, shape, data)
		if err != nil {
			return nil, err
		}
		b, err := t.Buffer(p.backend, 0)
		if err != nil {
			return nil, err
		}
		buffers, ours = append(buffers, b), append(ours, b)
	}

	out, err := p.graph.Executable().Execute(buffers, nil, 0)
	if err != nil {
		return nil, err
	}
	return p.split(out, len(calls))
}

// split returns the results of each of some calls.
func (p *Program) split(out []compute.Buffer, calls int) ([][]*tensors.Tensor, error) {
	results := make([][]*tensors.Tensor, calls)
	for at, b := range out {
		place := at % p.n
		switch {
		case at >= p.kept*p.n:
			whole, err := tensors.FromBuffer(b)
			if err != nil {
				return nil, err
			}
			for i := range results {
				t, err := part(whole, i, p.n)
				if err != nil {
					return nil, err
				}
				results[i] = append(results[i], t)
			}
			_ = whole.FinalizeAll()
		case place >= calls:
			_ = b.Finalize()
		default:
			t, err := tensors.FromBuffer(b)
			if err != nil {
				return nil, err
			}
			results[place] = append(results[place], t)
		}
	}
	return results, nil
}

// part copies row i of n to the host.
func part(whole *tensors.Tensor, i, n int) (t *tensors.Tensor, err error) {
	shape := shapes.Make(whole.DType(), whole.Shape().Dimensions[1:]...)
	t = tensors.FromShape(shape)
	read := whole.ConstBytes(func(data []byte) {
		size := len(data) / n
		err = t.MutableBytes(func(to []byte) { copy(to, data[i*size:(i+1)*size]) })
	})
	if read != nil {
		err = read
	}
	return t, err
}

// appendBytes appends the numbers of a tensor or a scalar.
func appendBytes(data []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case *tensors.Tensor:
		err := v.ConstBytes(func(b []byte) { data = append(data, b...) })
		return data, err
	case int32, uint32, float32:
		return binary.Append(data, binary.NativeEndian, v)
	}
	return nil, errors.Errorf("an input of type %T", v)
}

// ShapeOf returns the shape of a call's tensor or scalar.
func ShapeOf(v any) shapes.Shape {
	switch v := v.(type) {
	case *tensors.Tensor:
		return v.Shape()
	case int32:
		return shapes.Make(dtypes.Int32)
	case uint32:
		return shapes.Make(dtypes.Uint32)
	}
	return shapes.Make(dtypes.Float32)
}
