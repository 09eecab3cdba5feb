package study_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/num"
)

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

// signal sends worker n, from 0, a signal if it is the last that was made, and returns its process id.
func (f *fleet) signal(t *testing.T, n int, s syscall.Signal) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.made) != n+1 {
		return 0
	}
	pid := f.made[n].Process.Pid
	if err := syscall.Kill(pid, s); err != nil {
		t.Error(err)
	}
	return pid
}

func (f *fleet) workers(count int) *study.Workers {
	return &study.Workers{Count: count, Command: f.command}
}

// trained makes n replicas, and waits no longer than anything can take that does not hang. see may be nil.
func trained(ctx context.Context, t *testing.T, w *study.Workers, c config.Config, n int, see func(study.Progress)) ([]study.Row, error) {
	t.Helper()
	plan, err := study.Replicas(nil, c, n)
	if err != nil {
		t.Fatal(err)
	}
	type outcome struct {
		rows []study.Row
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		rows, err := w.Run(ctx, plan, nil, func(p study.Progress) error {
			if see != nil {
				see(p)
			}
			return nil
		})
		done <- outcome{rows, err}
	}()
	select {
	case o := <-done:
		return o.rows, o.err
	case <-time.After(3 * time.Minute):
		t.Fatal("the run hangs")
	}
	return nil, nil
}

// quick is the configuration of a training that compiles nothing.
func quick(t *testing.T) config.Config {
	t.Helper()
	c := planted(t)
	c.Backend = "go"
	return c
}

// single is the fit of one seed, whose model it saves.
func single(t *testing.T, c config.Config, seed int64, save string) fsnet.Result {
	t.Helper()
	c.Seed = seed
	var result fsnet.Result
	model, err := fsnet.FitFile(t.Context(), c, fsnet.WithResult(&result))
	if err == nil && save != "" {
		err = model.Save(save)
	}
	if err != nil {
		t.Fatal(err)
	}
	result.Strips = nil // which are for people alone
	return result.Timeless()
}

// Replicas are single fits, to the last bit of their results and models; what is told of them on the way holds.
func TestReplicasAreSingleFits(t *testing.T) {
	for name, c := range map[string]config.Config{"go": quick(t), "auto": planted(t), "weights": weighted(t)} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := func(seed int64) string { return filepath.Join(dir, fmt.Sprintf("%d.safetensors", seed)) }
			w := (&fleet{}).workers(2)
			w.Save = file
			var last study.Progress
			rows, err := trained(t.Context(), t, w, c, 3, func(p study.Progress) {
				if p.Total != 3 || p.Done < last.Done || p.Share < last.Share || p.Share > 1+1e-9 || p.Done+p.Running > 3 || p.Left < 0 {
					t.Errorf("after %+v comes %+v", last, p)
				}
				last = p
			})
			if err != nil || len(rows) != 3 || last.Done != 3 || last.Failed != 0 || last.Running != 0 || last.Share != 1 {
				t.Fatalf("%d replicas, %v; the last progress is %+v", len(rows), err, last)
			}
			alone := filepath.Join(dir, "single.safetensors")
			for i, row := range rows {
				if row.Seed != c.Seed+int64(i) || row.Err() != nil || row.Device != row.Fit.Backend {
					t.Fatalf("replica %d is %+v", i, row)
				}
				if want := single(t, c, row.Seed, alone); !reflect.DeepEqual(row.Fit.Timeless(), want) {
					t.Errorf("the replica of seed %d is not the single fit:\n%+v\n%+v", row.Seed, row.Fit, want)
				}
				a, err := os.ReadFile(file(row.Seed))
				b, other := os.ReadFile(alone)
				if errors.Join(err, other) != nil || !bytes.Equal(a, b) {
					t.Errorf("seed %d: the model's file has other bytes than that of a single fit, %v", row.Seed, errors.Join(err, other))
				}
			}
			if reflect.DeepEqual(rows[0].Fit.Selected, rows[1].Fit.Selected) {
				t.Errorf("two seeds selected the same with the same probabilities: %v", rows[0].Fit.Selected)
			}
		})
	}
}

// A replica that cannot be disturbs no other.
func TestAReplicaThatFailsDisturbsNoOther(t *testing.T) {
	c := rare(t)
	c.Backend = "go"
	settings, err := c.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	data, err := dataset.Open(t.Context(), settings, "")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := trained(t.Context(), t, (&fleet{}).workers(2), c, 6, nil)
	if err != nil || len(rows) != 6 {
		t.Fatal(len(rows), err)
	}
	good := 0
	for _, row := range rows {
		settings.Seed = row.Seed
		_, err := dataset.Prepare(data, settings)
		if (err == nil) != (row.Fit != nil) || (err == nil) == errs.Is(row.Err(), errs.Request) {
			t.Errorf("possible: %v, and its row is %+v", err, row)
		}
		if err == nil {
			good++
		}
	}
	if good == 0 || good == len(rows) {
		t.Fatalf("%d of the seeds can be trained: the test is about some of them", good)
	}
}

// An interrupt keeps what is done, also where a worker hangs, long before anybody would notice that.
func TestInterruptedReplicas(t *testing.T) {
	for name, hang := range map[string]bool{"busy": false, "hung": true} {
		t.Run(name, func(t *testing.T) {
			f, c := &fleet{}, quick(t)
			ctx, cancel := context.WithCancel(t.Context())
			stopped := 0
			rows, err := trained(ctx, t, f.workers(1).Patient(100_000), c, 50, func(p study.Progress) {
				if p.Done < 1 || p.Running < 1 {
					return
				}
				if hang && stopped == 0 {
					stopped = f.signal(t, 0, syscall.SIGSTOP)
				}
				cancel()
			})
			if !errs.Is(err, errs.Interrupted) || len(rows) == 0 || len(rows) == 50 ||
				!reflect.DeepEqual(rows[0].Fit.Timeless(), single(t, c, rows[0].Seed, "")) {
				t.Errorf("%d rows: %v", len(rows), err)
			}
			if hang && syscall.Kill(stopped, 0) == nil {
				t.Errorf("the worker that hung, %d, is still there", stopped)
			}
		})
	}
}

// A worker that is killed, or hangs and is killed then, is replaced, and the replica is what it would have been; the second time it fails,
// with what to do, and the others go on.
func TestLostWorkersAreReplaced(t *testing.T) {
	for name, c := range map[string]struct {
		signal syscall.Signal
		said   string
	}{"killed": {syscall.SIGKILL, "signal: killed"}, "hung": {syscall.SIGSTOP, "hung and was killed: it said nothing for 8s"}} {
		for times := 1; times <= 2; times++ {
			t.Run(fmt.Sprintf("%s %d times", name, times), func(t *testing.T) {
				t.Parallel()
				f, quick := &fleet{}, quick(t)
				lost, news, first := 0, "", 0
				rows, err := trained(t.Context(), t, f.workers(1).Patient(8), quick, 2, func(p study.Progress) {
					if news += p.News; p.Running == 1 && p.Done == 0 && lost < times {
						if pid := f.signal(t, lost, c.signal); pid > 0 {
							lost++
							first = max(first, pid)
						}
					}
				})
				if err != nil || len(rows) != 2 || len(f.made) != times+1 || !strings.Contains(news, "seed 7: ") || !strings.Contains(news, c.said) {
					t.Fatalf("%d rows of %d workers, %v; a person is told %q", len(rows), len(f.made), err, news)
				}
				if e := rows[0].Err(); times == 2 && (!errs.Is(e, errs.Failed) || !strings.Contains(e.Error(), c.said) || errs.Of(e).Remedy == "") {
					t.Errorf("the first replica has the error %v", e)
				}
				for i, row := range rows {
					if (i > 0 || times == 1) && (row.Fit == nil || !reflect.DeepEqual(row.Fit.Timeless(), single(t, quick, row.Seed, ""))) {
						t.Errorf("replica %d is %+v", i, row)
					}
				}
				if syscall.Kill(first, 0) == nil {
					t.Errorf("worker %d is still there", first)
				}
			})
		}
	}
}

// Workers that cannot work end the run with one error.
func TestUselessWorkersEndTheRun(t *testing.T) {
	nowhere := quick(t)
	nowhere.Data = filepath.Join(t.TempDir(), "nothing-here.csv")
	for name, c := range map[string]struct {
		command func() *exec.Cmd
		config  config.Config
		kind    errs.Kind
		words   string
	}{
		"ends at once":          {func() *exec.Cmd { return as("broken") }, quick(t), errs.Unavailable, "exit status 3"},
		"talks nonsense":        {func() *exec.Cmd { return as("nonsense") }, quick(t), errs.Unavailable, "before it was ready"},
		"is no program":         {func() *exec.Cmd { return exec.Command("/nonexistent/fsnet") }, quick(t), errs.Unavailable, "/nonexistent/fsnet"},
		"does not know its job": {func() *exec.Cmd { return exec.Command("true") }, quick(t), errs.Unavailable, "before it was ready"},
		"hangs":                 {func() *exec.Cmd { return exec.Command("sleep", "1000") }, quick(t), errs.Unavailable, "hung and was killed"},
		"has no data":           {(&fleet{}).command, nowhere, errs.NotFound, "nothing-here.csv"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &study.Workers{Count: 2, Command: c.command}
			rows, err := trained(t.Context(), t, w.Patient(3), c.config, 3, nil)
			if !errs.Is(err, c.kind) || !strings.Contains(err.Error(), c.words) || len(rows) != 0 {
				t.Errorf("%d replicas: %v", len(rows), err)
			}
		})
	}
}

// Replicas of different data, or of different contents of a file that names features, are never put together.
func TestDataAndFilesThatChange(t *testing.T) {
	c, f := quick(t), &fleet{}
	text, err := os.ReadFile(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	put := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	f.role = func(n int) string {
		if n == 1 {
			put(c.Data, strings.Replace(string(text), "\n-", "\n", 1))
		}
		return "worker"
	}
	killed := false
	rows, err := trained(t.Context(), t, f.workers(1), c, 3, func(p study.Progress) {
		if p.Done == 1 && p.Running == 1 && !killed {
			killed = f.signal(t, 0, syscall.SIGKILL) > 0
		}
	})
	if !errs.Is(err, errs.Failed) || !strings.Contains(err.Error(), "was changed") || len(rows) != 1 {
		t.Errorf("%+v: %v", rows, err)
	}

	file := filepath.Join(t.TempDir(), "genes.txt")
	c = quick(t)
	c.Never = []string{file}
	put(file, "g4\n")
	rows, err = trained(t.Context(), t, (&fleet{}).workers(1), c, 3, func(p study.Progress) {
		if p.Finished != nil && p.Done == 1 {
			put(file, "g5\n")
		}
	})
	if err != nil || len(rows) != 3 || rows[0].Error != "" || !strings.Contains(rows[2].Error, file+" (never) has changed") {
		t.Errorf("%v, %+v", err, rows)
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

// Workers have room together or are refused, before a second one begins; where nobody asks for a number there are as many as have room.
func TestWorkersHaveRoomTogether(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("SKIPPED: there is one core")
	}
	for room, want := range map[int]int{1: 1, 2: 2} {
		f := &fleet{}
		var last study.Progress
		told := ""
		rows, err := trained(t.Context(), t, f.workers(0).On(nil, 2).WithRoom(room), quick(t), 4, func(p study.Progress) {
			last = p
			told += p.News
		})
		if err != nil || len(rows) != 4 || len(f.made) != want || last.Workers != want {
			t.Errorf("room for %d: %d workers were made, the last progress is %+v: %v", room, len(f.made), last, err)
		}
		if says := told == "1 worker processes at once and not 2, since each takes a lot"; says != (room == 1) || told != "" && room > 1 {
			t.Errorf("room for %d: a person is told %q", room, told)
		}
		f = &fleet{}
		rows, err = trained(t.Context(), t, f.workers(3).WithRoom(room), quick(t), 4, nil)
		if !errs.Is(err, errs.Request) || len(rows) != 0 || len(f.made) != 1 ||
			!strings.Contains(err.Error(), "3 worker processes do not fit into memory together: each takes a lot - use at most") {
			t.Errorf("%d rows of %d workers: %v", len(rows), len(f.made), err)
		}
	}
}

// Where a quota leaves less than the cores, there are no more workers than it keeps busy, none is bound to a core, and each has one thread.
func TestWorkersUnderAQuota(t *testing.T) {
	all := study.AllowedCores()
	if len(all) == 0 {
		t.Skip("NOT TESTED: workers are pinned on Linux only")
	}
	for _, c := range []struct {
		quota   float64
		workers int
		pinned  bool
	}{
		{0, min(3, runtime.GOMAXPROCS(0)), true},
		{0.5, 1, false},
		{float64(len(all)), min(3, len(all)), true},
	} {
		f := &fleet{}
		bound := 0
		_, err := trained(t.Context(), t, f.workers(0).On(all, c.quota), quick(t), 3, func(p study.Progress) {
			if p.Running > 0 && p.Done == 0 {
				f.mu.Lock()
				defer f.mu.Unlock()
				bound = len(study.CoresOf(f.made[0].Process.Pid))
			}
		})
		if err != nil || len(f.made) != c.workers {
			t.Errorf("quota %v: %d workers, want %d: %v", c.quota, len(f.made), c.workers, err)
		}
		if len(all) > 1 && (bound == 1) != c.pinned {
			t.Errorf("quota %v: the first worker is bound to %d cores", c.quota, bound)
		}
		if one := slices.Contains(f.made[0].Env, device.OneThread); one == c.pinned {
			t.Errorf("quota %v: the first worker is told to use one thread: %v", c.quota, one)
		}
	}
}

// A process that is started on a core stays there, and the process that started it does not.
func TestOnCore(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	all := study.AllowedCores()
	if len(all) == 0 {
		t.Skip("NOT TESTED: workers are pinned on Linux only")
	}
	for _, core := range append([]int{-1}, all...) {
		c := as("cores")
		var out strings.Builder
		c.Stdout = &out
		if err := study.OnCore(core, c.Start); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintln([]int{core})
		if core < 0 {
			want = fmt.Sprintln(all)
		}
		if now := study.AllowedCores(); out.String() != want || !slices.Equal(now, all) {
			t.Errorf("on core %d a process may run on %s, and this thread on %v", core, out.String(), now)
		}
	}
}

// What is no parent is told so, in one line.
func TestServeRefusesStrangers(t *testing.T) {
	var out bytes.Buffer
	for _, in := range []string{"hello\n", "[]\n", `{"settings":7}` + "\n", "\x00\xff\n"} {
		if err := study.Serve(t.Context(), strings.NewReader(in), &out); !errs.Is(err, errs.Request) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", in, err)
		}
	}
	if err := study.Serve(t.Context(), strings.NewReader(""), &out); err != nil || out.Len() > 0 {
		t.Errorf("a parent that has gone: %v, %q", err, out.String())
	}
}

// planted writes a table of 30 rows and 12 features, two of which tell the two classes apart, and returns the configuration of a short
// training on it.
func planted(t testing.TB) config.Config {
	t.Helper()
	r := num.RNG(5, "planted")
	return table(t, 30, 12, func(row, feature int) float64 {
		x := r.NormFloat64()
		if feature == 3 || feature == 8 {
			x = 0.5*x + 2*float64(row%2)
		}
		return x
	})
}

// weighted is the table of planted with a column of weights, some of them 0: so seeds train on different numbers of rows.
func weighted(t testing.TB) config.Config {
	t.Helper()
	c := planted(t)
	content, err := os.ReadFile(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	for i := range lines {
		lines[i] += fmt.Sprintf(",%d", i*i%5)
	}
	lines[0] = strings.TrimSuffix(lines[0], ",0") + ",weight"
	if err := os.WriteFile(c.Data, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.RowWeights = "weight"
	return c
}

// rare is a table of three features of which the last varies in two rows only: where the split takes both of them from the training
// rows, three features cannot be selected.
func rare(t testing.TB) config.Config {
	t.Helper()
	r := num.RNG(6, "rare")
	return table(t, 20, 3, func(row, feature int) float64 {
		if feature < 2 {
			return r.NormFloat64() + float64(row%2)
		}
		return map[int]float64{4: 1, 9: 2}[row]
	})
}

func table(t testing.TB, rows, features int, value func(row, feature int) float64) config.Config {
	t.Helper()
	var text strings.Builder
	for j := range features {
		fmt.Fprintf(&text, "g%d,", j)
	}
	text.WriteString("class\n")
	for i := range rows {
		for j := range features {
			fmt.Fprintf(&text, "%g,", value(i, j))
		}
		fmt.Fprintf(&text, "%s\n", []string{"sick", "well"}[i%2])
	}
	path := filepath.Join(t.TempDir(), "planted.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return config.Config{Data: path, Label: "class", K: 3, Epochs: 10, Seed: 7}
}
