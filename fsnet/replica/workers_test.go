package replica_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
)

func TestWorkers(t *testing.T) {
	for _, backend := range []string{"go", "auto"} {
		t.Run(backend, func(t *testing.T) { conform(t, backend) })
	}
}

// fleet makes workers and remembers them.
type fleet struct {
	mu   sync.Mutex
	made []*exec.Cmd
	role func(n int) string // of worker n, from 0; nil is a worker
}

func (f *fleet) command() *exec.Cmd {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := "worker"
	if f.role != nil {
		name = f.role(len(f.made))
	}
	f.made = append(f.made, as(name))
	return f.made[len(f.made)-1]
}

// kill kills worker n, from 0, if it is the last that was made.
func (f *fleet) kill(t *testing.T, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.made) != n+1 {
		return
	}
	if err := f.made[n].Process.Kill(); err != nil {
		t.Error(err)
	}
}

func resolved(t *testing.T, c config.Config) config.Settings {
	t.Helper()
	s, err := c.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// quick are the settings of a training that compiles nothing.
func quick(t *testing.T) config.Settings {
	t.Helper()
	c := planted(t)
	c.Backend = "go"
	return resolved(t, c)
}

func timeless(r *replica.Result) replica.Result {
	if r == nil {
		return replica.Result{}
	}
	c := *r
	c.Seconds, c.StepsPerSecond = 0, 0
	return c
}

// A worker that is killed in the middle of a replica is replaced, and the replica is what it would have been.
func TestKilledWorkerIsReplaced(t *testing.T) {
	plan := replica.Plan{Settings: quick(t), Replicas: 3}
	undisturbed, err := (&replica.Workers{Count: 1, Command: (&fleet{}).command}).Run(t.Context(), plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{}
	killed := false
	replicas, err := (&replica.Workers{Count: 1, Command: f.command}).Run(t.Context(), plan, func(p replica.Progress) {
		if p.Running == 1 && p.Done == 1 && !killed {
			killed = true
			f.kill(t, 0)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.made) != 2 {
		t.Fatalf("%d workers were made, not 2", len(f.made))
	}
	for i, got := range replicas {
		if got.Err != nil || !reflect.DeepEqual(timeless(got.Result), timeless(undisturbed[i].Result)) {
			t.Errorf("replica %d is %+v (%v), without the kill %+v", i, got.Result, got.Err, undisturbed[i].Result)
		}
	}
}

// A replica whose worker is killed twice has failed, with what to do; the others go on.
func TestReplicaFailsWhereItsWorkerIsKilledTwice(t *testing.T) {
	plan := replica.Plan{Settings: quick(t), Replicas: 3}
	f := &fleet{}
	kills := 0
	replicas, err := (&replica.Workers{Count: 1, Command: f.command}).Run(t.Context(), plan, func(p replica.Progress) {
		if p.Running == 1 && p.Done == 0 && p.Failed == 0 && kills < 2 {
			f.kill(t, kills)
			kills++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if e := replicas[0].Err; !fault.Is(e, fault.Failed) || !strings.Contains(e.Error(), "signal: killed") ||
		!strings.Contains(e.Error(), "seed 7") || fault.Of(e).Remedy == "" {
		t.Errorf("the first replica has the error %v", e)
	}
	if replicas[1].Result == nil || replicas[2].Result == nil || len(f.made) != 3 {
		t.Errorf("the others did not go on: %+v, %d workers", replicas, len(f.made))
	}
}

// Workers that cannot work end the run with one error, and what is done is kept.
func TestUselessWorkersEndTheRun(t *testing.T) {
	settings := quick(t)
	for name, c := range map[string]struct {
		command func() *exec.Cmd
		words   string
	}{
		"ends at once":          {func() *exec.Cmd { return as("broken") }, "exit status 3"},
		"talks nonsense":        {func() *exec.Cmd { return as("nonsense") }, "before it was ready"},
		"is no program":         {func() *exec.Cmd { return exec.Command("/nonexistent/fsnet") }, "/nonexistent/fsnet"},
		"does not know its job": {func() *exec.Cmd { return exec.Command("true") }, "before it was ready"},
	} {
		t.Run(name, func(t *testing.T) {
			replicas, err := (&replica.Workers{Count: 2, Command: c.command}).Run(t.Context(), replica.Plan{Settings: settings, Replicas: 3}, nil)
			if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), c.words) || fault.Of(err).Remedy == "" || len(replicas) != 3 {
				t.Errorf("%d replicas: %v", len(replicas), err)
			}
		})
	}
}

// Replicas of different data are never put together: where the file changes, and another worker reads it, the run ends.
func TestDataThatChangeEndTheRun(t *testing.T) {
	settings := quick(t)
	f := &fleet{}
	f.role = func(n int) string {
		if n == 1 {
			text, err := os.ReadFile(settings.Data)
			if err != nil {
				t.Error(err)
			}
			if err := os.WriteFile(settings.Data, []byte(strings.Replace(string(text), "\n-", "\n", 1)), 0o600); err != nil {
				t.Error(err)
			}
		}
		return "worker"
	}
	killed := false
	replicas, err := (&replica.Workers{Count: 1, Command: f.command}).Run(t.Context(), replica.Plan{Settings: settings, Replicas: 3},
		func(p replica.Progress) {
			if p.Done == 1 && p.Running == 1 && !killed {
				killed = true
				f.kill(t, 0)
			}
		})
	if !fault.Is(err, fault.Failed) || !strings.Contains(err.Error(), "was changed") || replicas[0].Result == nil || replicas[1].Err == nil {
		t.Errorf("%+v: %v", replicas, err)
	}
}

// Workers end with their parent, even where it is killed.
func TestWorkersEndWithTheirParent(t *testing.T) {
	c := as("parent")
	c.Env = append(c.Env, "FSNET_TEST_DATA="+planted(t).Data)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); err != nil || line != "training\n" {
		t.Fatalf("%q: %v", line, err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	if _, err := io.Copy(io.Discard, lines); err != nil { // ends when nobody has the pipe any more
		t.Fatal(err)
	}
	if took := time.Since(killed); took > time.Minute { // of the hours that they would train
		t.Errorf("the workers lived on for %s", took)
	}
	_ = c.Wait()
}
