package study

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/train"
)

const (
	rows    = 40
	columns = 14
)

// tunePlanted has two classes of twenty rows, told apart by its first three columns; poison is called for every value and may change it.
func tunePlanted(t testing.TB, poison func(row int, x float32) float32) *dataset.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	var x []float32
	var labels []string
	for i := range rows {
		labels = append(labels, []string{"sick", "well"}[i%2])
		for j := range columns {
			v := float32(r.NormFloat64())
			if j < 3 {
				v += float32(2 * (i % 2))
			}
			if poison != nil {
				v = poison(i, v)
			}
			x = append(x, v)
		}
	}
	data, err := dataset.New("planted", x, nil, labels)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// short asks for short trainings.
func short() config.Config {
	return config.Config{Epochs: 4, Backend: "go", Seed: 11, ValidationFraction: new(0.2), Hidden: []int{4}, TestFraction: new(0.4)}
}

func tuneOpened(t testing.TB) *device.Device {
	t.Helper()
	d, err := device.Open(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func planned(t testing.TB, data *dataset.Dataset, grid string, o TuneOptions) *Tuning {
	t.Helper()
	g, err := ParseGrid(grid)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewTuning(data, short(), g, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tuneRun(t testing.TB, p *Tuning, on *device.Device, before []Row) []Row {
	t.Helper()
	made, err := p.Rows.Run(t.Context(), on, before, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tuneTimeless(made)
}

func tuneTimeless(made []Row) []Row {
	made = slices.Clone(made)
	for i := range made {
		made[i].Seconds = 0
	}
	return made
}

// Whatever stands in test and validation rows, tuning comes to the same bits.
func TestOtherRowsHaveNoInfluence(t *testing.T) {
	settings, err := short().Resolve()
	if err != nil {
		t.Fatal(err)
	}
	parts, err := dataset.Split(tunePlanted(t, nil), settings)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	poisoned := tunePlanted(t, func(row int, x float32) float32 {
		if slices.Contains(parts.Train, row) {
			return x
		}
		return float32(1e30 * r.NormFloat64())
	})
	on := tuneOpened(t)
	for name, make := range map[string]func(*dataset.Dataset) *Tuning{
		"grid": func(d *dataset.Dataset) *Tuning { return planned(t, d, "k=2,3 lambda=0,1", TuneOptions{Folds: 3}) },
		"path": func(d *dataset.Dataset) *Tuning {
			p, err := NewPath(d, short(), []int{1, 2, 4}, TuneOptions{Folds: 3})
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		"sweep": func(d *dataset.Dataset) *Tuning {
			p, err := NewSweep(d, short(), Grid{{"k", []string{"2", "3"}}}, 2, TuneOptions{Folds: 2})
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
	} {
		clean, dirty := make(tunePlanted(t, nil)), make(poisoned)
		if clean.Training.N != len(parts.Train) {
			t.Errorf("%s: %d rows, not the %d training rows", name, clean.Training.N, len(parts.Train))
		}
		a, b := tuneRun(t, clean, on, nil), tuneRun(t, dirty, on, nil)
		if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(clean.Summarize(a), dirty.Summarize(b)) {
			t.Errorf("%s: other test and validation rows lead to another result:\n%+v\n%+v", name, a, b)
		}
	}
}

// The training of a fold is the same, bit for bit, whatever stands in the rows that it is judged by.
func TestHeldOutRowsHaveNoInfluence(t *testing.T) {
	p := planned(t, tunePlanted(t, nil), "k=2,3", TuneOptions{Folds: 3, Repeats: 2})
	if len(p.Rows.Data) != 6 {
		t.Fatalf("%d folds", len(p.Rows.Data))
	}
	on := tuneOpened(t)
	fitted := func(d *dataset.Dataset) train.Fitted {
		s := p.Settings
		s.K = 3
		training, err := train.Open(t.Context(), on, d, s)
		if err != nil {
			t.Fatal(err)
		}
		defer training.Close()
		if err := training.Run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		f, err := training.Fitted()
		if err != nil {
			t.Fatal(err)
		}
		f.DatasetHash = ""
		return f
	}
	for _, fold := range p.Rows.Data {
		parts, err := dataset.Split(fold, p.Settings)
		if err != nil {
			t.Fatal(err)
		}
		other := *fold
		other.X = slices.Clone(fold.X)
		for _, row := range parts.Test {
			for j := range other.D {
				other.X[row*other.D+j] = 1000 * float32(row-j)
			}
		}
		if a, b := fitted(fold), fitted(&other); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: other held-out rows lead to another training", fold.Name)
		}
	}
}

// A tuning that is interrupted goes on with the rows that are there, and comes to what one at a stretch comes to. Until then nothing is
// chosen.
func TestInterruptionAndResumption(t *testing.T) {
	on := tuneOpened(t)
	p := planned(t, tunePlanted(t, nil), "k=3,2 lambda=1,0", TuneOptions{Folds: 3})
	want := tuneRun(t, p, on, nil)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var kept []Row
	_, err := p.Rows.Run(ctx, on, nil, func(now Progress) error {
		if now.Finished == nil {
			return nil
		}
		if kept = append(kept, *now.Finished); len(kept) == 5 {
			stop()
		}
		return nil
	})
	if !fault.Is(err, fault.Interrupted) || len(kept) != 5 {
		t.Fatalf("%d rows, %v", len(kept), err)
	}
	half := p.Summarize(kept)
	if half.Chosen != nil || half.Command != "" || half.Done != 5 || half.Planned != 12 || half.Points[0].Folds != 3 || half.Points[1].Folds != 2 || half.Points[1].Accuracy == nil {
		t.Errorf("%+v", half)
	}
	again := 0
	made, err := p.Rows.Run(t.Context(), on, kept, func(now Progress) error {
		if now.Finished != nil {
			again++
		}
		return nil
	})
	if err != nil || again != 7 || !reflect.DeepEqual(tuneTimeless(made), want) {
		t.Errorf("%v, %d rows were made:\n%+v, want\n%+v", err, again, made, want)
	}
	if whole := p.Summarize(made); whole.Chosen == nil || !reflect.DeepEqual(whole, p.Summarize(want)) {
		t.Errorf("%+v", whole)
	}
	if other := planned(t, tunePlanted(t, nil), "k=3,2 lambda=1,0.5", TuneOptions{Folds: 3}); other.Rows.Check(on.Name, kept) == nil {
		t.Error("the rows of another grid are taken")
	}
}

// What a combination reaches on a fold is what an ordinary fit on that data set with these settings reaches.
func TestRowsAreOrdinaryFits(t *testing.T) {
	on := tuneOpened(t)
	p := planned(t, tunePlanted(t, nil), "k=3 lambda=1,0 dropout=0.3", TuneOptions{Folds: 3})
	made := tuneRun(t, p, on, nil)
	last := made[len(made)-1]
	s, err := short().Resolve()
	if err != nil {
		t.Fatal(err)
	}
	s.K, s.Lambda, s.Dropout = 3, 0, 0.3
	training, err := train.Open(t.Context(), on, p.Rows.Data[2], s)
	if err != nil {
		t.Fatal(err)
	}
	defer training.Close()
	if err := training.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	e, err := training.Evaluate("test")
	if err != nil {
		t.Fatal(err)
	}
	selected, err := training.Selection()
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(selected))
	for i, f := range selected {
		names[i] = f.Name
	}
	if last.Method != "fsnet:lambda=0,dropout=0.3" || *last.AccuracyOwn != e.Accuracy || !slices.Equal(last.Selected, names) {
		t.Errorf("%+v, and alone %v, %v", last, e.Accuracy, names)
	}
}

// On a path the features of a smaller k are the first of those of a larger one, which are those of one training.
func TestPathIsNested(t *testing.T) {
	on := tuneOpened(t)
	p, err := NewPath(tunePlanted(t, nil), short(), []int{5, 1, 3, 3}, TuneOptions{Folds: 3})
	if err != nil {
		t.Fatal(err)
	}
	made := tuneRun(t, p, on, nil)
	whole := planned(t, tunePlanted(t, nil), "k=5,6", TuneOptions{Folds: 3})
	byFold := map[string][]string{}
	for _, row := range tuneRun(t, whole, on, nil) {
		if row.K == 5 {
			byFold[row.Dataset] = row.Selected
		}
	}
	if len(made) != 9 {
		t.Fatalf("%d rows", len(made))
	}
	largest := map[string][]string{}
	for _, row := range made {
		if row.K == 5 {
			largest[row.Dataset] = row.Selected
		}
	}
	for _, row := range made {
		want := largest[row.Dataset]
		if row.Error != "" || len(row.Selected) != row.K || !slices.Equal(row.Selected, want[:row.K]) || row.AccuracyOwn != nil || row.AccuracySVM == nil {
			t.Errorf("%s, k = %d: %+v, want the first of %v", row.Dataset, row.K, row, want)
		}
		if alone := slices.Sorted(slices.Values(byFold[row.Dataset])); !slices.Equal(slices.Sorted(slices.Values(want)), alone) {
			t.Errorf("%s has %v, trained alone %v", row.Dataset, want, alone)
		}
	}
	// With what was interrupted between two k of one fold, too.
	if again := tuneRun(t, p, on, made[:4]); !reflect.DeepEqual(again, made) {
		t.Errorf("resumed\n%+v, want\n%+v", again, made)
	}
	if r := p.Summarize(made); r.Judge != TuneSVM || len(r.Points) != 3 || r.Points[0].K != 1 || r.Points[2].Own != nil || r.Chosen == nil {
		t.Errorf("%+v", r)
	}
}

func TestRefusals(t *testing.T) {
	data := tunePlanted(t, nil)
	for _, c := range []struct {
		grid    string
		options TuneOptions
		want    string
	}{
		{"k=3,99", TuneOptions{}, "k = 99 is more than the 14 features of planted"},
		{"k=2,3", TuneOptions{Folds: 1}, "folds = 1"},
		{"k=2,3", TuneOptions{Folds: 1000}, "folds = 1000"},
		{"k=2,3", TuneOptions{Repeats: -1}, "repeats = -1"},
		{"k=2,3", TuneOptions{Judge: "svn"}, "did you mean svm?"},
		{"epochs=2,3", TuneOptions{}, "epochs is in the grid, but also given as 4"},
	} {
		g, err := ParseGrid(c.grid)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewTuning(data, short(), g, c.options); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %+v: %v, want %q", c.grid, c.options, err, c.want)
		}
	}
	for _, ks := range [][]int{nil, {0}, {1, 99}} {
		if _, err := NewPath(data, short(), ks, TuneOptions{}); !fault.Is(err, fault.Request) {
			t.Errorf("%v: %v", ks, err)
		}
	}
	if _, err := NewPath(data, short(), []int{1, 2}, TuneOptions{Judge: Own}); !fault.Is(err, fault.Request) {
		t.Errorf("a path with the judge own: %v", err)
	}
	one, err := dataset.New("one", []float32{1, 2, 3, 4, 5, 6, 7, 8}, nil, []string{"a", "a", "a", "a", "a", "a", "b", "b"})
	if err != nil {
		t.Fatal(err)
	}
	g, err := ParseGrid("lambda=0,1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewTuning(one, config.Config{K: 1}, g, TuneOptions{Folds: 2}); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), `class "b" has one row only`) {
		t.Errorf("a class of one training row: %v", err)
	}
}
