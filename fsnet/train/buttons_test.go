package train

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/devicetest"
	"fsnetlab/tests/kit/markers"
)

// buttons presses run, step 1, rewind to the end, and set, and expects the
// choice of the run at its end each time, and every name of a choice to be the
// same one.
func buttons(t *testing.T, d *device.Device, data *dataset.Dataset, c config.Config) *Training {
	t.Helper()
	training := open(t, d, data, c)
	run(t, training)
	at, want := training.step, agree(t, "run", training)
	must(training.Step(t.Context(), 1))
	later := agree(t, "step", training)
	run(t, training)
	if got := agree(t, "run again", training); training.step == at+1 && !slices.Equal(got, later) {
		t.Errorf("a run that has nothing to do chooses %v instead of %v", got, later)
	}
	check(t, training.Rewind(t.Context(), at))
	if got := agree(t, "rewind", training); !slices.Equal(got, want) {
		t.Errorf("rewound to its end it chooses %v instead of %v", got, want)
	}
	must(training.Set(config.Config{Lambda: new(0.5)}))
	if got := agree(t, "set", training); !slices.Equal(got, want) {
		t.Errorf("lambda alone changes %v to %v", want, got)
	}
	return training
}

// The feature of a run does not depend on the button pressed last: ALLAML with
// the seed for which it once did.
func TestTraining_ChoiceByButtons(t *testing.T) {
	path := filepath.Join(cmp.Or(os.Getenv("FSNET_SHARED"), filepath.Join("..", "..", "..", "shared")), "data", "ALLAML.mat")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("NOT CHECKED with ALLAML: there is no %s; set FSNET_SHARED to the directory that holds data/ALLAML.mat", path)
	}
	c := config.Config{Data: path, K: 10, Seed: 4}
	data := must(dataset.Open(t.Context(), must(c.Resolve()), ""))
	c.Data = ""
	buttons(t, devicetest.All(t)[0], data, c)
}

// An exchange of the contest may leave another selector less certain than it was.
// The status then doesn't say that every selector is settled.
// With this seed nine of ten are, on processors that choose as ours does.
func TestStatus_SettledBeforeTheContest(t *testing.T) {
	c := config.Config{Data: "ALLAML", K: 10, Seed: 12}
	training := open(t, devicetest.All(t)[0], must(dataset.Open(t.Context(), must(c.Resolve()), "")), config.Config{K: 10, Seed: 12})
	run(t, training)
	agree(t, "run", training)
	t.Log(training.Status().Reason)
}

// One class in the middle, the other at both sides, K = 1: the film ends in the
// answer.
func TestTraining_ChoiceByButtons_Middle(t *testing.T) {
	for seed := range int64(2) {
		table, _ := markers.New("middle", seed+1)
		training := buttons(t, devicetest.All(t)[0], must(table.Dataset()), config.Config{K: 1, Seed: seed})
		if got := agree(t, "the end", training); got[0] != "M" {
			t.Errorf("seed %d: it chooses %v", seed, got)
		}
	}
}

// xorAmong is data in which two genes tell the classes by their product and 60
// tell nothing.
func xorAmong(rows int) *dataset.Dataset {
	r := num.RNG(8, "xor among")
	var x []float32
	var labels []string
	names := []string{"M0", "M1"}
	for j := range 60 {
		names = append(names, fmt.Sprintf("g%02d", j))
	}
	for range rows {
		row := make([]float32, len(names))
		for j := range row {
			row[j] = float32(r.NormFloat64())
		}
		x = append(x, row...)
		labels = append(labels, map[bool]string{true: "a", false: "b"}[row[0]*row[1] > 0])
	}
	return must(dataset.New("xor", x, names, labels))
}

// Selectors that a pair holds from the first step on are held in every state:
// after a rewind, in a fork and in a training that is taken up from a file,
// each of which goes on to the same bits.
func TestTraining_LeadIsKept(t *testing.T) {
	d, data := devicetest.All(t)[0], xorAmong(160)
	c := config.Config{K: 3, Seed: 2, Epochs: 40}
	whole := open(t, d, data, c)
	holds := func(what string, training *Training) {
		t.Helper()
		names := agree(t, what, training)
		if !slices.Contains(names, "M0") || !slices.Contains(names, "M1") {
			t.Errorf("%s, step %d: %v are chosen", what, training.step, names)
		}
		for _, s := range must(training.Selection()) {
			if marker := s.Name == "M0" || s.Name == "M1"; marker && (s.Probability != 1 || s.ChosenBy != session.ByPair) {
				t.Errorf("%s, step %d: %+v", what, training.step, s)
			}
		}
		if got := must(training.Rows(session.RowsRequest{})).Pairs; !slices.Equal(got, []string{"M0 and M1 tell together; neither does alone"}) {
			t.Errorf("%s, step %d: %q", what, training.step, got)
		}
	}
	holds("opened", whole)
	half := whole.Steps() / 2
	advance(t, whole, half)
	holds("half way", whole)
	middle := written(t, whole)
	run(t, whole)
	holds("run", whole)
	at, chosen := whole.step, agree(t, "run", whole)
	check(t, whole.scoreFinal())
	want := portraitOf(t, whole)

	resumed := must(Resume(t.Context(), d, data, middle))
	defer resumed.Close()
	holds("resumed", resumed)
	run(t, resumed)
	holds("resumed and run", resumed)
	check(t, resumed.scoreFinal())
	portraitOf(t, resumed).equal(t, "resumed and run", want)
	ended := must(Resume(t.Context(), d, data, written(t, whole)))
	defer ended.Close()
	portraitOf(t, ended).equal(t, "resumed at its end", want)
	for _, step := range []int{0, 1, half, at} {
		fork := must(whole.Fork(t.Context(), step))
		holds(fmt.Sprint("forked at step ", step), fork)
		fork.Close()
	}
	check(t, whole.Rewind(t.Context(), 0))
	holds("rewound", whole)
	advance(t, whole, at-1)
	must(whole.Step(t.Context(), 1))
	check(t, whole.scoreFinal())
	if got := agree(t, "stepped", whole); !slices.Equal(got, chosen) {
		t.Errorf("by steps %v are chosen, by a run %v", got, chosen)
	}
}

// Where a pair cannot be taken, or cannot be tested, the training opens and
// trains: with one selector the pair is named once, as the training opens, and
// no selector is held; missing values filled in hide no pair; a single column
// makes none.
func TestTraining_PairsOfOddInput(t *testing.T) {
	d := goDevice(t)
	one := open(t, d, xorAmong(160), config.Config{K: 1, Epochs: 8})
	run(t, one)
	named := 0
	for _, e := range one.events {
		named += strings.Count(e.Text, "M0 and M1 tell together; neither does alone, but k = 1 has no place for a pair")
	}
	if named != 1 || one.lead != nil {
		t.Errorf("the pair is named %d times, %v are held", named, one.lead)
	}
	agree(t, "one selector", one)

	data := xorAmong(160)
	for i := 5; i < len(data.X); i += 61 {
		data.X[i] = float32(math.NaN())
	}
	filled := open(t, d, must(dataset.New("filled", data.X, data.Features, labelsOf(data))), config.Config{K: 2, Epochs: 8, Missing: "mean"})
	if names := agree(t, "missing values", filled); !slices.Contains(names, "M0") || !slices.Contains(names, "M1") {
		t.Errorf("with missing values %v are held", names)
	}

	single := open(t, d, must(dataset.New("single", column(data), []string{"g"}, labelsOf(data))), config.Config{K: 1, Epochs: 8, Missing: "mean"})
	run(t, single)
	if len(single.pairs) > 0 || !slices.Equal(agree(t, "one column", single), []string{"g"}) {
		t.Errorf("a single column makes %v", single.pairs)
	}
}

func labelsOf(data *dataset.Dataset) (labels []string) {
	for _, c := range data.Y {
		labels = append(labels, data.Classes[c])
	}
	return labels
}

// column is the fourth column of the data.
func column(data *dataset.Dataset) (x []float32) {
	for row := range slices.Chunk(data.X, data.D) {
		x = append(x, row[3])
	}
	return x
}
