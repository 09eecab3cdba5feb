package replica_test

import (
	"context"
	"fmt"
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
)

// stop stops worker n, from 0, if it is the last that was made: it hangs from then on. It returns its process id.
func (f *fleet) stop(t *testing.T, n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.made) != n+1 {
		return 0
	}
	pid := f.made[n].Process.Pid
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Error(err)
	}
	return pid
}

// finish waits for a run, and no longer than anything can take that does not hang.
func finish(t *testing.T, run func() ([]replica.Replica, error)) ([]replica.Replica, error) {
	t.Helper()
	type outcome struct {
		replicas []replica.Replica
		err      error
	}
	done := make(chan outcome, 1)
	go func() {
		replicas, err := run()
		done <- outcome{replicas, err}
	}()
	select {
	case o := <-done:
		return o.replicas, o.err
	case <-time.After(3 * time.Minute):
		t.Fatal("the run hangs")
	}
	return nil, nil
}

// A worker that hangs is named, killed and replaced, and the replica is what it would have been.
func TestHungWorkerIsReplaced(t *testing.T) {
	t.Parallel()
	plan := replica.Plan{Settings: quick(t), Replicas: 3}
	undisturbed, err := (&replica.Workers{Count: 1, Command: (&fleet{}).command}).Run(t.Context(), plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{}
	stopped, news := 0, ""
	replicas, err := finish(t, func() ([]replica.Replica, error) {
		return (&replica.Workers{Count: 1, Command: f.command}).Patient(8).Run(t.Context(), plan, func(p replica.Progress) {
			if p.Running == 1 && p.Done == 1 && stopped == 0 {
				stopped = f.stop(t, 0)
			}
			news += p.News
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range replicas {
		if got.Err != nil || !reflect.DeepEqual(timeless(got.Result), timeless(undisturbed[i].Result)) {
			t.Errorf("replica %d is %+v (%v), undisturbed %+v", i, got.Result, got.Err, undisturbed[i].Result)
		}
	}
	if !strings.Contains(news, fmt.Sprintf("seed 8: worker process %d hung and was killed: it said nothing for 8s; it is begun again",
		stopped)) {
		t.Errorf("what a person is told: %q; worker %d was stopped", news, stopped)
	}
	if err := syscall.Kill(stopped, 0); err == nil {
		t.Errorf("the worker that hung, %d, is still there", stopped)
	}
}

// A replica whose worker hangs twice has failed, with what is known; the others go on.
func TestReplicaFailsWhereItsWorkersHang(t *testing.T) {
	t.Parallel()
	f := &fleet{}
	stops := 0
	replicas, err := finish(t, func() ([]replica.Replica, error) {
		return (&replica.Workers{Count: 1, Command: f.command}).Patient(8).Run(t.Context(), replica.Plan{Settings: quick(t), Replicas: 2},
			func(p replica.Progress) {
				if p.Running == 1 && p.Done == 0 && p.Failed == 0 && stops < 2 && f.stop(t, stops) > 0 {
					stops++
				}
			})
	})
	if err != nil {
		t.Fatal(err)
	}
	if e := replicas[0].Err; !fault.Is(e, fault.Failed) || !strings.Contains(e.Error(), "hung and was killed") ||
		!strings.Contains(e.Error(), "seed 7") {
		t.Errorf("the first replica has the error %v", e)
	}
	if replicas[1].Result == nil {
		t.Errorf("the other did not go on: %+v", replicas)
	}
}

// An interrupt ends a run whose worker hangs, long before the watchdog would.
func TestInterruptEndsARunWithAHungWorker(t *testing.T) {
	t.Parallel()
	f := &fleet{}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := 0
	_, err := finish(t, func() ([]replica.Replica, error) {
		return (&replica.Workers{Count: 1, Command: f.command}).Patient(100_000).Run(ctx, replica.Plan{Settings: quick(t), Replicas: 3},
			func(p replica.Progress) {
				if p.Running == 1 && stopped == 0 {
					stopped = f.stop(t, 0)
					cancel()
				}
			})
	})
	if !fault.Is(err, fault.Interrupted) {
		t.Errorf("%v", err)
	}
	if err := syscall.Kill(stopped, 0); err == nil {
		t.Errorf("the worker that hung, %d, is still there", stopped)
	}
}

// A worker that hangs before it is ready is replaced once, then the run ends and says so.
func TestWorkersThatHangBeforeTheyAreReadyEndTheRun(t *testing.T) {
	t.Parallel()
	_, err := finish(t, func() ([]replica.Replica, error) {
		w := &replica.Workers{Count: 2, Command: func() *exec.Cmd { return exec.Command("sleep", "1000") }}
		return w.Patient(2).Run(t.Context(), replica.Plan{Settings: quick(t), Replicas: 2}, nil)
	})
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "hung and was killed") {
		t.Errorf("%v", err)
	}
}
