package host_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/tests/kit/devicetest"
	"fsnetlab/tests/kit/sessiontest"
)

// planted writes a table of 40 samples in which features g3 and g7 tell the
// classes apart and 28 do not.
func planted(t *testing.T) string {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("class")
	for j := range 30 {
		fmt.Fprintf(&b, ",g%d", j)
	}
	for i := range 40 {
		class := i % 2
		b.WriteString("\n" + []string{"healthy", "ill"}[class])
		for j := range 30 {
			x := random.NormFloat64()
			if j == 3 || j == 7 {
				x += 4 * float64(class)
			}
			fmt.Fprintf(&b, ",%.4f", x)
		}
	}
	path := filepath.Join(t.TempDir(), "planted.csv")
	if err := os.WriteFile(path, []byte(b.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// middling writes a table of 60 samples in which M has one class in the middle
// and the other at both sides, beside 120 genes of noise. Blends hide it, so
// that selectors settle on noise.
func middling(t *testing.T) string {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString("class,M")
	for j := range 120 {
		fmt.Fprintf(&b, ",g%d", j)
	}
	for i := range 60 {
		class := i % 2
		fmt.Fprintf(&b, "\n%s,%.4f", []string{"healthy", "ill"}[class], 0.2*random.NormFloat64()+2*float64(class*(2*random.IntN(2)-1)))
		for range 120 {
			fmt.Fprintf(&b, ",%.4f", random.NormFloat64())
		}
	}
	path := filepath.Join(t.TempDir(), "middling.csv")
	if err := os.WriteFile(path, []byte(b.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func realSubjects(path, contested, backend string) sessiontest.Subjects {
	never, settled := "never", "settled"
	base := session.Config{Data: path, Label: "class", K: 3, Hidden: []int{4}, Stop: never, Epochs: 20, Backend: backend,
		SelectorLearningRate: new(0.1)}
	long, settling, failing := base, base, base
	long.Epochs = 100_000_000
	settling.Epochs, settling.Stop = 400, settled
	failing.LearningRate, failing.Epochs, failing.Hidden = new(1e12), 100, nil // the deeper the network, the sooner it overflows
	return sessiontest.Subjects{Short: base, Long: long, Settling: settling, Failing: failing, Rounds: 2,
		Contested: session.Config{Data: contested, Label: "class", K: 2, Hidden: []int{4}, Stop: settled, Epochs: 100, Backend: backend, Seed: 1}}
}

// The conformance suite passes with the real engine.
func TestHost_RealTrainingsConform(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes about ten seconds")
	}
	backend := devicetest.Backend(t)
	engine := new(train.Opener)
	sessiontest.ConformOn(t, realSubjects(planted(t), middling(t), backend), func(t *testing.T) session.Caller {
		return dial(t, serve(t, newHost(t, engine.Open)))
	})
}

// contested is a training whose contest exchanges a feature.
func contested(t *testing.T) session.Config {
	return realSubjects(planted(t), middling(t), "go").Contested
}

// outcome is what a session tells of its choice and its end.
type outcome struct {
	Contest    *session.Contest
	Selection  session.Selection
	Events     []session.Event
	Looks      []session.Look
	Evaluation session.Evaluation
}

func outcomeOf(t *testing.T, on session.Caller) outcome {
	t.Helper()
	s := session.On(on, "leukemia")
	o := outcome{Contest: must(s.Status(t.Context()))(t).Contest, Selection: must(s.Selection(t.Context()))(t)}
	history := must(s.History(t.Context(), session.HistoryRequest{Metrics: []string{"loss"}, Selectors: true}))(t)
	o.Looks, o.Evaluation = history.Selectors.Looks, must(s.Evaluate(t.Context(), session.Train))(t)
	for _, e := range history.Events {
		if e.Kind != "resume" {
			o.Events = append(o.Events, e)
		}
	}
	return o
}

// A host that is killed after the contest leaves all that came of it: the held
// selectors, the events with their reasons, the looks and the final networks.
// Steps after it are those of a training that nobody killed, and a rewind
// undoes the contest in both.
func TestHost_KilledKeepsTheContest(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains for some seconds")
	}
	ctx, directory, path := t.Context(), t.TempDir(), socketPath(t)
	begin := func() (*session.Client, func()) {
		command := hostCommand(path, os.Getpid())
		command.Env = append(command.Env, trains+"=1")
		start(t, command)
		return dial(t, path), func() {
			if err := command.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = command.Wait()
		}
	}
	c := contested(t)
	client, kill := begin()
	must(session.VerbOpen.Call(ctx, client, at(directory, c)))(t)
	ended := must(session.On(client, "leukemia").Run(ctx, session.Until{}))(t)
	if ended.Contest == nil || len(ended.Contest.Exchanges) == 0 || ended.Final == nil {
		t.Fatalf("the contest is %+v: this test says nothing", ended.Contest)
	}
	for _, more := range []int{0, 7} {
		if more > 0 {
			must(session.On(client, "leukemia").Step(ctx, more))(t)
		}
		before := outcomeOf(t, client)
		waitFor(t, client, "leukemia", func(s session.Status) bool { return s.SavedStep != nil && *s.SavedStep == ended.Step+more })
		kill()
		client, kill = begin()
		if now := must(session.VerbOpen.Call(ctx, client, at(directory, c)))(t); now.Step != ended.Step+more {
			t.Fatalf("it continues at step %d, not %d", now.Step, ended.Step+more)
		}
		if after := outcomeOf(t, client); !reflect.DeepEqual(after, before) {
			t.Errorf("%d steps after the contest\n%+v became\n%+v", more, before, after)
		}
	}
	opener := new(train.Opener)
	whole := host.New(host.Options{Open: opener.Open})
	t.Cleanup(whole.Shutdown)
	must(session.VerbOpen.Call(ctx, whole, at(t.TempDir(), c)))(t)
	must(session.On(whole, "leukemia").Run(ctx, session.Until{}))(t)
	must(session.On(whole, "leukemia").Step(ctx, 10))(t)
	must(session.On(client, "leukemia").Step(ctx, 3))(t)
	if got, want := outcomeOf(t, client), outcomeOf(t, whole); !reflect.DeepEqual(got, want) {
		t.Errorf("ten steps after the contest\n%+v, of one that was never killed\n%+v", got, want)
	}
	for _, on := range []session.Caller{client, whole} {
		if s := must(session.On(on, "leukemia").Rewind(ctx, ended.Step-1))(t); s.Contest != nil || s.Final != nil {
			t.Errorf("before its contest it has %+v", s.Contest)
		}
	}
}

// A set that ends the annealing at the present step brings the contest there,
// which replaces the look at that step: whoever watches is told of the look
// again, and not only of the event.
func TestSet_ContestReachesWatchers(t *testing.T) {
	h := newHost(t, new(train.Opener).Open)
	c := contested(t)
	c.Stop = "never"
	opened := must(session.VerbOpen.Call(t.Context(), h, at(t.TempDir(), c)))(t)
	s := session.On(h, "leukemia")
	step := opened.StepsPerEpoch * 90
	must(s.Step(t.Context(), step))(t)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	var told session.History
	heard := make(chan struct{}, 1)
	go s.Watch(ctx, session.WatchRequest{History: &session.HistoryRequest{Points: 10_000, Selectors: true}}, func(u session.Update) { //nolint:errcheck // it ends with its context
		mu.Lock()
		defer mu.Unlock()
		if u.History != nil {
			if err := told.Apply(*u.History); err != nil {
				t.Error(err)
			}
		}
		select {
		case heard <- struct{}{}:
		default:
		}
	})
	until := func(kind string) []int {
		for {
			select {
			case <-heard:
			case <-t.Context().Done():
				t.Fatalf("nobody tells of %q", kind)
			}
			mu.Lock()
			known := slices.ContainsFunc(told.Events, func(e session.Event) bool { return e.Kind == kind })
			var leaders []int
			if looks := told.Selectors; looks != nil && len(looks.Looks) > 0 && looks.Looks[len(looks.Looks)-1].Step == step {
				leaders = slices.Clone(looks.Looks[len(looks.Looks)-1].Leaders)
			}
			mu.Unlock()
			if known && leaders != nil {
				return leaders
			}
		}
	}
	before := until("open")
	must(s.Set(t.Context(), session.Config{Epochs: 90}))(t)
	after := until("contest")
	looks := must(s.History(t.Context(), session.HistoryRequest{Metrics: []string{"loss"}, Selectors: true}))(t).Selectors.Looks
	if want := looks[len(looks)-1].Leaders; slices.Equal(before, want) || !slices.Equal(after, want) {
		t.Errorf("the look at step %d was %v, is %v, and who watches has %v", step, before, want, after)
	}
}

// TestOpen_HomeDirectory ensures that "~/" begins the name of every file that
// a session reads or writes: data, must, never, cost and log.
func TestOpen_HomeDirectory(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	table, err := os.ReadFile(planted(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.csv": string(table), "must.txt": "g1\n", "never.txt": "g3\n", "cost.txt": "g7,2\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	engine := new(train.Opener)
	caller := dial(t, serve(t, newHost(t, engine.Open)))
	request := session.OpenRequest{Session: "s", Directory: dir, Config: session.Config{Data: "~/a.csv", K: 3, Hidden: []int{4}, Epochs: 4, Stop: "never", Backend: "go",
		Must: []string{"~/must.txt"}, Never: []string{"~/never.txt"}, Cost: "~/cost.txt", Log: "~/a.jsonl"}}
	must(session.VerbOpen.Call(t.Context(), caller, request))(t)
	must(session.On(caller, "s").Step(t.Context(), 2))(t)
	if lines := logged(t, filepath.Join(home, "a.jsonl")); len(lines) == 0 {
		t.Error("nothing is logged in the home directory")
	}
	for _, s := range must(session.On(caller, "s").Selection(t.Context()))(t) {
		if s.Must != (s.Name == "g1") || s.Name == "g3" {
			t.Errorf("it chooses %+v", s)
		}
	}

	for key, change := range map[string]func(*session.Config){
		"must": func(c *session.Config) { c.Must = []string{"~/none.txt"} }, "never": func(c *session.Config) { c.Never = []string{"~/none.txt"} },
		"cost": func(c *session.Config) { c.Cost = "~/none.txt" },
	} {
		wrong := request
		wrong.Session, wrong.Config.Log = key, ""
		change(&wrong.Config)
		if _, err := session.VerbOpen.Call(t.Context(), caller, wrong); err == nil || !strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "none.txt") {
			t.Errorf("%s: %v", key, err)
		}
	}
}
