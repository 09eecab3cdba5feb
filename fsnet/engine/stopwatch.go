package engine

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/method"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/safetensors"
)

// Stopwatch times steps of a training. It observes, records, saves and stops
// nothing, and does not advance the training itself. Only one goroutine may
// use it at a time.
type Stopwatch struct {
	engine *Engine
	own    *programs // programs to free, or nil if the device owns them
	live   config.Live
	step   int
	chunk  int          // largest number of steps in a call of the device
	beside []*Stopwatch // stopwatches of other lanes, which make as many steps at the same time
}

// Stopwatch returns a stopwatch that begins at the parameters of the engine,
// with the temperature and batches of step 0, and makes chunk steps a call.
// The caller must close it.
func (e *Engine) Stopwatch(live config.Live, chunk int) (*Stopwatch, error) {
	theta, squares, err := e.Parameters()
	if err != nil {
		return nil, err
	}
	return &Stopwatch{engine: e.Fork(theta, squares), live: live, chunk: chunk}, nil
}

// Definition returns a stopwatch of the definition of the step
// (method.Architecture.Step), one step a call. The caller must close it.
func (e *Engine) Definition(live config.Live) (*Stopwatch, error) {
	defined := *e
	defined.forgetBias()
	graphs := defined.graphs()
	defined.programs = &programs{graphs: graphs, name: once}
	graphs.Repulsion = e.Layout.NeedsRepulsion(live)
	err := device.Guard(program{"definition", e.Layout}, func() (err error) {
		defined.programs.plain, err = graph.NewExec(e.device.Backend(), graphs.definitionGraph)
		defined.programs.blunt, defined.programs.repel = defined.programs.plain, defined.programs.plain
		return err
	})
	if err != nil {
		return nil, err
	}
	s, err := defined.Stopwatch(live, 1)
	if err != nil {
		defined.programs.Finalize()
		return nil, err
	}
	s.own = defined.programs
	return s, nil
}

// PerCall returns the largest number of steps in one call of the device.
func (s *Stopwatch) PerCall() int { return min(s.chunk, s.engine.capacity()) }

// Beside has stopwatches of other lanes make as many steps at the same time.
// Closing this one closes them.
func (s *Stopwatch) Beside(others ...*Stopwatch) { s.beside = others }

// Steps makes n more steps and returns their duration and the mean loss of
// their batches. If the context is canceled, it ends between two calls of
// the device, and made counts the steps until then.
func (s *Stopwatch) Steps(ctx context.Context, n int) (took time.Duration, loss float64, made int, err error) {
	// All lanes join before the first call, which otherwise would be made
	// alone. Each rests after its last one, because the next may never come.
	s.engine.device.Join()
	for _, other := range s.beside {
		other.engine.device.Join()
	}

	var group sync.WaitGroup
	failures := make([]error, len(s.beside))
	for i, other := range s.beside {
		group.Go(func() {
			_, _, _, failures[i] = other.steps(ctx, n)
			other.engine.Rest()
		})
	}
	took, loss, made, err = s.steps(ctx, n)
	s.engine.Rest()
	group.Wait()
	return took, loss, made, cmp.Or(err, cmp.Or(failures...))
}

// steps is Steps without the other lanes.
func (s *Stopwatch) steps(ctx context.Context, n int) (took time.Duration, loss float64, made int, err error) {
	began := time.Now()
	sum := 0.0
	for made < n {
		if err := ctx.Err(); err != nil {
			return time.Since(began), sum / float64(max(made, 1)), made, errs.Wrap(err, errs.Interrupted, "", "after %s", phrase.Count(s.step, "step"))
		}
		metrics, broken, err := s.engine.Advance(s.step, min(s.chunk, n-made), s.live)
		for _, m := range metrics {
			sum += m.Loss
		}
		s.step, made = s.step+len(metrics), made+len(metrics)
		if err == nil && broken != "" {
			err = errs.New(errs.Failed, "try a smaller learning_rate", "the %s stopped being a number at step %d", broken, s.step)
		}
		if err != nil {
			return time.Since(began), sum / float64(max(made, 1)), made, err
		}
	}
	return time.Since(began), sum / float64(max(made, 1)), made, nil
}

// Close frees the state of the steps, and the programs of a Definition.
func (s *Stopwatch) Close() {
	for _, other := range s.beside {
		other.Close()
	}
	s.engine.Close()
	if s.own != nil {
		s.own.Finalize()
	}
}

// WriteInputs writes a safetensors file with everything that n steps read
// except their noise: phi b×d, x rows×d, y rows×C (one-hot, or rows×1 for a
// quantity, followed by the weights of the rows if there are any), theta
// (the flat parameters), and for each step rows n×B, masks n×B and hypers
// n×7 (temperature, learning rate, learning rate of the selectors, λ,
// dropout, sharpness, repulsion). Another program can make the same steps
// from it, unless there are constraints on features.
func (e *Engine) WriteInputs(path string, n int, live config.Live) error {
	if e.inputs.stream != nil {
		return errs.New(errs.Request, "use fewer rows, as with rows_per_class", "the training rows are streamed and never held in full")
	}

	plan, err := e.Plan(0, n, n, live)
	if err != nil {
		return err
	}
	theta, _, err := e.Parameters()
	if err != nil {
		return err
	}

	rows := make([]uint32, len(plan.rows))
	for i, row := range plan.rows {
		rows[i] = uint32(row)
	}

	f := &safetensors.File{Tensors: map[string]safetensors.Tensor{
		"theta":  safetensors.Of(theta, len(theta)),
		"rows":   safetensors.Of(rows, n, e.Layout.B),
		"masks":  safetensors.Of(plan.masks, n, e.Layout.B),
		"hypers": safetensors.Of(plan.Hypers, n, method.HyperCount),
	}}
	for name, tensor := range map[string]*tensors.Tensor{"phi": e.inputs.phi, "x": e.inputs.x, "y": e.inputs.y} {
		flat, err := tensors.CopyFlatData[float32](tensor)
		if err != nil {
			return errs.Wrap(err, errs.Failed, "run fsnet doctor", "reading the inputs")
		}
		dims := slices.Clone(tensor.Shape().Dimensions)
		if name != "y" {
			flat, dims[1] = narrow(flat, dims[1], e.Layout.D), e.Layout.D
		}
		f.Tensors[name] = safetensors.Of(flat, dims...)
	}
	return errs.NotWritten(safetensors.Write(path, f))
}
