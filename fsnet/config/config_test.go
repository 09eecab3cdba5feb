package config

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
)

// An explicit key overrides the protocol's default, even if it is zero.
func TestResolve_GivenValuesWin(t *testing.T) {
	s := must(Config{
		Protocol: Paper, Lambda: new(0.0), Epochs: 7, Batch: new(0), Split: "stratified",
	}.Resolve())(t)
	if s.Lambda != 0 || s.Epochs != 7 || s.Batch != 0 || s.Reconstruction != "sum" || s.Split != "stratified" {
		t.Errorf("%+v", s)
	}
}

// A wrong value is rejected with what the key takes.
func TestSet_ExplainsBadValues(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"k", "0", "takes 1…d"},
		{"k", "-3", "takes 1…d"},
		{"k", "ten", "not a whole number"},
		{"seed", "99999999999999999999", "too many digits"},
		{"epochs", "-1", "takes ≥ 1 · auto"},
		{"epochs", "0", "takes ≥ 1 · auto"},
		{"batch", "-1", "takes ≥ 0 · auto"},
		{"learning_rate", "0", "takes > 0"},
		{"learning_rate", "NaN", "takes > 0"},
		{"learning_rate", "1e400", "not a number"},
		{"lambda", "-0.1", "takes ≥ 0"},
		{"dropout", "1", "out of range"},
		{"test_fraction", "1", "out of range"},
		{"tau0", "0", "takes > 0"},
		{"schedule", "exponentail", "not a schedule"},
		{"schedule", "hold:-1", "above 0"},
		{"sharpness", "0.5", "takes ≥ 1"},
		{"schedule", "points:5=1,5=2", "does not come after"},
		{"stop", "patience:0", "1 or more"},
		{"rows_per_class", "1", "takes 0 · ≥ 2"},
		{"screen", "-1", "takes 0 · 1…d"},
		{"hidden", "none", "no width"},
		{"hidden", "64,x", `"x" is not`},
		{"embedding", "histogram", "it is a rule of the protocol: choose another protocol"},
		{"protocol", "papr", "did you mean paper?"},
		{"lamda", "1", "did you mean lambda?"},
	} {
		var config Config
		err := config.Set(c.key, c.value)
		if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s=%s: %v, wanted %q", c.key, c.value, err, c.want)
		}
	}
	for _, c := range []Config{{K: -1}, {Epochs: -1}, {Dropout: new(math.NaN())}, {Lambda: new(math.Inf(1))}, {Protocol: "x"},
		{Stop: "soon"}} {
		if _, err := c.Resolve(); !errs.Is(err, errs.Request) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Settings survive being written: as a Config, as text key by key, and as JSON.
func TestSettings_RoundTrip(t *testing.T) {
	for _, protocol := range Protocols() {
		want := must(Config{Protocol: protocol, Data: "ALLAML", Covariates: []string{"sex", "age"}, Seed: -3}.Resolve())(t)
		var byText Config
		for _, key := range Keys() {
			if text := want.Text(key.Name); text != "" {
				if err := byText.Set(key.Name, text); err != nil {
					t.Fatal(err)
				}
			}
		}
		text := must(json.Marshal(want.Config()))(t)
		var byJSON Config
		if err := json.Unmarshal(text, &byJSON); err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]Config{"config": want.Config(), "text": byText, "JSON": byJSON} {
			got := must(c.Resolve())(t)
			if differences := got.Differences(want); len(differences) > 0 || !reflect.DeepEqual(got.Live, want.Live) || got.Seed != want.Seed {
				t.Errorf("%s by %s: %v, %+v", protocol, name, differences, got.Live)
			}
		}
	}
}

// A rule that a Go program sets is checked, fixed, written as text, and read
// back.
func TestRules_OfAProgram(t *testing.T) {
	s := must(Config{Protocol: Paper, Rules: bins(5)}.Resolve())(t)
	c := s.Config()
	again := must(FromTexts(c.Texts()))(t)
	if got := must(again.Resolve())(t); got.Bins != 5 || len(s.Differences(got)) > 0 || got.OwnRules()["bins"] != "5" {
		t.Errorf("%+v", got.Rules)
	}
	var saved Settings // by a program in which bins was a key
	if err := json.Unmarshal([]byte(strings.Replace(string(must(json.Marshal(s))(t)), `"bins":5`, `"bins":7`, 1)), &saved); err != nil || saved.Bins != 7 {
		t.Errorf("%v, %+v", err, saved.Rules)
	}
	// embedding and selector_growth were keys, and still are in files.
	texts := must(FromTexts(map[string]string{"embedding": "class-deviation", "selector_growth": "3"}))(t)
	older := must(texts.Resolve())(t)
	text := must(json.Marshal(older))(t)
	if err := json.Unmarshal(text, &saved); err != nil || older.SelectorGrowth != 3 || saved.SelectorGrowth != 3 ||
		saved.Embedding != ClassDeviation || !strings.Contains(string(text), `"selector_growth":3`) {
		t.Errorf("%v, %+v", err, saved.Rules)
	}
	if list := s.Differences(must(Config{Protocol: Paper}.Resolve())(t)); len(list) != 1 || list[0] != (Change{"bins", "5", "10"}) {
		t.Errorf("%v", list)
	}
	if _, _, err := s.Apply(Config{Rules: bins(6)}); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "fixed") {
		t.Errorf("%v", err)
	}
	for _, change := range []func(*Rules){
		func(r *Rules) { r.Bins = 1 }, func(r *Rules) { r.SelectorLogits = "soft" }, func(r *Rules) { r.TauPace = "fast" },
		func(r *Rules) { r.TauPace = "0" }, func(r *Rules) { r.LearningRateDecay = -1 }, func(r *Rules) { r.PredictorHidden = []int{0} },
	} {
		rules := RulesOf(FsNet)
		change(&rules)
		if _, err := (Config{Rules: &rules}).Resolve(); !errs.Is(err, errs.Request) {
			t.Errorf("%+v: %v", rules, err)
		}
	}
}

// Apply changes live keys, lists the changes, and rejects the others.
func TestApply_OnlyLiveKeys(t *testing.T) {
	s := must(Config{}.Resolve())(t)
	next, list, err := s.Apply(Config{Lambda: new(0.5), K: 10, Epochs: Auto})
	if err != nil {
		t.Fatal(err)
	}
	if next.Lambda != 0.5 || len(list) != 1 || list[0] != (Change{"lambda", "1", "0.5"}) {
		t.Errorf("%v", list)
	}
	for _, key := range Keys() {
		var c Config
		for _, value := range []string{"paper", "sum", "histogram", "7", "0.3", "false", "random", "none", "linear", "balanced", "never", "mean",
			"go", "epoch", "other", "network", "ridge", "learned", "softmax-selectors", "classification", "sample",
			"as-built"} {
			c = Config{}
			if c.Set(key.Name, value) == nil && c.Text(key.Name) != s.Text(key.Name) {
				break
			}
			c = Config{}
		}
		if len(c.Given()) == 0 {
			t.Errorf("%s: no other value was tried", key.Name)
			continue
		}
		_, list, err := s.Apply(c)
		if key.Live && (err != nil || len(list) != 1) || !key.Live && !errs.Is(err, errs.Request) {
			t.Errorf("%s, live %v: %v, %v", key.Name, key.Live, list, err)
		}
		// What a key is given is in the settings, and in what is saved of them.
		given, err := c.Resolve()
		if err != nil {
			continue // it wants another key beside it
		}
		again, err := given.Config().Resolve()
		if err != nil || given.Text(key.Name) != c.Text(key.Name) || again.Text(key.Name) != c.Text(key.Name) {
			t.Errorf("%s = %s becomes %q, and saved %q, or %v", key.Name, c.Text(key.Name), given.Text(key.Name), again.Text(key.Name), err)
		}
	}
}

// The temperature of each kind of schedule is that of its definition.
func TestSchedule_Values(t *testing.T) {
	live := Live{Epochs: 100, Tau0: 10, TauEnd: 0.01}
	for _, c := range []struct {
		schedule  string
		epoch, to float64
	}{
		{"exponential", 0, 10}, {"exponential", 50, math.Sqrt(0.1)}, {"exponential", 100, 0.01}, {"exponential", 200, 0.01},
		{"linear", 0, 10}, {"linear", 50, 5.005}, {"linear", 100, 0.01},
		{"cosine", 0, 10}, {"cosine", 50, 5.005}, {"cosine", 100, 0.01},
		{"hold:3.5", 70, 3.5},
		{"points:10=4,20=1", 0, 4}, {"points:10=4,20=1", 15, 2}, {"points:10=4,20=1", 99, 1}, {"points:5=2", 7, 2},
	} {
		s := must(ParseSchedule(c.schedule))(t)
		if got := s.Tau(c.epoch, live); math.Abs(got-c.to) > 1e-9 {
			t.Errorf("%s at epoch %g is %g, not %g", c.schedule, c.epoch, got, c.to)
		}
	}
}

// bins returns the paper's rules with another number of bins.
func bins(n int) *Rules {
	rules := RulesOf(Paper)
	rules.Bins = n
	return &rules
}

// The paper has b ≤ n. With few rows the embedding by class needs no warning. A
// requested number is held to the limit.
func TestResolve_NoMoreBinsThanRows(t *testing.T) {
	for _, c := range []struct {
		Config
		rows   int
		remedy string
	}{
		{Config{}, 8, ""},
		{Config{Rules: bins(8)}, 8, ""},
		{Config{Rules: bins(9)}, 8, "train on 9 rows or more"},
		{Config{Protocol: Authors}, 8, ""},
		{Config{Protocol: Paper}, 10, ""},
		{Config{Protocol: Paper}, 8, "train on 10 rows or more"},
		{Config{Protocol: Paper, Rules: bins(8)}, 8, ""},
	} {
		s := must(c.Resolve())(t)
		if err := s.CheckBins(c.rows); (err == nil) != (c.remedy == "") || err != nil && !strings.Contains(err.Error(), c.remedy) {
			t.Errorf("protocol=%s bins=%d, %d rows: %v", s.Protocol, s.Bins, c.rows, err)
		}
	}
}

// Under the paper's protocol, the temperature of epoch e = 1 … E is Algorithm
// 2's τ0 (τE/τ0)^(e/E), for all of its steps.
func TestSchedule_PaperByEpoch(t *testing.T) {
	paper := must(Config{Protocol: Paper, Epochs: 40}.Resolve())(t)
	const perEpoch = 7
	for _, text := range []string{"exponential", "linear", "cosine", "points:3=5,20=0.5"} {
		s := must(ParseSchedule(text))(t)
		for step := range 40*perEpoch + 1 {
			e := min(float64(step/perEpoch+1), 40)
			got, want := s.Tau(float64(step)/perEpoch, paper.Live), s.At(e, paper.Live)
			if text == "exponential" {
				want = 10 * math.Pow(0.01/10, e/40)
			}
			if got != want {
				t.Fatalf("%s: step %d, of epoch %v, has τ = %v, not %v", text, step, e, got, want)
			}
		}
	}
}

// No text makes a key panic, and whatever is taken can be written and read again.
func FuzzSet(f *testing.F) {
	for _, key := range Keys() {
		f.Add(key.Name, key.Default(FsNet))
	}
	f.Add("schedule", "points:1=2,3=4")
	f.Add("stop", "patience:5")
	f.Fuzz(func(t *testing.T, key, value string) {
		var c Config
		if c.Set(key, value) != nil {
			return
		}
		text := c.Text(key)
		if text == "" {
			return
		}
		var again Config
		if err := again.Set(key, text); err != nil || again.Text(key) != text {
			t.Errorf("%s=%q is written %q, which reads %q: %v", key, value, text, again.Text(key), err)
		}
	})
}

// If the choice doesn't depend on a key, Idle says why, and otherwise nothing.
func TestIdle_SaysWhy(t *testing.T) {
	for _, c := range []struct {
		config Config
		key    string
		why    string // a part of it
	}{
		{Config{}, "lambda", ""},
		{Config{}, "tau0", ""},
		{Config{Protocol: Stepwise}, "lambda", "lambda acts on the network only, and under protocol=stepwise the choice does not depend on it"},
		{Config{Protocol: Stepwise}, "selector_learning_rate", "closed-form errors choose"},
		{Config{Protocol: Paper}, "sharpness", ""},
		{Config{Protocol: Paper}, "sharpness_schedule", "sharpness is 1 from beginning to end"},
		{Config{Protocol: Paper, SharpnessSchedule: "points:0=1,10=5"}, "sharpness_schedule", ""},
		{Config{SharpnessSchedule: "hold:3"}, "sharpness", "sharpness_schedule=hold has values of its own"},
		{Config{Schedule: "points:0=1,10=0.1"}, "tau0", "schedule=points has values of its own"},
		{Config{Schedule: "hold:2"}, "tau_end", "schedule=hold has values of its own"},
		{Config{Schedule: "hold:2"}, "schedule", ""},
	} {
		c.config.Data = "ALLAML"
		s := must(c.config.Resolve())(t)
		if got, _ := s.Idle(c.key); (got == "") != (c.why == "") || !strings.Contains(got, c.why) {
			t.Errorf("%+v: %s is idle as %q, want %q", c.config, c.key, got, c.why)
		}
	}
}

// must is the value that there is, or ends the test.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Keys about the rows are in the settings that a saved model returns. A model's
// rows aren't divided, but measured as they were.
func TestSettings_KeepColumnsOfRows(t *testing.T) {
	s := must(Config{Data: "x.csv", Groups: "a", RowWeights: "b", Nuisance: "c", Pairs: "d"}.Resolve())(t)
	again, err := s.Config().Resolve()
	if err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("%+v, not %+v: %v", again, s, err)
	}
	want := []RowColumn{{"paired", "d"}, {"nuisance", "c"}}
	if got := s.WithoutDivision().RowColumns(); !reflect.DeepEqual(got, want) {
		t.Errorf("of rows to predict %v counts", got)
	}
}

// Without a split_seed the rows follow the seed, even if a program changes it
// in the settings, and files have the bits that they had before the key
// existed. With one they don't.
func TestSettings_SplitSeed(t *testing.T) {
	follows := must(Config{Seed: 7}.Resolve())(t)
	follows.Seed = 8
	given := must(Config{Seed: 7, SplitSeed: new(int64(0))}.Resolve())(t)
	given.Seed = 8
	if follows.RowsSeed() != 8 || follows.Text("split_seed") != "8" || given.RowsSeed() != 0 || given.Text("split_seed") != "0" {
		t.Errorf("%d %q, %d %q", follows.RowsSeed(), follows.Text("split_seed"), given.RowsSeed(), given.Text("split_seed"))
	}
	text, err := json.Marshal(follows)
	if err != nil || strings.Contains(string(text), "split_seed") {
		t.Errorf("%s, %v", text, err)
	}
	again, err := given.Config().Resolve()
	if err != nil || again.RowsSeed() != 0 {
		t.Errorf("%d, %v", again.RowsSeed(), err)
	}
	for _, c := range []struct {
		name string
		a, b Config
		want string
	}{
		{"another seed", Config{Seed: 1}, Config{Seed: 2}, "seed"},
		{"the seed, given", Config{Seed: 1}, Config{Seed: 1, SplitSeed: new(int64(1))}, ""},
		{"another split", Config{Seed: 1}, Config{Seed: 1, SplitSeed: new(int64(2))}, "split_seed"},
		{"another training on one split", Config{Seed: 1, SplitSeed: new(int64(3))}, Config{Seed: 2, SplitSeed: new(int64(3))}, "seed"},
	} {
		a, errA := c.a.Resolve()
		b, errB := c.b.Resolve()
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		var keys []string
		for _, d := range a.Differences(b) {
			keys = append(keys, d.Key)
		}
		if got := strings.Join(keys, " "); got != c.want {
			t.Errorf("%s: %q differ, not %q", c.name, got, c.want)
		}
	}
	if next, list, err := given.Apply(Config{SplitSeed: new(int64(0)), Lambda: new(0.5)}); err != nil || len(list) != 1 ||
		next.RowsSeed() != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if next, _, err := follows.Apply(Config{Lambda: new(0.5)}); err != nil || next.SplitSeed != nil {
		t.Errorf("%v, %v", next.SplitSeed, err)
	}
}
