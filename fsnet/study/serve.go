package study

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"sync"
	"syscall"
	"time"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
)

// ReplyFile is the number of the file that a worker process of [Workers] answers to. Standard output is not used for it: a library may
// print there.
const ReplyFile = 3

// A worker reads an assignment, then jobs, one at a time, as lines of JSON; the end of its input ends it. It answers the assignment with
// ready or a fault, and every job with a result or a errs. Every second it says that it is alive.

// assignment is what all jobs of a worker have in common.
type assignment struct {
	Settings  config.Settings         `json:"settings"`
	Directory string                  `json:"directory"`
	Alone     bool                    `json:"alone"` // nobody has planned the memory: look whether there is room for one
	Files     dataset.ConstraintFiles `json:"files,omitempty"`
}

// job is one training.
type job struct {
	Seed int64  `json:"seed"`
	Save string `json:"save,omitempty"`
}

// reply has one of its fields.
type reply struct {
	Ready  *ready        `json:"ready,omitempty"`
	Pulse  *pulse        `json:"pulse,omitempty"`
	Result *fsnet.Result `json:"result,omitempty"`
	Fault  *errs.Error   `json:"fault,omitempty"`
}

// ready says that device and data are open.
type ready struct {
	Device string            `json:"device"`
	Hash   string            `json:"hash"`   // of the data
	Memory engine.MemoryPlan `json:"memory"` // of this process
}

// pulse is what a worker says of itself every second.
type pulse struct {
	Step  int     `json:"step"`
	Steps int     `json:"steps"` // in the whole annealing
	CPU   float64 `json:"cpu"`   // seconds of processor time that it has used
}

// pulseInterval is how often a worker says that it is alive.
const pulseInterval = time.Second

// endLimit is how long a worker that is to end has to do so. A training ends within its chunk of 100 ms, but a compilation or a long
// step of the device cannot be stopped; the process then ends around it.
const endLimit = 1500 * time.Millisecond

// maxLine is how long a line to or from a worker may be: settings, or a result with all features selected.
const maxLine = 1 << 28

// server is a worker, seen from inside.
type server struct {
	mu    sync.Mutex
	out   *json.Encoder
	ended bool
	now   pulse
}

// send sends one answer. An error says that the parent has gone.
func (s *server) send(r reply) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil
	}
	return s.out.Encode(r)
}

// at notes how far the training is.
func (s *server) at(step, steps int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Step, s.now.Steps = step, steps
}

// beat says that this process is alive until the context ends.
func (s *server) beat(ctx context.Context) {
	for ctx.Err() == nil {
		s.mu.Lock()
		now := s.now
		s.mu.Unlock()
		var use syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &use) == nil {
			now.CPU = time.Duration(use.Utime.Nano() + use.Stime.Nano()).Seconds()
		}
		if s.send(reply{Pulse: &now}) != nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(pulseInterval):
		}
	}
}

// Serve is a worker: it reads its assignment and its jobs from in and answers to out, until in ends, which stops a training at once. It
// is what a process made by [Workers.Command] calls, with its standard input and [ReplyFile]. Where the parent has gone, in ends too, so
// that no worker outlives it.
//
// The process must exit when Serve returns: where the device did not end in time, a training is still going on. The errors of data, device
// and jobs are answers and not errors of Serve; one of kind Request says that no parent is at the other end.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := make(chan []byte)
	go func() {
		defer cancel()
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, maxLine)
		for scanner.Scan() {
			select {
			case lines <- append([]byte(nil), scanner.Bytes()...):
			case <-ctx.Done():
				return
			}
		}
	}()
	s := &server{out: json.NewEncoder(out)}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended = true
	}()
	done := make(chan error, 1)
	go func() { done <- s.work(ctx, lines) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(endLimit):
		return nil
	}
}

// work answers lines until there are no more or the context ends.
func (s *server) work(ctx context.Context, lines <-chan []byte) error {
	first, ok := <-lines
	if !ok {
		return nil
	}
	const remedy = "fsnet fit --replicas starts workers"
	var a assignment
	if err := json.Unmarshal(first, &a); err != nil {
		return errs.New(errs.Request, remedy, "%.40q is not an assignment for a worker", first)
	}
	go s.beat(ctx)
	device, data, err := a.open(ctx)
	if err != nil {
		return s.send(reply{Fault: errs.Of(err)})
	}
	defer device.Close()
	if err := s.send(reply{Ready: &ready{device.Name, data.Hash, engine.PlanMemory(data, a.Settings, device.Name)}}); err != nil {
		return err // the parent has gone
	}
	for line := range lines {
		var j job
		if err := json.Unmarshal(line, &j); err != nil {
			return errs.New(errs.Request, remedy, "%.40q is not a job for a worker", line)
		}
		s.at(0, 0)
		result, err := s.train(ctx, device, data, a, j)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // nobody waits for this replica any more
		}
		r := reply{Result: result}
		if err != nil {
			r = reply{Fault: errs.Of(err)}
		}
		if err := s.send(r); err != nil {
			return err
		}
	}
	return nil
}

// open opens what all jobs share. The device comes first, so that a worker without one does not read the data.
func (a assignment) open(ctx context.Context) (*device.Device, *dataset.Dataset, error) {
	device, err := device.Open(ctx, a.Settings.Backend)
	if err != nil {
		return nil, nil, err
	}
	data, err := dataset.Open(ctx, a.Settings, a.Directory)
	if err == nil && a.Alone {
		err = engine.CheckMemory(ctx, device.Name, data, a.Settings)
	}
	if err != nil {
		device.Close()
		return nil, nil, err
	}
	return device, data, nil
}

// train makes one fit. The parent sees to the memory, for all workers.
func (s *server) train(ctx context.Context, on *device.Device, data *dataset.Dataset, a assignment, j job) (result *fsnet.Result, err error) {
	settings := a.Settings
	settings.Seed = j.Seed
	t, err := train.OpenPlanned(ctx, on, data, settings)
	if err != nil {
		return nil, err
	}
	if a.Files != nil {
		if err := sameFiles(settings, a.Directory, a.Files, "bring it back as it was, and leave it alone while replicas are trained"); err != nil {
			t.Close()
			return nil, err
		}
	}
	err = fsnet.ToEnd(ctx, t, func(status session.Status) error { s.at(status.Step, status.Steps); return nil }, func() error {
		var err error
		if result, err = fsnet.ResultOf(t, data.Source); err != nil || j.Save == "" || ctx.Err() != nil {
			return err
		}
		model, err := fsnet.ModelOf(t)
		if err != nil {
			return err
		}
		return model.Save(j.Save)
	})
	return result, err
}

// sameFiles refuses files that settings name and that do not say what is expected.
func sameFiles(s config.Settings, directory string, expected dataset.ConstraintFiles, remedy string) error {
	now, err := dataset.ConstraintFilesOf(s, directory)
	if err != nil {
		return err
	}
	if what := expected.Changed(now, s); what != "" {
		return errs.New(errs.Request, remedy, "%s", what)
	}
	return nil
}
