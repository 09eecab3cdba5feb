package host

import (
	"context"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// goal is the end of a step or run, and how to get there.
type goal struct {
	verb string
	// target is called before each chunk, because live keys can move it.
	target func(now session.Status) (step int, reached bool)
	watch  bool // go slowly enough for people to watch
	singly bool // each step gets a point in the curves
	// stops says that the key stop may end it. That is the case for runs
	// without a target.
	stops bool
}

// step makes N steps, or the remaining ones if there are fewer.
func (s *live) step(ctx context.Context, request session.StepRequest) (session.Status, error) {
	n := request.N
	if n < 1 {
		return session.Status{}, errs.New(errs.Request, "use 1 or more", "step %d is not ahead of the present step", n)
	}
	from := -1
	return s.advance(ctx, goal{verb: "step", singly: n <= session.MostSingly, target: func(now session.Status) (int, bool) {
		if from < 0 {
			from = now.Step
		}
		return from + min(n, now.Steps-from), false
	}})
}

// runTo runs to the end that the request names and returns the status there.
// If the request does not wait, it starts the run and returns.
func (s *live) runTo(ctx context.Context, request session.RunRequest) (session.Status, error) {
	until := request.Until
	if until.Epoch < 0 || until.Step < 0 {
		return session.Status{}, errs.New(errs.Request, "give an epoch or step from 1 on, or leave it out",
			"a run cannot end at epoch %d, step %d", until.Epoch, until.Step)
	}
	if until.Pace != "" && until.Pace != session.PaceWatch {
		return session.Status{}, errs.New(errs.Request, "use watch, or leave it out", "there is no pace %q", until.Pace)
	}
	c := goal{verb: "run", watch: until.Pace == session.PaceWatch, target: func(now session.Status) (int, bool) {
		target := now.Steps
		if until.Step > 0 {
			target = min(target, until.Step)
		}
		if until.Epoch > 0 && until.Epoch <= now.Steps/max(now.StepsPerEpoch, 1) {
			target = min(target, until.Epoch*now.StepsPerEpoch)
		}
		return target, until.Settled && now.State == session.Settled
	}, stops: until.Epoch == 0 && until.Step == 0 && !until.Settled}
	if until.Waits() {
		return s.advance(ctx, c)
	}
	return s.background(ctx, c)
}

// advance makes steps until the goal, a pause or the end of ctx, and returns
// the status there. The error is of kind Busy while another step, run or
// rewind is in progress.
func (s *live) advance(ctx context.Context, c goal) (session.Status, error) {
	ctx, done, err := s.beginRun(ctx, c.verb)
	if err != nil {
		return session.Status{}, err
	}
	defer done()
	return s.finish(ctx, s.follow(ctx, c))
}

// background starts a run and returns. The run continues until its goal, a
// pause, a close or the end of the host. If there is nothing to do, or the
// session cannot continue, it returns the status or error at once.
func (s *live) background(ctx context.Context, c goal) (session.Status, error) {
	if ctx.Err() != nil { // As for a run that waits, nothing begins, and the status says so.
		return s.currentStatus(context.WithoutCancel(ctx))
	}

	running, done, err := s.beginRun(context.WithoutCancel(ctx), c.verb)
	if err != nil {
		return session.Status{}, err
	}

	var begun session.Status
	var left int
	err = s.withTurn(ctx, func(t session.Training) error {
		var err error
		left, err = s.stepsLeft(t, c)
		begun = s.visibleStatus()
		return err
	})
	if err != nil || left == 0 {
		defer done()
		return s.finish(ctx, err)
	}

	go func() {
		defer done()
		failure := s.follow(running, c)
		if failure != nil && running.Err() == nil {
			s.mu.Lock()
			s.failure = failure.Error()
			s.mu.Unlock()
		}
		s.finish(running, failure) //nolint:errcheck // the status and the watchers have it
	}()
	return begun, nil
}

const (
	watchTime     = 15 * time.Second // duration of a whole annealing that is watched
	watchInterval = 100 * time.Millisecond
)

// follow makes chunks of steps until the goal is reached or ctx ends. If ctx
// ends, it returns nil, or an error of kind Interrupted if it was waiting for
// the turn. It releases the turn after each chunk.
func (s *live) follow(ctx context.Context, c goal) error {
	for ctx.Err() == nil {
		var more bool
		began := time.Now()
		err := s.withTurn(ctx, func(t session.Training) error {
			n, err := s.stepsLeft(t, c)
			if err != nil || n == 0 {
				return err
			}
			if c.watch {
				n = min(n, 1+s.last.Steps*int(watchInterval)/int(watchTime))
			}
			var made int
			advance := t.Advance
			if c.singly {
				advance = t.Step
			}
			s.snapshot.during(func() { made, err = advance(ctx, n) })
			s.known = false
			s.stepped.Store(true)
			s.status(t)
			end, reached := c.target(s.last)
			s.notify()
			more = made > 0 && !reached && s.last.Step < end && (!c.stops || t.Stopped() == "")
			return err
		})
		if err != nil || !more {
			return err
		}
		if c.watch {
			select {
			case <-time.After(watchInterval - time.Since(began)):
			case <-ctx.Done():
			}
		}
	}
	return nil
}

// stepsLeft returns the number of steps that remain to the goal, and sets
// the target that the status shows. It returns an error if the session has
// failed. The caller must have the turn.
func (s *live) stepsLeft(t session.Training, c goal) (int, error) {
	s.status(t)
	if s.last.State == session.Broken {
		return 0, errs.New(errs.Failed, "rewind it, or open it again with replace=true, perhaps with a smaller learning_rate",
			"session %q failed: %s", s.name, s.last.Reason)
	}
	end, reached := c.target(s.last)
	if reached {
		return 0, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		s.run.target = end
	}
	return max(0, end-s.last.Step), nil
}

// beginRun registers a step, run or rewind, and returns a context for it. The
// context also ends if the session is closed or paused. The error names the
// verb in progress, or says that the session is read-only. The caller must call
// finish.
func (s *live) beginRun(ctx context.Context, verb string) (context.Context, context.CancelFunc, error) {
	if s.readOnly {
		return nil, nil, s.readOnlyError(verb)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		return nil, nil, s.busyError(s.run)
	}
	ctx, cancel := ending(ctx, s.life)
	s.run = &run{verb: verb, since: time.Now(), stop: cancel, ended: make(chan struct{}), target: unknownTarget}
	s.moves++
	s.failure, s.notice = "", ""
	s.notify()
	return ctx, cancel, nil
}

// readOnlyError returns the error for a verb that would change a read-only
// session.
func (s *live) readOnlyError(verb string) error {
	return errs.New(errs.Request, "fork it under another name to continue from here",
		"session %q is open read-only: %s would change what another process has open", s.name, verb)
}

// finish marks a step, run or rewind as ended, notifies the watchers and
// returns the status of the session. If the session was closed, the status says
// so. finish returns failure, unless it is an interruption that a pause or the
// caller's ctx has caused.
func (s *live) finish(ctx context.Context, failure error) (session.Status, error) {
	status, err := s.endRun()
	if errs.Is(err, errs.NotFound) {
		status = session.Status{Session: s.name, State: session.Closed}
	}
	s.notify()
	if failure != nil && (ctx.Err() == nil || !errs.Is(failure, errs.Interrupted)) {
		return status, failure
	}
	return status, err
}

// endRun clears the run in progress and returns the final status, or an error
// of kind NotFound if the session was closed. It holds the turn, so that no
// other run can begin before.
func (s *live) endRun() (session.Status, error) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.mu.Lock()
	r := s.run
	s.run = nil
	s.mu.Unlock()
	defer close(r.ended)

	if s.life.Err() != nil {
		r.err = s.closedError()
		return r.final, r.err
	}
	s.guard(func(t session.Training) error { s.status(t); return nil }) //nolint:errcheck // a crash is in the status
	r.final = s.visibleStatus()
	return r.final, r.err
}

// pause ends a step, run or rewind in progress, waits for it and returns the
// status after it. Otherwise it returns the current status.
func (s *live) pause(ctx context.Context, _ session.NameRequest) (session.Status, error) {
	if r := s.running(); r != nil {
		r.stop()
		select {
		case <-r.ended:
			return r.final, r.err
		case <-ctx.Done():
			return session.Status{}, interruptedError(ctx, s.name)
		}
	}
	return s.currentStatus(ctx)
}
