package engine

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/device"
)

// compileAhead compiles, beside the first call of the steps, what every training asks for soon after it: the look at P, P itself, and the
// network on the training rows. XLA compiles one graph on one core. What fails here fails again, with its error, when it is called.
func (e *Engine) compileAhead() {
	theta, phi, whole, real := e.Theta.Shape(), e.inputs.phi.Shape(), shapes.Make(dtypes.Int32), shapes.Make(dtypes.Float32)
	rows := e.Layout.Rows
	looks := []shapes.Shape{theta, phi, whole, real, real}
	inferred := []shapes.Shape{theta, phi, whole, shapes.Make(dtypes.Float32, rows, e.Layout.K), shapes.Make(dtypes.Float32, rows, e.Layout.Width())}
	p := e.programs
	p.ahead.Do(func() {
		go func() {
			for _, next := range []struct {
				name   string
				exec   *graph.Exec
				inputs []shapes.Shape
			}{{"observe", p.observe, looks}, {"probability", p.p, looks}, {"infer", p.infer, inferred}} {
				err := device.Guard(program{next.name, p.layout}, func() error {
					_, err := next.exec.Compile(next.inputs...)
					return err
				})
				if err != nil { // the training was closed
					return
				}
			}
		}()
	})
}
