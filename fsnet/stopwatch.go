package fsnet

import (
	"context"
	"slices"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/safetensors"
)

// A Stopwatch makes steps of a training to see how long they take: nothing is observed, recorded, kept or stopped in between, and the
// training that it comes from does not move. It is for one goroutine at a time.
type Stopwatch struct {
	engine *engine
	own    *programs // that are not the device's, or nil
	live   config.Live
	step   int
	chunk  int // steps a call of the device
}

// stopwatch begins at the parameters that the engine has now, with step 0's temperature and batches, and makes so many steps a call.
func (e *engine) stopwatch(live config.Live, chunk int) (*Stopwatch, error) {
	theta, squares, err := e.parameters()
	if err != nil {
		return nil, err
	}
	return &Stopwatch{engine: e.at(theta, squares), live: live, chunk: chunk}, nil
}

// defined is the engine with the step as the paper's definition has it, one a call.
func (e *engine) defined(live config.Live) (*Stopwatch, error) {
	defined := *e
	defined.programs = &programs{layout: e.layout}
	err := guard("defined", e.layout, func() (err error) {
		defined.programs.once, err = graph.NewExec(e.device.backend, graphs{e.layout}.definedGraph)
		return err
	})
	if err != nil {
		return nil, err
	}
	s, err := defined.stopwatch(live, 1)
	if err != nil {
		defined.programs.Finalize()
		return nil, err
	}
	s.own = defined.programs
	return s, nil
}

// Steps makes n more steps and returns how long they took and the mean loss of their batches. A cancelled context ends it between two
// calls of the device; made is how many steps there were.
func (s *Stopwatch) Steps(ctx context.Context, n int) (took time.Duration, loss float64, made int, err error) {
	began := time.Now()
	sum := 0.0
	for made < n {
		if err := ctx.Err(); err != nil {
			return time.Since(began), sum / float64(max(made, 1)), made, fault.Wrap(err, fault.Interrupted, "", "after %d steps", s.step)
		}
		metrics, broken, err := s.engine.advance(s.step, min(s.chunk, n-made), s.live)
		for _, m := range metrics {
			sum += m.loss
		}
		s.step, made = s.step+len(metrics), made+len(metrics)
		if err == nil && broken != "" {
			err = fault.New(fault.Failed, "try a smaller learning_rate", "the %s stopped being a number at step %d", broken, s.step)
		}
		if err != nil {
			return time.Since(began), sum / float64(max(made, 1)), made, err
		}
	}
	return time.Since(began), sum / float64(max(made, 1)), made, nil
}

// Close frees the state of the steps.
func (s *Stopwatch) Close() {
	s.engine.close()
	if s.own != nil {
		s.own.Finalize()
	}
}

// writeInputs writes a safetensors file with everything that n steps read but their noise: phi b×d, x rows×d, y rows×C
// (one-hot), theta (the flat parameters), and for each step rows n×B, masks n×B and hypers n×5 (temperature, learning rate, the
// selector's, λ, dropout). With it another program can make the same steps.
func (e *engine) writeInputs(path string, n int, live config.Live) error {
	plan, err := e.plan(0, n, n, live)
	if err != nil {
		return err
	}
	theta, _, err := e.parameters()
	if err != nil {
		return err
	}
	rows := make([]uint32, len(plan.rows))
	for i, row := range plan.rows {
		rows[i] = uint32(row)
	}
	f := &safetensors.File{Tensors: map[string]safetensors.Tensor{
		"theta":  safetensors.Of(theta, len(theta)),
		"rows":   safetensors.Of(rows, n, e.layout.B),
		"masks":  safetensors.Of(plan.masks, n, e.layout.B),
		"hypers": safetensors.Of(plan.hypers, n, hyperCount),
	}}
	for name, tensor := range map[string]*tensors.Tensor{"phi": e.inputs.phi, "x": e.inputs.x, "y": e.inputs.y} {
		flat, err := tensors.CopyFlatData[float32](tensor)
		if err != nil {
			return fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the inputs")
		}
		dims := slices.Clone(tensor.Shape().Dimensions)
		if name != "y" {
			flat, dims[1] = narrow(flat, dims[1], e.layout.D), e.layout.D
		}
		f.Tensors[name] = safetensors.Of(flat, dims...)
	}
	return safetensors.Write(path, f)
}
