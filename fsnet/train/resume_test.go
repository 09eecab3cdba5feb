package train

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/safetensors"
	"fsnetlab/tests/kit/devicetest"
)

// written takes a checkpoint to a file and back.
func written(t testing.TB, training *Training) *Checkpoint {
	t.Helper()
	save := must(training.Checkpoint())
	path := filepath.Join(t.TempDir(), "checkpoint.safetensors")
	check(t, save(path))
	c := must(LoadCheckpoint(path))
	return c
}

// A training that is resumed from a file continues with the same bits as one
// that was never interrupted, and every step of its past can be had again.
func TestResume_IsExact(t *testing.T) {
	for _, d := range devicetest.All(t) {
		t.Run(d.Name, func(t *testing.T) {
			ctx := context.Background()
			data := planted(40, 90)
			c := config.Config{K: 3, Seed: 6, Epochs: 80, ValidationFraction: new(0.2), Stop: "patience:7"}
			whole := open(t, d, data, c)
			story(t, whole, 130)
			places := []int{0, 1, 37, 64, 91, 130}
			if testing.Short() && d.Name == "go" { // the race detector's build takes ten times as long to compute in Go
				places = []int{64}
			}
			for _, at := range places {
				first := open(t, d, data, c)
				story(t, first, min(at, 20))
				earlier := written(t, first)
				if at > 20 {
					first = open(t, d, data, c)
					story(t, first, at)
				}
				must(first.Evaluate("test"))
				resumed := must(Resume(ctx, d, data, written(t, first), earlier))
				defer resumed.Close()
				portraitOf(t, resumed).equal(t, "resumed", portraitOf(t, first))
				first.Close()

				for _, step := range []int{at, at / 2, 0} {
					fork := must(resumed.Fork(ctx, step))
					fresh := open(t, d, data, c)
					story(t, fresh, step)
					fork.looks = 0
					portraitOf(t, fork).equal(t, "fork of the resumed", portraitOf(t, fresh))
					fork.Close()
				}
				for _, step := range []int{37, 38, 90} {
					if step <= at {
						continue
					}
					advance(t, resumed, step)
					must(resumed.Set(changes()[step]))
				}
				advance(t, resumed, 130)
				if resumed.looks != 1 {
					t.Errorf("%d looks at the test rows are remembered, not 1", resumed.looks)
				}
				resumed.looks = 0
				portraitOf(t, resumed).equal(t, "resumed and run on", portraitOf(t, whole))
			}
		})
	}
}

// The training may go on, go back and continue differently before its
// checkpoint is written.
func TestCheckpoint_IsOfItsMoment(t *testing.T) {
	d, data := devicetest.All(t)[0], planted(40, 90)
	training := open(t, d, data, config.Config{K: 3, Epochs: 80, Stop: "never"})
	story(t, training, 60)
	then := portraitOf(t, training)
	save := must(training.Checkpoint())
	advance(t, training, 90)
	check(t, training.Rewind(context.Background(), 10))
	must(training.Set(config.Config{Lambda: new(9.0)}))
	advance(t, training, 70)
	path := filepath.Join(t.TempDir(), "late.safetensors")
	check(t, save(path))
	c := must(LoadCheckpoint(path))
	resumed := must(Resume(context.Background(), d, data, c))
	defer resumed.Close()
	portraitOf(t, resumed).equal(t, "written late", then)
}

// The same is true of a history that was asked for, even while the training is
// busy.
func TestHistory_IsOfItsMoment(t *testing.T) {
	training := open(t, devicetest.All(t)[0], planted(40, 90), config.Config{K: 3, Epochs: 80, Stop: "never"})
	story(t, training, 60)
	then := must(training.History(session.HistoryRequest{}))
	recorded := training.Recorded()
	same := func() {
		t.Helper()
		if later, err := recorded(session.HistoryRequest{}); err != nil || !reflect.DeepEqual(then, later) {
			t.Errorf("%+v, want %+v; %v", later, then, err)
		}
	}
	ended := make(chan error, 1)
	go func() {
		for training.step < 90 {
			if _, err := training.Advance(context.Background(), 90-training.step); err != nil {
				ended <- err
				return
			}
		}
		ended <- training.Rewind(context.Background(), 10)
	}()
	for len(ended) == 0 {
		same()
	}
	check(t, <-ended)
	must(training.Set(config.Config{Lambda: new(9.0)}))
	advance(t, training, 70)
	same()
}

// A checkpoint of another past doesn't help on the way back, and is skipped.
func TestRewind_SkipsOtherPasts(t *testing.T) {
	d, data := devicetest.All(t)[0], planted(40, 90)
	c := config.Config{K: 3, Epochs: 80, Stop: "never"}
	training := open(t, d, data, c)
	advance(t, training, 30)
	must(training.Set(config.Config{Lambda: new(5.0)}))
	advance(t, training, 50)
	abandoned := written(t, training)
	check(t, training.Rewind(context.Background(), 20))
	advance(t, training, 80)
	resumed := must(Resume(context.Background(), d, data, written(t, training), abandoned))
	defer resumed.Close()
	for _, c := range resumed.checkpoints.list {
		if c.step == 50 {
			t.Error("the abandoned checkpoint is among those of the past")
		}
	}
	check(t, resumed.Rewind(context.Background(), 55))
	check(t, training.Rewind(context.Background(), 55))
	portraitOf(t, resumed).equal(t, "rewound", portraitOf(t, training))
}

// A training that is resumed where it broke goes back to that very step and is
// tried with other values, like one that was never closed.
func TestResume_RetriesBrokenStep(t *testing.T) {
	d, data := goDevice(t), planted(40, 90)
	training := open(t, d, data, config.Config{K: 3, Epochs: 20, Stop: "never"})
	advance(t, training, 5)
	must(training.Set(config.Config{LearningRate: new(1e12)}))
	if err := training.Run(t.Context(), nil); !errs.Is(err, errs.Failed) {
		t.Fatal(err)
	}
	resumed := must(Resume(t.Context(), d, data, written(t, training)))
	defer resumed.Close()
	if s := resumed.Status(); s.State != session.Broken || s.Reason != training.Status().Reason {
		t.Errorf("%s: %s", s.State, s.Reason)
	}
	for name, training := range map[string]*Training{"that stayed": training, "that was resumed": resumed} {
		if err := training.Rewind(t.Context(), training.step); err != nil {
			t.Fatal(name, err)
		}
		if s := training.Status(); s.State != session.Paused || s.Reason != "" {
			t.Errorf("one %s is %s at the step before it broke: %s", name, s.State, s.Reason)
		}
		if _, err := training.Set(config.Config{LearningRate: new(1e-9)}); err != nil {
			t.Fatal(name, err)
		}
	}
	portraitOf(t, resumed).equal(t, "rewound where it broke", portraitOf(t, training))
}

// Another device continues from the same numbers, and the timeline says so.
func TestResume_OnAnotherDevice(t *testing.T) {
	list := devicetest.All(t)
	if len(list) < 2 {
		t.Skip("NOT TESTED: one backend is at hand")
	}
	data := planted(40, 90)
	training := open(t, list[0], data, config.Config{K: 3, Epochs: 40, Stop: "never"})
	advance(t, training, 20)
	resumed := must(Resume(context.Background(), list[1], data, written(t, training)))
	defer resumed.Close()
	last := resumed.events[len(resumed.events)-1]
	if last.Kind != "resume" || last.Step != 20 || !strings.Contains(last.Text, list[0].Name) || !strings.Contains(last.Text, list[1].Name) {
		t.Errorf("%+v", last)
	}
	advance(t, resumed, 40)
	check(t, resumed.Rewind(context.Background(), 30))
}

func small(t testing.TB) (*Training, *Checkpoint) {
	t.Helper()
	training := open(t, devicetest.All(t)[0], planted(24, 12), config.Config{K: 2, Epochs: 8, Hidden: []int{4}, Stop: "never", Backend: "go"})
	advance(t, training, 4)
	must(training.Set(config.Config{Lambda: new(0.5)}))
	advance(t, training, 7)
	return training, written(t, training)
}

// If any bit is turned, or the file ends early anywhere, it is rejected in one
// line that names it, or has lost nothing.
func TestLoadCheckpoint_RejectsDamage(t *testing.T) {
	_, c := small(t)
	good := must(os.ReadFile(c.Path))
	bad := filepath.Join(t.TempDir(), "bad.safetensors")
	load := func(content []byte) (*Checkpoint, error) {
		check(t, os.WriteFile(bad, content, 0o600))
		return LoadCheckpoint(bad)
	}
	again := func(c *Checkpoint) []byte {
		path := filepath.Join(t.TempDir(), "again.safetensors")
		check(t, c.Save(path))
		content := must(os.ReadFile(path))
		return content
	}
	whole := again(c)
	for i := 0; i < len(good); i += 7 {
		content := bytes.Clone(good)
		content[i] ^= 1 << (i % 8)
		loaded, err := load(content)
		if err == nil {
			if !bytes.Equal(again(loaded), whole) {
				t.Errorf("a turned bit in byte %d (%q) is not noticed", i, good[i])
			}
		} else if !errs.Is(err, errs.Request) || !strings.HasPrefix(err.Error(), bad) || strings.Contains(err.Error(), "\n") {
			t.Errorf("byte %d: %v", i, err)
		}
	}
	for _, n := range []int{0, 7, 8, 100, len(good) / 2, len(good) - 1} {
		if _, err := load(good[:n]); !errs.Is(err, errs.Request) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if _, err := LoadCheckpoint(filepath.Join(t.TempDir(), "nothing")); !errs.Is(err, errs.NotFound) {
		t.Error(err)
	}
}

// Files with good checksums that aren't such a checkpoint, or not one of this
// training, are rejected with what differs.
func TestLoadCheckpoint_RejectsOthers(t *testing.T) {
	training, c := small(t)
	meta := func(key, value string) func(*safetensors.File) {
		return func(f *safetensors.File) { f.Metadata[key] = value }
	}
	replace := func(key, from, to string) func(*safetensors.File) {
		return func(f *safetensors.File) {
			if !strings.Contains(f.Metadata[key], from) {
				t.Fatalf("no %s in %s", from, f.Metadata[key])
			}
			f.Metadata[key] = strings.ReplaceAll(f.Metadata[key], from, to)
		}
	}
	tensor := func(name string, value safetensors.Tensor) func(*safetensors.File) {
		return func(f *safetensors.File) { f.Tensors[name] = value }
	}
	without := func(key string) func(*safetensors.File) {
		return func(f *safetensors.File) { delete(f.Metadata, key); delete(f.Tensors, key) }
	}
	both := func(a, b func(*safetensors.File)) func(*safetensors.File) {
		return func(f *safetensors.File) { a(f); b(f) }
	}
	for name, c := range map[string]struct {
		change func(*safetensors.File)
		want   string
	}{
		"another format":              {meta("format", "fsnet-model"), `is not an FsNet checkpoint: its format is "fsnet-model"`},
		"another version":             {meta("format_version", "9"), `has format version "9", written by fsnet `},
		"other data":                  {meta("dataset_hash", "0123456789abcdef"), "is of other data: planted with hash 0123456789ab"},
		"no state":                    {without("state"), "state is missing"},
		"another state":               {meta("state", "running"), `state = "running" is none of`},
		"ahead of its end":            {both(meta("steps", "5"), meta("step", "7")), "at step 7 of 5"},
		"another step":                {meta("step", "8"), "at step 8, and the epoch before ended at step 6"},
		"other epochs":                {meta("steps", "77"), "has 77 steps, but its settings make 16"},
		"time that is none":           {meta("seconds", "NaN"), `seconds = "NaN" is not a time`},
		"structural key that changed": {replace("settings", `"k":2`, `"k":3`), `its k changed from "2" to "3"`},
		"another k":                   {both(replace("settings", `"k":2`, `"k":3`), replace("opened", `"k":2`, `"k":3`)), "record/selectors"},
		"other widths":                {both(replace("settings", `"hidden":[4]`, `"hidden":[5]`), replace("opened", `"hidden":[4]`, `"hidden":[5]`)), "encoder/0/weights has shape [2 4], not [2 5]"},
		"more layers":                 {both(replace("settings", `"hidden":[4]`, `"hidden":[4,4]`), replace("opened", `"hidden":[4]`, `"hidden":[4,4]`)), "blocks of parameters"},
		"no timeline":                 {meta("timeline", "[]"), "its timeline does not begin with the opening"},
		"event of the future":         {replace("timeline", `"step":4`, `"step":400`), "event 1 of its timeline is at step 400"},
		"settled that is no word":     {meta("settled", "7"), `settled = "7"`},
		"looks at other selectors":    {tensor("record/selectors", safetensors.Of(make([]float64, 6), 1, 6)), "record/selectors"},
		"fewer recorded steps":        {tensor("record/epochs", safetensors.Of(make([]float64, 9), 1, 9)), "record/epochs follows step 0"},
		"epochs that end early": {tensor("record/epochs", safetensors.Of([]float64{2, 0, 0, 0, 0, 0, 0, 0, 0}, 1, 9)),
			"the epoch before ended at step 2"},
		"epoch in progress of another": {tensor("record/open", safetensors.Of([]float64{1, 6, 0, 0, 0, 0, 0, 0, 0, 0}, 10)),
			"record/open is [1 6"},
		"look at P out of order": {tensor("record/observations", safetensors.Of([]float64{3, 0, 0, 0, 1, 0, 2, 0, 0, 0, 1, 0}, 2, 6)),
			"follows step 3"},
		"look at P that is no list": {tensor("record/observations", safetensors.Of([]float64{3})), "record/observations"},
		"weights that are no numbers": {tensor("parameters/encoder/0/biases", safetensors.Of([]float32{1, float32(math.NaN()), 3, 4}, 4)),
			"number 1 of parameters/encoder/0/biases is NaN"},
		"negative mean of squares":      {tensor("rmsprop/encoder/0/biases", safetensors.Of([]float32{1, 2, -3, 4}, 4)), "its mean square -3"},
		"weights without their squares": {without("rmsprop/encoder/0/biases"), `there is no tensor "rmsprop/encoder/0/biases"`},
		"one tensor more":               {tensor("x", safetensors.Of([]float32{1})), "are known"},
		"timeline that is cut":          {meta("timeline", `[{"step"`), "timeline = "},
	} {
		t.Run(name, func(t *testing.T) {
			f := must(safetensors.Read(training.path(t)))
			c.change(f)
			other := filepath.Join(t.TempDir(), "other.safetensors")
			check(t, safetensors.Write(other, f))
			loaded, err := LoadCheckpoint(other)
			if err == nil {
				var resumed *Training
				if resumed, err = Resume(context.Background(), training.device, training.data.Dataset, loaded); err == nil {
					resumed.Close()
				}
			}
			if !errs.Is(err, errs.Request) || !strings.HasPrefix(err.Error(), other) || !strings.Contains(err.Error(), c.want) ||
				errs.Of(err).Remedy == "" {
				t.Errorf("%v does not say %q", err, c.want)
			}
		})
	}
	if _, err := LoadCheckpoint(filepath.Dir(c.Path)); !errs.Is(err, errs.Request) {
		t.Error(err)
	}
}

// path is a file with the training's checkpoint.
func (t *Training) path(tb testing.TB) string { return written(tb, t).Path }

// No file, however odd, does harm.
func FuzzLoadCheckpoint(f *testing.F) {
	_, c := small(f)
	good := must(os.ReadFile(c.Path))
	f.Add(good)
	f.Add(good[:200])
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "x.safetensors")
		check(t, os.WriteFile(path, content, 0o600))
		if _, err := LoadCheckpoint(path); err != nil && (!errs.Is(err, errs.Request) || strings.Contains(err.Error(), "\n")) {
			t.Error(err)
		}
	})
}
