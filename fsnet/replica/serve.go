package replica

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
)

// ReplyFile is the number of the file that a worker process of [Workers] answers to. Standard output is not used for it: a library may
// print there.
const ReplyFile = 3

// endLimit is how long a worker that is to end has to do so. A training ends within its chunk of 100 ms, but a compilation or a long
// step of the device cannot be stopped; the process then ends around it.
const endLimit = 1500 * time.Millisecond

// replyInterval is the least time between two replies about steps.
const replyInterval = 100 * time.Millisecond

// Serve is a worker: it reads its assignment and its jobs from in and answers to out, until in ends, which stops a training at once. It
// is what a process made by [Workers.Command] calls, with its standard input and [ReplyFile]. Where the parent has gone, in ends too, so
// that no worker outlives it.
//
// The process must exit when Serve returns: where the device did not end in time, a training is still going on.
//
// The errors of data, device and jobs are answers and not errors of Serve. An error of kind Request says that no runner is at the other
// end.
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
	to := &answers{encoder: json.NewEncoder(out)}
	defer to.end()
	done := make(chan error, 1)
	go func() { done <- work(ctx, lines, to) }()
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

// maxLine is how long a line to or from a worker may be: settings, or a result with all features selected.
const maxLine = 1 << 28

// work answers lines until there are no more or the context ends.
func work(ctx context.Context, lines <-chan []byte, out *answers) error {
	first, ok := <-lines
	if !ok {
		return nil
	}
	var a assignment
	if err := json.Unmarshal(first, &a); err != nil {
		return fault.New(fault.Request, "fsnet fit --replicas starts workers", "%.40q is not an assignment for a worker", first)
	}
	go out.heartbeat(ctx)
	device, data, err := a.open(ctx)
	if err != nil {
		return out.send(reply{Fault: fault.Of(err)})
	}
	defer device.Close()
	if err := out.send(reply{Ready: &ready{data.Hash, engine.PlanMemory(data, a.Settings, device.Name)}}); err != nil {
		return err // the parent has gone
	}
	for line := range lines {
		var j job
		if err := json.Unmarshal(line, &j); err != nil {
			return fault.New(fault.Request, "fsnet fit --replicas starts workers", "%.40q is not a job for a worker", line)
		}
		settings := a.Settings
		settings.Seed = j.Seed
		var result *Result
		t, err := train.OpenPlanned(ctx, device, data, settings) // the parent sees to the memory, for all workers
		if err == nil {
			err = unchanged(t, settings, a.Directory, a.Files)
		}
		if err == nil {
			result, err = advance(ctx, t, data.Source, j.Save, stepReporter(out))
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // nobody waits for this replica any more
		}
		r := reply{}
		if err != nil {
			r.Fault = fault.Of(err)
		} else {
			r.Result = &answer{*result, result.Notes}
		}
		if err := out.send(r); err != nil {
			return err
		}
	}
	return nil
}

// unchanged refuses, and closes, a training that has read files which do not say what they are expected to say.
func unchanged(t *train.Training, settings config.Settings, directory string, files dataset.ConstraintFiles) error {
	if files == nil {
		return nil
	}
	err := sameFiles(settings, directory, files, "bring it back as it was, and leave it alone while replicas are trained")
	if err != nil {
		t.Close()
	}
	return err
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

// stepReporter answers how far a training is, a few times a second.
func stepReporter(out *answers) func(session.Status) {
	var last time.Time
	return func(s session.Status) {
		if now := time.Now(); now.Sub(last) >= replyInterval {
			last = now
			_ = out.send(reply{Steps: &steps{s.Step, s.Steps}}) // where the parent has gone, the input says so too
		}
	}
}
