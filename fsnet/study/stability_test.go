package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/results"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/devicetest"
)

const (
	plantedRows    = 64
	plantedColumns = 24
)

// stabilityPlanted has two classes that the column strong tells apart, and its
// look-alike nearly as well; the others are noise.
func stabilityPlanted(t testing.TB, change func(x []float32, labels []string)) *dataset.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	x, labels := make([]float32, plantedRows*plantedColumns), make([]string, plantedRows)
	names := make([]string, plantedColumns)
	for j := range names {
		names[j] = fmt.Sprintf("noise%02d", j)
	}
	names[5], names[9] = "strong", "alike"
	for i := range plantedRows {
		labels[i] = []string{"sick", "well"}[i%2]
		row := x[i*plantedColumns : (i+1)*plantedColumns]
		for j := range row {
			row[j] = float32(r.NormFloat64())
		}
		row[5] += float32(5 * (i % 2))
		row[9] = row[5] + 0.5*row[9]
	}
	if change != nil {
		change(x, labels)
	}
	data := must(dataset.New("planted", x, names, labels))
	return data
}

// tiny is a short training of few features.
func tiny(t testing.TB) config.Settings {
	t.Helper()
	s := must(config.Config{K: 2, Seed: 7, Epochs: 60, Hidden: []int{8}, Stop: "never",
		ValidationFraction: new(0.1)}.Resolve())
	return s
}

func stabilityOpened(t testing.TB) *device.Device { return devicetest.All(t)[0] }

// slowly is a device on which nothing is compiled, for data of a shape of their
// own.
func slowly(t testing.TB) *device.Device {
	all := devicetest.All(t)
	return all[len(all)-1]
}

func run(t testing.TB, data *dataset.Dataset, settings config.Settings, o StabilityOptions) *results.Stability {
	t.Helper()
	r := must(Stable(t.Context(), stabilityOpened(t), data, settings, o))
	r.Seconds = 0
	return r
}

// stabilityKind is a label that the columns strong and alike tell, or that
// nothing tells.
type stabilityKind struct {
	name     string
	settings config.Settings
	data     func(permuted bool) *dataset.Dataset
}

func stabilityKinds(t *testing.T) []stabilityKind {
	shuffle := func(permuted bool, list any) {
		if permuted {
			rand.New(rand.NewPCG(8, 9)).Shuffle(plantedRows, reflect.Swapper(list))
		}
	}
	quantity := tiny(t)
	quantity.Task = config.Regression
	return []stabilityKind{
		{"classes", tiny(t), func(permuted bool) *dataset.Dataset {
			return stabilityPlanted(t, func(_ []float32, labels []string) { shuffle(permuted, labels) })
		}},
		{"a quantity", quantity, func(permuted bool) *dataset.Dataset {
			return stabilityMeasured(t, func(y []float64) { shuffle(permuted, y) })
		}},
	}
}

// A feature that tells the label is certain, its correlated feature is its
// look-alike, and noise is neither. Every choice is counted.
func TestStability_StrongFeatureIsCertain(t *testing.T) {
	for _, k := range stabilityKinds(t) {
		r := run(t, k.data(false), k.settings, StabilityOptions{Decoys: true, Evaluate: true})
		if r.Planned != 40 || r.Done != 40 || r.Failed != 0 || r.D != plantedColumns || r.K != 2 || r.Half*2 > r.N {
			t.Errorf("%s: %+v", k.name, r)
		}
		best := r.Genes[0]
		if best.Word != results.Certain || best.Name != "strong" && best.Name != "alike" || len(best.LookAlikes) != 1 || best.Group < best.Seen ||
			r.Decoys.Alarm {
			t.Errorf("%s: the first line is %+v", k.name, best)
		}
		own, group, ranks := 0, 0, []int{}
		for _, g := range r.Genes {
			if g.Rank > 0 {
				ranks = append(ranks, g.Rank)
			}
			if strings.HasPrefix(g.Name, "noise") && g.Word == results.Certain {
				t.Errorf("%s: noise is certain: %+v", k.name, g)
			}
		}
		if slices.Sort(ranks); !reflect.DeepEqual(ranks, []int{1, 2}) {
			t.Errorf("%s: the choice has the ranks %v", k.name, ranks)
		}
		for _, s := range r.Seen {
			own += s.Seen
			if s.Name == "strong" || s.Name == "alike" {
				group += s.Seen
			}
		}
		if taken := own + int(r.Decoys.Share*80+0.5); taken != 80 || best.Group > group {
			t.Errorf("%s: %d picks of 40 half-samples with K = 2; %d of the group's members, %d of the group", k.name, taken, group, best.Group)
		}
		if len(r.Consensus) != 2 || r.Consensus[0] != r.Seen[0] || r.Test == nil || *r.Test.Consensus < 0.6 || r.Test.Chosen < 0.6 ||
			r.Test.Metric.Quantity() != (k.name != "classes") || r.Test.Rows+r.N > plantedRows {
			t.Errorf("%s: consensus %+v, accuracy %+v", k.name, r.Consensus, r.Test)
		}
		if s := r.Agreement; s.Nogueira <= 0.2 || s.Jaccard <= 0 {
			t.Errorf("%s: %+v", k.name, s)
		}
	}
}

// If labels mean nothing, no feature is certain, and the decoys get about their
// share and raise the alarm.
func TestStability_PermutedLabels(t *testing.T) {
	for _, k := range stabilityKinds(t) {
		r := run(t, k.data(true), k.settings, StabilityOptions{Decoys: true})
		if d := r.Decoys; d.Share < 0.3 || d.Share > 0.7 || !d.Alarm || d.Q <= mostChance || r.Genes[0].Word == results.Certain || r.Test != nil {
			t.Errorf("%s: %+v, %+v, %+v", k.name, d, r.Genes[0], r.Test)
		}
	}
}

// The result is a function of data and settings, whatever values the other rows
// have.
func TestStability_OnlyTrainingRowsCount(t *testing.T) {
	for _, k := range stabilityKinds(t) {
		settings, o := k.settings, StabilityOptions{Pairs: 3, Decoys: true}
		settings.Epochs = 10
		parts := must(dataset.Split(k.data(false), settings))
		data := must(k.data(false).WithSplit(parts))
		first := run(t, data, settings, o)
		if got := run(t, withOtherRows(data, slices.Concat(parts.Test, parts.Validation)), settings, o); len(parts.Validation) == 0 || !reflect.DeepEqual(first, got) {
			t.Errorf("%s: test or validation rows have come in:\n%+v\n%+v", k.name, first, got)
		}
		other := *data
		other.X = slices.Clone(data.X)
		other.X[parts.Train[0]*plantedColumns+5] += 3
		if got := run(t, &other, settings, o); reflect.DeepEqual(first, got) {
			t.Errorf("%s: a training row has no influence", k.name)
		}
		settings.Seed++
		if got := run(t, data, settings, o); reflect.DeepEqual(first.Seen, got.Seen) {
			t.Errorf("%s: the seed has no influence", k.name)
		}
	}
}

// Halves have their share of each range of a quantity, even if rows belong
// together.
func TestHalves_Quantity(t *testing.T) {
	k := stabilityKinds(t)[1]
	k.settings.Epochs = 3
	s := must(newSampler(k.data(false), k.settings, 2, false))
	for h, half := range s.halves {
		low := 0
		for _, row := range half {
			if s.table.Y[row] < len(s.table.Classes)/2 {
				low++
			}
		}
		if 2*low-len(half) > 1 || len(half)-2*low > 1 || len(half) != len(s.halves[0]) {
			t.Errorf("half %d has %d of %d rows in the lower ranges", h, low, len(half))
		}
	}
	donors := make([]string, plantedRows)
	for i := range donors {
		donors[i] = string(rune('a' + i/8))
	}
	grouped := must(k.data(false).WithGroups(donors))
	if r := run(t, grouped, k.settings, StabilityOptions{Pairs: 3}); r.Done != 6 || r.Failed != 0 {
		t.Errorf("with groups: %+v", r)
	}
}

// An interrupted run has what is done, and its half-samples have the same
// results as in the whole run.
func TestStability_Interrupted(t *testing.T) {
	settings, data := tiny(t), stabilityPlanted(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	last := Progress{}
	r, err := Stable(ctx, stabilityOpened(t), data, settings, StabilityOptions{Decoys: true, Progress: func(p Progress) {
		if p.Done < last.Done || p.Share < last.Share || p.Total != 40 {
			t.Errorf("%+v after %+v", p, last)
		}
		if last = p; p.Done >= 5 {
			cancel()
		}
	}})
	if !errs.Is(err, errs.Interrupted) || r == nil || r.Done < 5 || r.Done > 5+runtime.GOMAXPROCS(0) || r.Planned != 40 || r.Failed != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if want := fmt.Sprintf("interrupted with %d of 40 half-samples done", r.Done); err.Error() != want {
		t.Errorf("%q", err)
	}
	whole := map[string]int{}
	for _, s := range run(t, data, settings, StabilityOptions{Decoys: true}).Seen {
		whole[s.Name] = s.Seen
	}
	for _, s := range r.Seen {
		if s.Seen > min(r.Done, whole[s.Name]) {
			t.Errorf("%s was chosen in %d of %d half-samples, and in the whole run in %d", s.Name, s.Seen, r.Done, whole[s.Name])
		}
	}
	if len(r.Seen) == 0 || r.Genes[0].Word != "" {
		t.Errorf("%+v, %+v", r.Seen, r.Genes[0])
	}
	if r, err := Stable(ctx, stabilityOpened(t), data, settings, StabilityOptions{}); r != nil || !errs.Is(err, errs.Interrupted) {
		t.Errorf("with a canceled context: %+v, %v", r, err)
	}
}

// A class with one training row is in every half-sample. A column that is
// constant in a half is set aside there.
func TestStability_ClassOfOneRow(t *testing.T) {
	settings := tiny(t)
	settings.ValidationFraction, settings.Epochs = 0, 5
	data := stabilityPlanted(t, func(x []float32, labels []string) {
		labels[0], labels[1] = "rare", "rare"
		for i := range plantedRows {
			x[i*plantedColumns] = 0
		}
		for _, i := range []int{0, 1, 2, 3} {
			x[i*plantedColumns] = float32(i) + 1
		}
	})
	s := must(newSampler(data, settings, 2, false))
	rare := slices.Index(data.Classes, "rare")
	for h := range s.halves {
		half, _, err := s.halfSample(settings, h)
		if err != nil {
			t.Fatal(err)
		}
		parts := must(dataset.Split(half, settings))
		n := 0
		for _, row := range parts.Train {
			if strings.HasSuffix(half.Classes[half.Y[row]], " "+data.Classes[rare]) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("half %d has %d rows of the rare class", h, n)
		}
	}
	if r, err := Stable(t.Context(), slowly(t), data, settings, StabilityOptions{Pairs: 2, Decoys: true}); err != nil || r.Done != 4 || r.Failed != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// With five rows of noise on each side, the half-samples choose the same
// columns twenty times, by their names. No word says that they are certain.
func TestStability_TooFewRows(t *testing.T) {
	const rows, columns = 10, 12
	r := rand.New(rand.NewPCG(5, 6))
	x, labels, names := make([]float32, rows*columns), make([]string, rows), make([]string, columns)
	for i := range x {
		x[i] = float32(r.NormFloat64())
		labels[i/columns], names[i%columns] = []string{"sick", "well"}[i/columns%2], fmt.Sprintf("noise%02d", i%columns)
	}
	data := must(dataset.New("noise", x, names, labels))
	settings := tiny(t)
	settings.ValidationFraction, settings.Epochs = 0, 3
	result, err := Stable(t.Context(), slowly(t), data, settings, StabilityOptions{Pairs: results.FewestForWords / 2})
	if err != nil || result.Done != results.FewestForWords {
		t.Fatalf("%+v, %v", result, err)
	}
	for _, g := range result.Genes {
		if g.Word != "" || g.AnyOfGroup {
			t.Errorf("%s, %d times: %s", g.Name, g.Seen, g.Word)
		}
	}
}

// Missing values, and classes that look like quantities, are treated as in a
// fit.
func TestStability_AwkwardData(t *testing.T) {
	settings := tiny(t)
	settings.Epochs, settings.K = 3, 1
	awkward := func(x []float32, labels []string) {
		for i := range labels {
			labels[i] = []string{"0.5", "1.5", "2.5", "3.5", "4.5", "5.5", "6.5", "7.5", "8.5", "9.5"}[i%10]
			x[i*plantedColumns+i%plantedColumns] = float32(math.NaN())
		}
	}
	// With K = 1 and hardly any training decoys may take every pick, and there
	// is no consensus to judge.
	for missing, fits := range map[string]bool{"mean": true, "drop": false, "error": false} { // no row would be left

		settings.Missing = missing
		r, err := Stable(t.Context(), slowly(t), stabilityPlanted(t, awkward), settings, StabilityOptions{Pairs: 1, Decoys: true, Evaluate: true})
		if fits && (err != nil || r.Done != 2 || len(r.Classes) != 10) || !fits && !errs.Is(err, errs.Request) {
			t.Errorf("%s: %+v, %v", missing, r, err)
		}
	}
}

// The decoys raise the alarm from a number of groups on.
func TestDecoys_RaiseTheAlarm(t *testing.T) {
	of := func(groups ...int) pickCounts { return pickCounts{groups: groups} }
	for _, c := range []struct {
		columns, decoys pickCounts
		q               float64
		alarm           bool
	}{
		{of(40, 30, 20, 20, 15, 10), of(3, 2), 1. / 6, false}, // from 10 on: six, and no decoy
		{of(20), of(10, 9), 1, false},                         // one group is no rate, but it stands out by itself
		{of(20), of(11), 1, true},                             // not twice as often as a decoy's
		{of(19), of(), 1, true},                               // not in half
		{of(9, 8, 7), of(9, 9, 9), 1, true},                   // 4/3 is no share
		{of(), of(9), 1, true},
		{of(20, 20, 2, 2, 2, 2, 2, 2, 2, 2), of(2), 0.2, false},
	} {
		d := newDecoys(c.columns, c.decoys, 5, 20, 40)
		if d.Q != c.q || d.Alarm != c.alarm || d.Share != 0.25 {
			t.Errorf("%v, %v: %+v, want q = %v, alarm %v", c.columns.groups, c.decoys.groups, d, c.q, c.alarm)
		}
	}
	d := newDecoys(of(40, 30, 20, 9), of(10, 1), 5, 20, 40)
	if want := []results.FromCount{{Frequency: 0.1, Features: 4, Decoys: 1}, {Frequency: 0.25, Features: 3, Decoys: 1},
		{Frequency: 0.5, Features: 3}, {Frequency: 0.75, Features: 2}}; !reflect.DeepEqual(d.Groups, want) {
		t.Errorf("%+v", d.Groups)
	}
}

// The lines, counts and consensus of a small table are those counted by hand.
func TestStability_CountedByHand(t *testing.T) {
	// Columns 0 and 1 say the same, 2 and 3 do not.
	values := [][]float64{{1, 2, 3, 4, 5, 6}, {2, 4, 6, 8, 10, 13}, {1, -1, 1, -1, 1, -1}, {1, 1, -1, -1, 1, 1}}
	picks := [][]int{}
	for h := range 20 {
		pick := []int{h % 2, 3} // one of the two, and column 3
		if h >= 12 {
			pick = []int{0, 1, 2}
		}
		picks = append(picks, pick)
	}
	f := countPicks([]int{3, 0, 1, 2, 3}, picks, func(place int) []float64 { return values[place] })
	if !reflect.DeepEqual(f.seen, []int{14, 14, 8, 12}) || !reflect.DeepEqual(f.label, []int{0, 0, 1, 2}) ||
		!reflect.DeepEqual(f.groups[:3], []int{20, 8, 12}) {
		t.Fatalf("%+v", f)
	}
	s := &sampler{prepared: &dataset.Prepared{Dataset: &dataset.Dataset{Features: []string{"a", "b", "c", "d"}}, Kept: []int{0, 1, 2, 3}},
		columns: []int{0, 1, 2, 3}}
	genes := s.genes(f, map[int]int{1: 1, 2: 2}, 20) // of the equally frequent a and b the one of the choice has the line
	want := []results.Gene{
		{Index: 1, Name: "b", Rank: 1, Seen: 14, Group: 20, LookAlikes: []results.Seen{{Index: 0, Name: "a", Seen: 14}}, Word: results.Certain, AnyOfGroup: true},
		{Index: 3, Name: "d", Seen: 12, Group: 12, LookAlikes: []results.Seen{}, Word: results.Likely},
		{Index: 2, Name: "c", Rank: 2, Seen: 8, Group: 8, LookAlikes: []results.Seen{}, Word: results.Lead},
	}
	if !reflect.DeepEqual(genes, want) {
		t.Errorf("%+v", genes)
	}
}

// Keys that name columns of the rows refer to the data as read. Half-samples
// have no such columns, and are fitted all the same.
func TestStability_ColumnsOfRows(t *testing.T) {
	settings, data := tiny(t), stabilityPlanted(t, nil)
	settings.Epochs, settings.Groups = 2, "donor"
	donors := make([]string, data.N)
	for i := range donors {
		donors[i] = fmt.Sprint(i / 2)
	}
	data = must(data.WithGroups(donors))
	if r := run(t, data, settings, StabilityOptions{Pairs: 1}); r.Done != 2 || r.Failed != 0 {
		t.Errorf("%d done, %d failed", r.Done, r.Failed)
	}
}

// Half-samples get what is known of the columns under their own names. A decoy
// shares never and cost with its column, and nothing else.
func TestHalves_KnowColumns(t *testing.T) {
	const n, d = 24, 6
	r := num.RNG(1, "told")
	x := make([]float32, n*d)
	var labels []string
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for i := range n {
		labels = append(labels, []string{"a", "b"}[i%2])
	}
	data := must(dataset.New("told", x, []string{"f", "e", "d", "c", "b", "a"}, labels)) // places are by name
	s := must(config.Config{K: 3, Must: []string{"c", "a"}, Never: []string{"f"}, Cost: "b:2.5", FeatureGroups: "a:x,b:x,e:y",
		Backend: "go"}.Resolve())
	sample := must(newSampler(data, s, 1, true))
	half, told, err := sample.halfSample(s, 0)
	if err != nil {
		t.Fatal(err)
	}
	k := must(dataset.ReadConstraints(told, half))
	// Places a b c d e f are 0 to 5, their decoys 6 to 11.
	if !slices.Equal(k.Must, []int{2, 0}) || len(k.Never) != 2 || !k.Never[5] || !k.Never[11] || fmt.Sprint(k.Cost) != "map[1:2.5 7:2.5]" ||
		fmt.Sprint(k.Group) != "map[0:1 1:1 4:2]" {
		t.Errorf("%+v", k)
	}
}

// The fits to the halves know of their rows what the whole fit knows: the value
// of each nuisance, and each weight.
func TestHalves_KnowRows(t *testing.T) {
	sites, weights := make([]string, plantedRows), make([]float64, plantedRows)
	for i := range sites {
		sites[i], weights[i] = []string{"north", "south"}[i/2%2], float64(1+i%3)
	}
	for _, c := range stabilityKinds(t) {
		t.Run(c.name, func(t *testing.T) {
			data, err := c.data(false).WithNuisance(sites)
			if err == nil {
				data, err = data.WithWeights(weights)
			}
			if err != nil {
				t.Fatal(err)
			}
			s := must(newSampler(data, c.settings, 1, true))
			rows, _ := s.byClass()
			for h := range s.halves {
				half, settings, err := s.halfSample(c.settings, h)
				if err != nil {
					t.Fatal(err)
				}
				p := must(dataset.PrepareContext(context.Background(), half, settings))
				if p.Within == nil || !slices.Equal(slices.Sorted(slices.Values(p.Within.Sites)), []string{"north", "south"}) {
					t.Errorf("half %d: its features lie %+v", h, p.Within)
				}
				if len(p.TrainWeights) != len(s.halves[h]) {
					t.Fatalf("half %d: %d weights of %d rows", h, len(p.TrainWeights), len(s.halves[h]))
				}
				for i, place := range p.Parts.Train {
					row := rows[place]
					if got := p.Nuisance.Names[p.Nuisance.Of[place]]; got != sites[row] {
						t.Errorf("half %d: row %d is of site %s, not %s", h, row, got, sites[row])
					}
					if ratio, want := p.TrainWeights[i]/p.TrainWeights[0], weights[row]/weights[rows[p.Parts.Train[0]]]; ratio-want > 1e-12 || want-ratio > 1e-12 {
						t.Errorf("half %d: row %d weighs %g times as much as the first, not %g", h, row, ratio, want)
					}
				}
			}
		})
	}
}

// If sites are a nuisance, a decoy has its column's values in every site;
// otherwise centring by site would leave it a shift that its column doesn't
// have. Without sites, its rows are permuted over all.
func TestDecoys_StayInTheirSite(t *testing.T) {
	sites := make([]string, plantedRows)
	for i := range sites {
		sites[i] = []string{"north", "south", "west"}[i%3]
	}
	plain := stabilityPlanted(t, nil)
	sited := must(plain.WithNuisance(sites))
	for _, data := range []*dataset.Dataset{plain, sited} {
		s := must(newSampler(data, tiny(t), 1, true))
		rows, _ := s.byClass()
		var columns [][]float32 // of the decoys
		for place := range s.realColumns() {
			own, decoy := map[string][]float32{}, map[string][]float32{}
			columns = append(columns, nil)
			for i, row := range rows {
				site := "all"
				if data.Nuisance != nil {
					site = sites[row]
				}
				own[site] = append(own[site], s.table.At(i, place))
				decoy[site] = append(decoy[site], s.table.At(i, place+s.realColumns()))
				rank := 0 // of the decoy's value among those of its column: equal ranks are equal permutations
				for other := range rows {
					if s.table.At(other, place) < s.table.At(i, place+s.realColumns()) {
						rank++
					}
				}
				columns[place] = append(columns[place], float32(rank))
			}
			if slices.ContainsFunc(columns[:place], func(c []float32) bool { return slices.Equal(c, columns[place]) }) {
				t.Errorf("the decoy of column %d is permuted as another one", place)
			}
			for site := range own {
				if slices.Equal(own[site], decoy[site]) {
					t.Errorf("column %d in %s: nothing is permuted", place, site)
				}
				slices.Sort(own[site])
				if slices.Sort(decoy[site]); !slices.Equal(own[site], decoy[site]) {
					t.Fatalf("column %d in %s: the decoy has other values", place, site)
				}
			}
		}
	}
}

// stabilityMeasured has a quantity that the column strong says nearly alone,
// and its look-alike as well; the others are noise. Quantities of rows may be
// changed.
func stabilityMeasured(t testing.TB, change func(y []float64)) *dataset.Dataset {
	t.Helper()
	classes := stabilityPlanted(t, nil)
	r := rand.New(rand.NewPCG(5, 6))
	x, y := slices.Clone(classes.X), make([]float64, plantedRows)
	for i := range plantedRows {
		row := x[i*plantedColumns : (i+1)*plantedColumns]
		row[5] = float32(3 * r.NormFloat64())
		row[9] = row[5] + float32(0.5*r.NormFloat64())
		y[i] = 40 + 4*float64(row[5]) + r.NormFloat64()
	}
	if change != nil {
		change(y)
	}
	data := must(dataset.NewRegression("measured", x, classes.Features, y))
	return data
}

// A decoy changes places as its kind of rows can: a donor gets the values of
// one donor of its site, and the rows of a pair get each other's. So a decoy
// varies from donor to donor and from pair to pair as its column does.
func TestSampler_Exchange_WholeUnits(t *testing.T) {
	var text strings.Builder
	text.WriteString("label,donor,site,a,b,c,d")
	for i := range 48 {
		donor := i / 4
		fmt.Fprintf(&text, "\n%s,D%d,S%d", []string{"sick", "well"}[i%2], donor, donor%2)
		for c := range 4 {
			fmt.Fprintf(&text, ",%d", 100*donor+10*c+i*i%7)
		}
	}
	file := filepath.Join(t.TempDir(), "cells.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		change   func(*config.Config)
		sameSite bool // a row's values come from its site
		sameUnit bool // from its own donor or pair
	}{
		{"groups", func(c *config.Config) { c.Groups, c.Ignore = "donor", []string{"site"} }, false, false},
		{"groups and sites", func(c *config.Config) { c.Groups, c.Nuisance = "donor", "site" }, true, false},
		{"pairs", func(c *config.Config) { c.Pairs, c.Ignore = "donor", []string{"site"} }, true, true},
	} {
		config := config.Config{Data: file, Label: "label", K: 1, TestFraction: new(0.)}
		c.change(&config)
		settings := must(config.Resolve())
		data := must(dataset.Open(t.Context(), settings, ""))
		s := must(newSampler(data, settings, 1, true))
		moved, sources := 0, map[string]bool{}
		for place := range s.realColumns() {
			giver, used := map[int]int{}, map[int]bool{}
			list := s.exchange(s.rowsOf, num.RNG(1, "decoys", uint64(place)))
			for to, from := range list {
				own, other := data.Groups.Of[s.rowsOf[to]], data.Groups.Of[s.rowsOf[from]]
				if before, met := giver[own]; met && before != other {
					t.Fatalf("%s: donor %d got the values of %d and %d", c.name, own, before, other)
				}
				giver[own] = other
				if used[from] {
					t.Fatalf("%s: a row was used twice", c.name)
				}
				used[from] = true
				if c.sameUnit && own != other {
					t.Fatalf("%s: a row of pair %d got a value of %d", c.name, own, other)
				}
				if c.sameSite && data.Nuisance != nil && data.Nuisance.Of[s.rowsOf[to]] != data.Nuisance.Of[s.rowsOf[from]] {
					t.Fatalf("%s: a row got a value of another site", c.name)
				}
				if to != from {
					moved++
				}
				if !c.sameUnit && own != other {
					sources["another donor"] = true
				}
			}
		}
		if moved == 0 || !c.sameUnit && !sources["another donor"] {
			t.Errorf("%s: nothing changed places", c.name)
		}
		want := results.Units{Name: map[bool]string{true: "pair", false: "donor"}[c.sameUnit], N: 12, Half: 6}
		if u := s.units(); u == nil || *u != want {
			t.Errorf("%s: %+v, want %+v", c.name, u, want)
		}
	}
}

// A group that is larger or smaller than the one it gets its values from takes
// some of them, or some of them twice, and never those of a third.
func TestSampler_Exchange_UnequalGroups(t *testing.T) {
	names := make([]string, plantedRows)
	for i := range names {
		names[i] = fmt.Sprint(i * i / 300)
	}
	data := must(stabilityPlanted(t, nil).WithGroups(names))
	settings := tiny(t)
	s := must(newSampler(data, settings, 1, true))
	giver := map[string]string{}
	for to, from := range s.exchange(s.rowsOf, num.RNG(3, "decoys", 0)) {
		own, other := names[s.rowsOf[to]], names[s.rowsOf[from]]
		if before := giver[own]; before != "" && before != other {
			t.Errorf("group %s got the values of %s and %s", own, before, other)
		}
		giver[own] = other
	}
}

// No word is above a lead if the decoys came as often or raise the alarm, or if
// rows belong together and there are no decoys. With three groups in a half-
// sample there is no word.
func TestLimitWords_Decoys(t *testing.T) {
	gene := results.Gene{Group: 30, Word: results.Certain}
	few := results.Units{Name: "donor", N: 6, Half: 3}
	enough := results.Units{Name: "donor", N: 24, Half: 12}
	for name, c := range map[string]struct {
		units  *results.Units
		decoys *results.Decoys
		want   results.Word
	}{
		"plain":                  {nil, &results.Decoys{Top: 10}, results.Certain},
		"plain, without decoys":  {nil, nil, results.Certain},
		"alarm":                  {nil, &results.Decoys{Top: 10, Alarm: true}, results.Lead},
		"a decoy came as often":  {nil, &results.Decoys{Top: 30}, results.Lead},
		"donors":                 {&enough, &results.Decoys{Top: 29}, results.Certain},
		"donors, without decoys": {&enough, nil, results.Lead},
		"few donors":             {&few, &results.Decoys{Top: 2}, ""},
	} {
		r := &results.Stability{Half: 40, Classes: []string{"a", "b"}, Units: c.units, Decoys: c.decoys, Genes: []results.Gene{gene}}
		limitWords(r)
		if r.Genes[0].Word != c.want {
			t.Errorf("%s: %q, want %q", name, r.Genes[0].Word, c.want)
		}
	}
}
