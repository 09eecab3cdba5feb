package train

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// goDevice is Go's backend, which needs no compiler.
func goDevice(t testing.TB) *device.Device {
	t.Helper()
	d := must(device.Open(t.Context(), "go"))
	t.Cleanup(d.Close)
	return d
}

// beforehand is four features of planted data with noise that must be chosen
// and a signal that never may.
func beforehand() config.Config {
	return config.Config{K: 4, Seed: 1, Epochs: 3, Batch: new(30), Screen: new(20), Must: []string{"noise0003", "signal57"},
		Never: []string{"signal7"}, Backend: "go"}
}

// A feature that must be chosen passes the screening, has probability 1 from
// the first step to the last, and is marked. One that never may be has
// probability 0 in every column.
func TestTraining_MustAndNever(t *testing.T) {
	d := goDevice(t)
	data := planted(60, 120)
	training := open(t, d, data, beforehand())
	for range 2 {
		list := must(training.Selection())
		chosen := map[string]session.Selected{}
		for _, s := range list {
			chosen[s.Name] = s
		}
		for selector, name := range beforehand().Must {
			if s := chosen[name]; !s.Must || s.Probability != 1 || s.Selector != selector || s.Margin != 1 {
				t.Errorf("step %d: %s is %+v", training.step, name, s)
			}
		}
		if _, there := chosen["signal7"]; there || len(chosen) != 4 {
			t.Errorf("step %d: %v", training.step, chosen)
		}
		m := must(training.Matrix(session.MatrixRequest{Top: 300}))
		for c, name := range m.Names {
			for r := range m.Values {
				if name == "signal7" && m.Values[r][c] != 0 {
					t.Errorf("row %d gives %s %v", r, name, m.Values[r][c])
				}
			}
		}
		run(t, training)
	}
	if text := training.events[0].Text; !strings.Contains(text, "2 must be chosen, 1 never") {
		t.Error(text)
	}
	// Without screening the feature is still there, and its probability is 0 to
	// the last bit.
	c := beforehand()
	c.Screen = new(0)
	whole := open(t, d, data, c)
	run(t, whole)
	f, err := whole.Feature("signal7")
	if err != nil || !f.Kept || slices.Max(f.Probability) != 0 {
		t.Errorf("%+v: %v", f.Probability, err)
	}
}

// If two settled selectors share a leader, all that the second one has left has
// probability 0. It still gets no feature that must never be chosen, and none
// of a full group.
func TestTraining_NeverIsLast(t *testing.T) {
	c := beforehand()
	c.K, c.Screen, c.Must, c.Never = 3, new(0), []string{"signal57"}, []string{"noise0000", "noise0001"}
	for _, groups := range []string{"", "noise0002:a,noise0005:a"} {
		c.FeatureGroups = groups
		training := open(t, goDevice(t), planted(60, 120), c)
		d := training.engine.Layout.D
		p := make([]float32, c.K*d)
		must := training.uniqueArgmax(p)[0]
		p[must], p[d+5], p[2*d+5] = 1, 1, 1
		var names []string
		for _, j := range training.uniqueArgmax(p) {
			_, name := training.feature(j)
			names = append(names, name)
		}
		want := []string{"signal57", "noise0005", "noise0002"}
		if groups != "" {
			want[2] = "noise0003"
		}
		if !slices.Equal(names, want) {
			t.Errorf("groups %q: %v are chosen, not %v", groups, names, want)
		}
	}
}

// A costly feature is chosen less often, and of a group as many as its limit,
// whatever P says.
func TestTraining_CostAndGroups(t *testing.T) {
	d := goDevice(t)
	data := planted(60, 120)
	path := filepath.Join(t.TempDir(), "groups.tsv")
	text := "feature\tgroup\n"
	for _, name := range data.Features {
		if strings.HasPrefix(name, "signal") {
			text += name + "\tsignals\n"
		}
	}
	check(t, os.WriteFile(path, []byte(text), 0o600))
	plain := open(t, d, data, config.Config{K: 3, Seed: 1, Epochs: 40, Batch: new(30), Backend: "go"})
	run(t, plain)
	if got := signals(names(t, plain)); got < 2 {
		t.Fatalf("%d of three signals are chosen without a word", got)
	}
	for limit := 1; limit <= 2; limit++ {
		training := open(t, d, data,
			config.Config{K: 3, Seed: 1, Epochs: 40, Batch: new(30), Backend: "go", FeatureGroups: path, GroupLimit: limit})
		run(t, training)
		if got := signals(names(t, training)); got != limit {
			t.Errorf("limit %d: %d signals are chosen: %v", limit, got, names(t, training))
		}
		leaders := map[string]bool{}
		list := must(training.Selection())
		for _, s := range list {
			leaders[s.Leader.Name] = true
		}
		in := 0
		for name := range leaders {
			in += signals([]string{name})
		}
		if in > limit {
			t.Errorf("limit %d: %d signals lead", limit, in)
		}
	}
	c := config.Config{K: 3, Seed: 1, Backend: "go"}
	free := open(t, d, data, c)
	c.Cost = "signal7:50"
	dear := open(t, d, data, c)
	before := must(free.Feature("signal7"))
	after := must(dear.Feature("signal7"))
	for k, p := range before.Probability { // its odds are divided by its cost while the sharpness is 1
		if got, want := after.Probability[k]/(1-after.Probability[k]), p/(1-p)/50; math.Abs(got-want) > 1e-4*want {
			t.Errorf("selector %d: odds of %g, not %g", k, got, want)
		}
	}
}

func signals(names []string) (count int) {
	for _, name := range names {
		if strings.HasPrefix(name, "signal") {
			count++
		}
	}
	return count
}

// A training with prior knowledge goes back and is resumed to the bit, but not
// if a file has changed.
func TestTraining_KnownFeaturesPastAndResume(t *testing.T) {
	d := goDevice(t)
	data := planted(60, 120)
	costs := filepath.Join(t.TempDir(), "costs.csv")
	write := func(text string) {
		check(t, os.WriteFile(costs, []byte(text), 0o600))
	}
	write("noise0001,2\nsignal7,3\n")
	c := beforehand()
	c.Never, c.Cost, c.Epochs = nil, costs, 9
	training := open(t, d, data, c)
	advance(t, training, 2)
	path := filepath.Join(t.TempDir(), "c.safetensors")
	save, err := training.Checkpoint()
	if err != nil || save(path) != nil {
		t.Fatal(err)
	}
	advance(t, training, 4)
	want, _, err := training.engine.Parameters()
	check(t, err)
	fork := must(training.Fork(t.Context(), 1))
	defer fork.Close()
	advance(t, fork, 4)
	loaded := must(LoadCheckpoint(path))
	again := must(Resume(t.Context(), d, data, loaded))
	defer again.Close()
	advance(t, again, 4)
	for what, tr := range map[string]*Training{"the fork": fork, "what was taken up": again} {
		if got, _, err := tr.engine.Parameters(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s has other bits, or %v", what, err)
		}
		chosen := must(training.Selection())
		if got, err := tr.Selection(); err != nil || !reflect.DeepEqual(got, chosen) || !slices.ContainsFunc(got, func(s session.Selected) bool { return s.Must }) {
			t.Errorf("%s chooses %+v, want %+v, or %v", what, got, chosen, err)
		}
	}
	write("noise0001,2\nsignal7,4\n")
	if _, err := Resume(t.Context(), d, data, loaded); !errs.Is(err, errs.Request) ||
		!strings.Contains(err.Error(), "other must, never, cost or feature_groups") {
		t.Error(err)
	}
}

// Prior knowledge that contradicts itself or the data is rejected in one line.
func TestTraining_RejectsKnown(t *testing.T) {
	d := goDevice(t)
	data := planted(60, 120)
	still := planted(60, 120)
	for i := range still.N {
		still.X[i*still.D] = 1
	}
	for want, c := range map[string]struct {
		data   *dataset.Dataset
		change func(*config.Config)
	}{
		`must: planted has no feature "Signal7" - did you mean signal7?`: {data, func(c *config.Config) { c.Must = []string{"Signal7"} }},
		"must: noise0000 does not vary over":                             {still, func(c *config.Config) { c.Must = []string{"noise0000"} }},
		"can be chosen, but k = 4": {data, func(c *config.Config) {
			c.Must, c.Screen = nil, new(4)
			var groups []string
			for _, name := range data.Features[:115] {
				groups = append(groups, name+":a")
			}
			c.FeatureGroups = strings.Join(groups, ",")
		}},
	} {
		given := beforehand()
		c.change(&given)
		s := must(given.Resolve())
		training, err := Open(t.Context(), d, c.data, s)
		if err == nil {
			training.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
