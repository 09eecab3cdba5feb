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

// Stopwatch begins at the parameters that the training has now, with step 0's temperature and batches. Its first steps compile the graph
// if the device has no program of this shape. Close it before the training.
func (t *Training) Stopwatch() (*Stopwatch, error) { return t.stopwatch(t.engine, chunkCapacity) }

// Straightforward is the same training with the graph that one would write without having measured anything: a feature's weights are a
// row, the noise is GoMLX's own, a call makes one step. It is what the ratio of fsnet bench refers to.
func (t *Training) Straightforward() (*Stopwatch, error) {
	plain := *t.engine
	plain.device = &Device{Name: t.device.Name, backend: t.device.backend}
	plain.programs = &programs{arch: plain.arch}
	err := guard("straightforward", plain.arch, func() (err error) {
		plain.programs.once, err = graph.NewExec(t.device.backend, plain.arch.straightforwardGraph)
		return err
	})
	if err != nil {
		return nil, err
	}
	s, err := t.stopwatch(&plain, 1)
	if err != nil {
		plain.programs.finalize()
		return nil, err
	}
	s.own = plain.programs
	return s, nil
}

func (t *Training) stopwatch(e *engine, chunk int) (*Stopwatch, error) {
	theta, squares, err := t.engine.parameters()
	if err != nil {
		return nil, err
	}
	return &Stopwatch{engine: e.at(theta, squares), live: t.settings.Live, chunk: chunk}, nil
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
		s.own.finalize()
	}
}

// WriteInputs writes a safetensors file with everything that n steps of this training read but their noise: phi b×d, x rows×d, y rows×C
// (one-hot), theta (the flat parameters), and for each step rows n×B, masks n×B and hypers n×5 (temperature, learning rate, the
// selector's, λ, dropout). With it another program can make the same steps.
func (t *Training) WriteInputs(path string, n int) error {
	e := t.engine
	plan, err := e.plan(0, n, n, t.settings.Live)
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
		"rows":   safetensors.Of(rows, n, e.arch.B),
		"masks":  safetensors.Of(plan.masks, n, e.arch.B),
		"hypers": safetensors.Of(plan.hypers, n, hyperCount),
	}}
	for name, tensor := range map[string]*tensors.Tensor{"phi": e.inputs.phi, "x": e.inputs.x, "y": e.inputs.y} {
		flat, err := tensors.CopyFlatData[float32](tensor)
		if err != nil {
			return fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the inputs")
		}
		dims := slices.Clone(tensor.Shape().Dimensions)
		if name != "y" {
			flat, dims[1] = narrow(flat, dims[1], e.arch.D), e.arch.D
		}
		f.Tensors[name] = safetensors.Of(flat, dims...)
	}
	return safetensors.Write(path, f)
}
