package study

import (
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/tests/kit/baselinetest"
)

// What a study can't do is rejected in one line, before anything is trained.
func TestCheck_Rejects(t *testing.T) {
	data, quantity := planted(t), quantities(t)
	high := options()
	high.Seed = math.MaxInt64 - 1
	compare := func(methods string, d *dataset.Dataset, c config.Config, ks ...int) error {
		_, err := New([]*dataset.Dataset{d}, c, must(Methods(methods)), ks, 5)
		return err
	}
	tune := func(d *dataset.Dataset, c config.Config, grid string, o TuneOptions) error {
		if grid != "" {
			o.Grid = must(ParseGrid(grid))
		}
		_, err := NewTuning(d, c, o)
		return err
	}
	stable := func(d *dataset.Dataset, pairs int, change func(*config.Settings)) error {
		s := tiny(t)
		change(&s)
		_, err := Stable(t.Context(), slowly(t), d, s, StabilityOptions{Pairs: pairs})
		return err
	}
	judge := func(o JudgeOptions, seed int64) error {
		s := must(config.Config{Backend: "go", Seed: seed, K: 1, Hidden: []int{6}}.Resolve())
		_, err := JudgePanel(t.Context(), slowly(t), data, s, o)
		return err
	}
	plant := func(d *dataset.Dataset, o PlantOptions) error {
		_, _, err := Plant(d, o)
		return err
	}
	fold := func(n, repeats int, validation float64) error {
		p := some(t, "anova", 1, 2)
		p.Settings.ValidationFraction = validation
		return p.Fold(n, repeats)
	}
	regression := config.Config{Task: "regression", Protocol: config.Stepwise}
	two := must(dataset.New("one", []float32{1, 2, 3, 4, 5, 6, 7, 8}, nil, []string{"a", "a", "a", "a", "a", "a", "b", "b"}))
	sparse := stabilityPlanted(t, func(x []float32, _ []string) { // columns that vary over the training rows, and not over a half
		for i := range x {
			x[i] = map[bool]float32{true: 1}[i%plantedColumns == i/plantedColumns%plantedColumns]
		}
	})
	missing := *data
	missing.X = slices.Clone(data.X)
	missing.X[data.D*2+1] = float32(math.NaN())
	same := func(*config.Settings) {}
	for want, err := range map[string]error{
		"k = 15 is more than the 14 features of planted": compare("random", data, options(), 3, 15),
		"k = 0":               compare("random", data, options(), 0),
		"choose a smaller":    compare("random", data, high, 3),
		"0 numbers of featur": compare("random", data, options()),
		"fsnet and fsnet:protocol=fsnet are the same":            compare("fsnet,fsnet:protocol=fsnet", data, options(), 3),
		"dfs works with classes, but with task=regression":       compare("dfs", quantity, regression, 2),
		"task = auto, but the label of quantities is a quantity": compare("anova", quantity, config.Config{}, 2),
		"validation_fraction = 0.2, but folds":                   fold(4, 1, 0.2),
		"choose up to 100000 in all":                             fold(1000, 1000, 0),
		"k = 99 is more than the 14 features of planted":         tune(data, short(), "k=3,99", TuneOptions{}),
		"folds = 1 ":        tune(data, short(), "k=2,3", TuneOptions{Folds: 1}),
		"folds = 1000":      tune(data, short(), "k=2,3", TuneOptions{Folds: 1000}),
		"repeats = -1":      tune(data, short(), "k=2,3", TuneOptions{Repeats: -1}),
		"did you mean svm?": tune(data, short(), "k=2,3", TuneOptions{Judge: "svn"}),
		"epochs is in the grid, but also given as 4":                         tune(data, short(), "epochs=2,3", TuneOptions{}),
		`class "b" has one row only`:                                         tune(two, config.Config{K: 1}, "lambda=0,1", TuneOptions{Folds: 2}),
		"judge = svm, but the label is a quantity - use own or kernel-ridge": tune(quantity, regression, "k=1,2", TuneOptions{Judge: SVM}),
		"judge = kernel-ridge, but the label is classes - use own or svm":    tune(data, short(), "k=1,2", TuneOptions{Judge: KernelRidge}),
		"the label of quantities is a quantity - use task=regression":        tune(quantity, short(), "k=1,2", TuneOptions{}),
		"pairs = 1001":                   stable(data, MaxPairs+1, same),
		"leaves no room for":             stable(data, 1, func(s *config.Settings) { s.Seed = math.MaxInt64 - 1 }),
		"k = 25 is more than":            stable(stabilityPlanted(t, nil), 1, func(s *config.Settings) { s.K = plantedColumns + 1 }),
		"k = 24 is more than":            stable(sparse, 1, func(s *config.Settings) { s.K = plantedColumns }),
		"no feature to judge":            judge(JudgeOptions{Splits: 1}, 4),
		"splits = 0":                     judge(JudgeOptions{Features: []int{0}}, 4),
		"no feature of the panel varies": judge(JudgeOptions{Features: []int{12}, Splits: 1}, 4),
		"leaves no room for ":            judge(JudgeOptions{Features: []int{0}, Splits: 2}, math.MaxInt64),
		`kind = "liner" is not known - did you mean linear?`: plant(data, PlantOptions{Kind: "liner"}),
		"causal = 3":         plant(data, PlantOptions{Kind: XOR, Causal: 3}),
		"causal = -1":        plant(data, PlantOptions{Kind: Linear, Causal: -1}),
		"strength = -2":      plant(data, PlantOptions{Kind: Linear, Strength: -2}),
		"can be causal":      plant(data, PlantOptions{Kind: Linear, Causal: 14}),
		"planted: row 3, co": plant(&missing, PlantOptions{Kind: Linear, Causal: 1}),
	} {
		baselinetest.Refuses(t, err, errs.Request, want)
	}
	for _, o := range []TuneOptions{{}, {Path: []int{}}, {Path: []int{0}}, {Path: []int{1, 99}}, {Path: []int{1, 2}, Judge: Own}} {
		baselinetest.Refuses(t, tune(data, short(), "", o), errs.Request)
	}
	_, err := NewPlanted(data, []string{Linear}, 1, PlantOptions{Causal: 2}, config.Config{Groups: "donor"}, must(Methods("anova")), []int{2})
	baselinetest.Refuses(t, err, errs.Request, "groups = donor, but planted data have no such column - leave groups out")
	_, err = New(nil, options(), must(Methods("anova")), []int{3}, 1)
	baselinetest.Refuses(t, err, errs.Request, "0 data sets")
	_, err = New([]*dataset.Dataset{data, data}, options(), must(Methods("anova")), []int{3}, 1)
	baselinetest.Refuses(t, err, errs.Request, "called planted")
}
