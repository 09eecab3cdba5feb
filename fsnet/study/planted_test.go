package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/results"
)

// measured is a table of n rows and d columns, in which columns 3, 4 and 5, and
// 9, 10 and 11, and so on, are nearly copies.
func measured(t *testing.T, n, d int) *dataset.Dataset {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	var x []float32
	labels := make([]string, n)
	for i := range n {
		row := make([]float64, d)
		for j := range row {
			row[j] = random.NormFloat64()
			if j%6 > 3 {
				row[j] = row[j-1] + 0.1*row[j]
			}
			x = append(x, float32(10+float64(1+j%7)*row[j]))
		}
		labels[i] = []string{"a", "b"}[i%2]
	}
	data := must(dataset.New("table", x, nil, labels))
	return data
}

// The made classes follow the true columns as each kind promises.
func TestPlanted_ClassesFollowColumns(t *testing.T) {
	const n = 4000
	d := measured(t, n, 60)
	agree := func(set *dataset.Dataset, says func(i int) bool) float64 {
		same := 0
		for i := range n {
			if says(i) == (set.Classes[set.Y[i]] == "high") {
				same++
			}
		}
		return max(float64(same), float64(n-same)) / n
	}
	for _, kind := range Kinds() {
		set, truth, err := Plant(d, PlantOptions{Kind: kind, Strength: 20, Seed: 2, Repeat: 1})
		if err != nil {
			t.Fatal(err)
		}
		if high := slices.Index(set.Classes, "high"); math.Abs(float64(len(slices.DeleteFunc(slices.Clone(set.Y), func(y int) bool { return y != high })))-n/2) > 1 {
			t.Errorf("%s: %v", kind, set.Classes)
		}
		if &set.X[0] != &d.X[0] {
			t.Errorf("%s: the measurements are copied", kind)
		}
		if want := 5; kind != XOR && len(truth.Causal) != want || kind == XOR && len(truth.Causal) != 2 {
			t.Errorf("%s: causal are %v", kind, truth.Causal)
		}
		first := make([]bool, n)
		second := make([]bool, n)
		for k, into := range [][]bool{first, second} {
			var column []float32
			for r := range n {
				column = append(column, d.At(r, truth.Causal[k]))
			}
			middle := slices.Sorted(slices.Values(column))[(n-1)/2]
			for i, v := range column {
				into[i] = v > middle
			}
		}
		alone, other := agree(set, func(i int) bool { return first[i] }), agree(set, func(i int) bool { return second[i] })
		together := agree(set, func(i int) bool { return first[i] != second[i] })
		switch kind {
		case XOR:
			if alone > 0.54 || other > 0.54 || together < 0.95 {
				t.Errorf("xor: the columns agree with the classes by %v and %v, together by %v", alone, other, together)
			}
		default:
			if alone < 0.58 || other < 0.55 || together > 0.56 {
				t.Errorf("%s: the columns agree with the classes by %v and %v, together by %v", kind, alone, other, together)
			}
		}
		for k, j := range truth.Causal {
			alike := truth.Alike(k)
			if kind == RepeatedColumns && len(alike) != 2 {
				t.Errorf("groups: column %d has look-alikes %v", j, alike)
			}
			for _, a := range alike {
				if a/6 != j/6 || a%6 < 3 || j%6 < 3 || a == j || slices.Contains(truth.Causal, a) {
					t.Errorf("%s: %d is a look-alike of %d, of %v", kind, a, j, truth.Causal)
				}
			}
		}
		again, same, err := Plant(d, PlantOptions{Kind: kind, Strength: 20, Seed: 2, Repeat: 1})
		if err != nil || !reflect.DeepEqual(truth, same) || again.Hash != set.Hash {
			t.Errorf("%s: planted again it is another: %v", kind, err)
		}
		if next, _, err := Plant(d, PlantOptions{Kind: kind, Strength: 20, Seed: 2, Repeat: 2}); err != nil || next.Hash == set.Hash {
			t.Errorf("%s: the next repeat is the same: %v", kind, err)
		}
	}
}

// A column whose median is its largest value has no rows above it, so it can't
// be the cause of classes that are told by that.
func TestPlanted_CausesHaveRowsAboveMedian(t *testing.T) {
	const n, d = 40, 6
	x, labels := make([]float32, n*d), make([]string, n)
	for i := range n {
		labels[i] = []string{"a", "b"}[i%2]
		for j := range d {
			if x[i*d+j] = 5; j >= 2 || i%4 == j {
				x[i*d+j] = float32((i*(j+3))%7) / 2
			}
		}
	}
	data := must(dataset.New("saturated", x, nil, labels))
	for _, kind := range []string{Threshold, XOR} {
		for repeat := range 20 {
			_, truth, err := Plant(data, PlantOptions{Kind: kind, Causal: 2, Repeat: repeat})
			if err != nil {
				t.Fatal(err)
			}
			if slices.Min(truth.Causal) < 2 {
				t.Errorf("%s: the causal columns are %v", kind, truth.Causal)
			}
		}
	}
}

// The counts of a planted study are those counted by hand.
func TestPlanted_Counts(t *testing.T) {
	of := func(power, fdr, auprc, powerAlike, fdrAlike, auprcAlike float64) results.Figures {
		return results.Figures{Power: power, FDR: fdr, AUPRC: auprc, PowerAlike: powerAlike, FDRAlike: fdrAlike, AUPRCAlike: auprcAlike}
	}
	truth := Truth{Causal: []int{7, 3}, alike: [][]int{{1, 2}, nil}}
	for _, c := range []struct {
		list []int
		want results.Figures
	}{
		{[]int{7, 3}, of(1, 0, 1, 1, 0, 1)},
		{[]int{0, 3, 1, 7}, of(1, 0.5, (0.5+0.5)/2, 1, 0.25, (0.5+2.0/3)/2)},
		{[]int{1, 2, 9}, of(0, 1, 0, 0.5, 1.0/3, 0.5)},
		{[]int{9, 8}, of(0, 1, 0, 0, 1, 0)},
		{nil, results.Figures{}},
	} {
		if got := truth.Judge(c.list); !near(got, c.want) {
			t.Errorf("%v: %+v, not %+v", c.list, got, c.want)
		}
	}
}

func near(a, b results.Figures) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if math.Abs(x.Field(i).Float()-y.Field(i).Float()) > 1e-12 {
			return false
		}
	}
	return true
}

// Methods that look at one column find sums and no xor, and chance finds
// nothing. A second run gives the same rows.
func TestPlanted_TellsMethodsApart(t *testing.T) {
	d := measured(t, 300, 60)
	methods := must(Methods("anova,hsic,random,svm"))
	s := must(NewPlanted(d, []string{Linear, XOR}, 3, PlantOptions{Causal: 2, Strength: 10, Seed: 1}, config.Config{Seed: 1}, methods, []int{2, 4}))
	on := must(device.Open(t.Context(), "go"))
	defer on.Close()
	rows := must(s.Plan.Run(t.Context(), on, nil, nil))
	found := map[string]results.Figures{}
	for _, table := range s.Summarize(rows) {
		if len(table.Entries) != 3 {
			t.Fatalf("%s: %d methods that select", table.Kind, len(table.Entries))
		}
		for _, e := range table.Entries {
			if e.Repeats != 3 || e.Mean.FDR < 1-2/float64(table.K)-1e-12 {
				t.Errorf("%+v", e)
			}
			found[fmt.Sprint(table.Kind, table.K, e.Method)] = e.Mean
		}
	}
	if f := found["linear4anova"]; f.PowerAlike < 0.9 || f.AUPRCAlike < 0.8 {
		t.Errorf("anova finds of a sum %+v", f)
	}
	if f := found["xor4anova"]; f.PowerAlike > 0.5 {
		t.Errorf("anova finds of an xor %+v", f)
	}
	if f := found["linear4random"]; f.Power > 0.5 {
		t.Errorf("chance finds of a sum %+v", f)
	}
}
