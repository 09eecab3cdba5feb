package engine

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/device"
)

// compileAhead compiles, beside the first call of the steps, what every training asks for soon after it: the look at P, P itself, and the
// network on the training rows. XLA compiles one graph on one core. What fails here fails again, with its error, when it is called.
func (e *Engine) compileAhead() {
	looks := make([]shapes.Shape, 0, 6)
	for _, input := range e.looks(e.Theta, Look{}) {
		switch input := input.(type) {
		case *tensors.Tensor:
			looks = append(looks, input.Shape())
		case int32:
			looks = append(looks, shapes.Make(dtypes.Int32))
		case float32:
			looks = append(looks, shapes.Make(dtypes.Float32))
		}
	}
	if e.inputs.stream != nil { // whose rows are looked at in parts
		return
	}
	rows := e.Layout.Rows
	inferred := append(slices.Clone(looks[:3]), shapes.Make(dtypes.Float32, rows, e.Layout.K),
		shapes.Make(dtypes.Float32, rows, e.Layout.Width()))
	p := e.programs
	p.ahead.Do(func() {
		p.beside.Go(func() {
			for _, next := range []struct {
				name   string
				exec   *graph.Exec
				inputs []shapes.Shape
			}{{"observe", p.observe, looks}, {"probability", p.p, looks}, {"infer", p.infer, inferred}} {
				err := device.Guard(program{next.name, p.Layout}, func() error {
					_, err := next.exec.Compile(next.inputs...)
					return err
				})
				if err != nil || p.closed.Load() {
					return
				}
			}
		})
	})
}
