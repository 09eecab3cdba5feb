package study_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/num"
)

// The experiment that the words were measured by: real measurements, classes
// that are made from ten of their columns, and a look at what a count meant. It
// takes hours, so it runs when it is asked for:
//
//	FSNET_SHARED=… go test ./fsnet/study -run PlantedSets -v -timeout 12h -planted 10 -kinds weak,strong,unrelated
var (
	stabilityPlanted = flag.Int("planted", 0, "make the experiment of docs/trust.md with so many repetitions a data set and kind")
	kinds            = flag.String("kinds", "weak,strong,unrelated,permuted", "how the classes come from the causal columns")
	sets             = flag.String("sets", "ALLAML,Prostate_GE,chowdary", "data sets, files of the shared directory")
	first            = flag.Int("first", 0, "number of the first repetition: others have other classes, halves and trainings")
	keys             = flag.String("keys", "", "keys of the trainings, as in k=10,epochs=30")
)

const (
	causal    = 10
	strong    = "strong"    // half the noise
	unrelated = "unrelated" // half of the columns have their rows permuted, together
	permuted  = "permuted"  // the classes have nothing to do with any column
)

// What counts and words meant is printed: how many features had each, and how
// many of these were causal, or said the same as a causal one (|r| of .8 or
// more).
func TestPlantedSets_PrintsWords(t *testing.T) {
	if *stabilityPlanted == 0 {
		t.Skip("SKIPPED: an experiment of hours; -planted 1 makes a small one")
	}
	on, err := device.Open(t.Context(), "auto")
	must(err)
	defer on.Close()
	for kind := range strings.SplitSeq(*kinds, ",") {
		counted := map[string]*tally{}
		alarms, runs, share := 0, 0, 0.0
		for name := range strings.SplitSeq(*sets, ",") {
			x := measurements(t, name)
			for rep := *first; rep < *first+*stabilityPlanted; rep++ {
				p := plant(x, name, kind, rep)
				var c config.Config
				for pair := range strings.FieldsFuncSeq(*keys, func(r rune) bool { return r == ',' }) {
					key, value, _ := strings.Cut(pair, "=")
					if err := c.Set(key, value); err != nil {
						t.Fatal(err)
					}
				}
				c.Seed, c.TestFraction = int64(rep), new(1e-9) // one row; all others are training rows
				settings, err := c.Resolve()
				must(err)
				r, err := study.Stable(t.Context(), on, p.data, settings, study.StabilityOptions{Decoys: true})
				must(err)
				p.count(r, counted)
				runs, share = runs+1, share+r.Decoys.Share
				if r.Decoys.Alarm {
					alarms++
				}
				t.Logf("%s %s %d: %.0f s, decoys %+v, most frequent %+v", kind, name, rep, r.Seconds, *r.Decoys, r.Seen[:3])
			}
		}
		t.Logf("%s: %d runs, alarm in %d, decoys took %.3f of the picks\n| | features | causal | 95 %% | or look-alike | 95 %% |\n|---|---|---|---|---|---|", kind, runs, alarms, share/float64(runs))
		for _, what := range slices.Sorted(maps.Keys(counted)) {
			c := counted[what]
			low, high := wilson(c.causal, c.n)
			lowAlike, highAlike := wilson(c.alike, c.n)
			t.Logf("| %s | %d | %.2f | %.2f to %.2f | %.2f | %.2f to %.2f |", what, c.n, portion(c.causal, c.n), low, high, portion(c.alike, c.n),
				lowAlike, highAlike)
		}
	}
}

// tally is features of one kind.
type tally struct{ n, causal, alike int }

func portion(k, n int) float64 { return float64(k) / float64(max(n, 1)) }

// wilson is the interval of 95 % of a share.
func wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.96
	m, p := float64(n), portion(k, n)
	centre, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return (centre - half) / (1 + z*z/m), (centre + half) / (1 + z*z/m)
}

// planting is a data set whose classes come from ten of its columns.
type planting struct {
	data  *dataset.Dataset
	alike []float64 // of each column: the largest |r| with a causal one, 1 of a causal one itself
	true  []bool    // causal
}

func (p planting) count(r *results.Stability, into map[string]*tally) {
	add := func(what string, index int) {
		c := into[what]
		if c == nil {
			c = new(tally)
			into[what] = c
		}
		c.n++
		if p.true[index] {
			c.causal++
		}
		if p.alike[index] >= study.Alike {
			c.alike++
		}
	}
	for _, s := range r.Seen {
		f := float64(s.Seen) / float64(r.Done)
		bins := []float64{0.75, 0.5, 0.25, 0.1, 0}
		at := slices.IndexFunc(bins, func(from float64) bool { return f >= from })
		add([]string{"1 seen in .75 or more", "2 seen in .5 to .75", "3 seen in .25 to .5", "4 seen in .1 to .25", "5 seen in less"}[at], s.Index)
	}
	for _, g := range r.Genes {
		word := string(g.Word)
		if g.AnyOfGroup {
			word += ", any of its group"
		}
		add("word: "+word, g.Index)
	}
}

// stabilityMeasured is a table, standardised by column, n×d.
type stabilityMeasured struct {
	rows   [][]float64
	spread []float64 // of each column as measured
}

// measurements reads a data set of the shared directory and standardises its
// columns; those of chowdary are intensities and become logarithms.
func measurements(t *testing.T, name string) stabilityMeasured {
	t.Helper()
	path := filepath.Join(cmp.Or(os.Getenv("FSNET_SHARED"), filepath.Join("..", "..", "..", "shared")), "data", name+".mat")
	settings, err := config.Config{Data: path}.Resolve()
	must(err)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("SKIPPED: there is no %s; set FSNET_SHARED to the directory that holds data/%s.mat", path, name)
	}
	d, err := dataset.Open(t.Context(), settings, "")
	must(err)
	m := stabilityMeasured{rows: make([][]float64, d.N)}
	for i := range d.N {
		for j := range d.D {
			x := float64(d.At(i, j))
			if name == "chowdary" {
				x = math.Log2(max(x, 16))
			}
			m.rows[i] = append(m.rows[i], x)
		}
	}
	spread := standardise(m.rows)
	for i, row := range m.rows { // columns that do not vary go
		var kept []float64
		for j, x := range row {
			if spread[j] > 1e-9 {
				kept = append(kept, x)
			}
		}
		m.rows[i] = kept
	}
	m.spread = slices.DeleteFunc(spread, func(s float64) bool { return s <= 1e-9 })
	return m
}

// standardise centres and scales columns in place and returns their standard
// deviations.
func standardise(rows [][]float64) (spread []float64) {
	n := float64(len(rows))
	spread = make([]float64, len(rows[0]))
	for j := range spread {
		mean, squares := 0.0, 0.0
		for _, row := range rows {
			mean += row[j] / n
		}
		for _, row := range rows {
			squares += (row[j] - mean) * (row[j] - mean) / n
		}
		spread[j] = math.Sqrt(squares)
		scale := spread[j]
		if scale <= 1e-9 {
			scale = 1
		}
		for _, row := range rows {
			row[j] = (row[j] - mean) / scale
		}
	}
	return spread
}

// plant draws ten causal columns of middling spread with effects ± decay^k,
// adds logistic noise and divides the rows at the median. strong has less noise
// and effects that fall faster, and every row centred, which takes the effect
// of the array out.
func plant(m stabilityMeasured, name, kind string, rep int) planting {
	r := num.RNG(int64(rep), "planted "+name+" "+kind)
	z := make([][]float64, len(m.rows))
	for i, row := range m.rows {
		z[i] = slices.Clone(row)
	}
	n, d := len(z), len(m.spread)
	decay, strength := 0.8, 3.0
	if kind == strong {
		decay, strength = 0.7, 6
		for _, row := range z {
			mean := 0.0
			for _, x := range row {
				mean += x / float64(d)
			}
			for j := range row {
				row[j] -= mean
			}
		}
		standardise(z)
	}
	live := slices.Repeat([]bool{true}, d)
	if kind == unrelated {
		order := r.Perm(n)
		for _, j := range r.Perm(d)[:d/2] {
			live[j] = false
			column := make([]float64, n)
			for i := range n {
				column[i] = z[order[i]][j]
			}
			for i := range n {
				z[i][j] = column[i]
			}
		}
	}
	sorted := slices.Sorted(slices.Values(m.spread))
	low, high := sorted[d/2], sorted[d*95/100]
	var good []int
	for j, s := range m.spread {
		if s > low && s < high && live[j] {
			good = append(good, j)
		}
	}
	p := planting{alike: make([]float64, d), true: make([]bool, d)}
	eta := make([]float64, n)
	for k, at := range r.Perm(len(good))[:causal] {
		c, effect := good[at], math.Pow(decay, float64(k))
		if r.IntN(2) == 0 {
			effect = -effect
		}
		p.true[c] = true
		for i := range n {
			eta[i] += effect * z[i][c]
		}
		for j := range d {
			sum := 0.0
			for i := range n {
				sum += z[i][c] * z[i][j] / float64(n)
			}
			p.alike[j] = max(p.alike[j], math.Abs(sum))
		}
	}
	column := make([][]float64, n)
	for i := range eta {
		column[i] = []float64{eta[i]}
	}
	standardise(column)
	for i := range eta {
		eta[i] = strength*column[i][0] + logistic(r)
	}
	middle := slices.Sorted(slices.Values(eta))[(n-1)/2]
	labels, x := make([]string, n), make([]float32, 0, n*d)
	for i := range n {
		labels[i] = "low"
		if eta[i] > middle {
			labels[i] = "high"
		}
		for _, v := range z[i] {
			x = append(x, float32(v))
		}
	}
	if kind == permuted {
		r.Shuffle(n, func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
		clear(p.true)
		clear(p.alike)
	}
	var err error
	if p.data, err = dataset.New(fmt.Sprintf("%s-%s-%d", name, kind, rep), x, nil, labels); err != nil {
		panic(err)
	}
	return p
}

func logistic(r *rand.Rand) float64 {
	u := r.Float64()
	return math.Log((u + 1e-12) / (1 - u))
}
