package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/results"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// The kinds of causes of the classes. z_k are the causal columns, with mean
// 0 and standard deviation 1, cut at ±3.
const (
	Linear    = "linear"    // η = Σ_k ±0.8^k z_k
	Threshold = "threshold" // η = Σ_k ±[z_k > its median]
	// η = Σ over pairs of the product of signs of z about their medians. No
	// single column is informative.
	XOR             = "xor"
	RepeatedColumns = "groups" // Like linear, but each causal column has at least two look-alikes.
)

// Kinds lists the kinds.
func Kinds() []string { return []string{Linear, Threshold, XOR, RepeatedColumns} }

// PlantOptions are the options of Plant.
type PlantOptions struct {
	Kind     string  // one of Kinds
	Causal   int     // Number of columns, at least 1, and even for xor. 0 means 5, or 2 for xor.
	Strength float64 // Standard deviations of η per scale of the logistic noise. 0 means 5.
	Seed     int64
	Repeat   int // Number of the repeat. Each has other columns and noise.
}

const (
	defaultCausal   = 5
	defaultStrength = 5
	effectDecay     = 0.8
	cutDeviations   = 3 // standard deviations
	leastAlike      = 2 // look-alikes of a causal column of kind groups
)

// Truth holds the features that determine the classes of a planted data set.
type Truth struct {
	Causal []int   // columns, by decreasing effect
	alike  [][]int // look-alikes of each causal column
	kind   string
}

// Alike returns the look-alikes of causal column k, without column k.
func (t Truth) Alike(k int) []int { return t.alike[k] }

// Plant returns a data set with the measurements of d and classes low and
// high, n rows each, split at the median of strength·η + noise. η is scaled
// to standard deviation 1. Plant draws causal columns among those with a
// standard deviation between the median and the top twentieth of all,
// because measurements below are noise. If fewer than a hundred columns
// vary, it draws among all that do. The draws are a function of the options
// and the name of d. The error is of kind Request for invalid options, and
// if d is sparse, has missing values, or has too few suitable columns.
func Plant(d *dataset.Dataset, o PlantOptions) (*dataset.Dataset, Truth, error) {
	if err := o.check(d); err != nil {
		return nil, Truth{}, err
	}
	z, spreads := standardColumns(d)
	random := num.RNG(o.Seed, "planted "+d.Name+" "+o.Kind, uint64(o.Repeat))

	t := Truth{kind: o.Kind}
	candidates := middleSpreads(spreads)
	for _, at := range random.Perm(len(candidates)) {
		if len(t.Causal) == o.Causal {
			break
		}
		j := candidates[at]
		if slices.ContainsFunc(t.alike, func(of []int) bool { return slices.Contains(of, j) }) {
			continue // A look-alike of a drawn column is not a separate cause.
		}
		if (o.Kind == Threshold || o.Kind == XOR) && !slices.Contains(medianSigns(z[j]), 1) {
			continue // Its median is its largest value.
		}
		alike := correlatedColumns(z, j)
		if o.Kind == RepeatedColumns && len(alike) < leastAlike {
			continue
		}
		t.Causal, t.alike = append(t.Causal, j), append(t.alike, alike)
	}

	if len(t.Causal) < o.Causal {
		others := slices.DeleteFunc(Kinds(), func(kind string) bool { return kind == o.Kind })
		remedy := "name the other kinds alone: --kinds " + strings.Join(others, ",")
		if len(t.Causal) > 0 {
			remedy = fmt.Sprintf("use --causal %d", len(t.Causal))
		}
		return nil, t, errs.New(errs.Request, remedy,
			"%s: %s of %d can be causal (%s), not %d", d.Name, phrase.Count(len(t.Causal), "column"), d.D, o.Kind, o.Causal)
	}

	eta := o.effects(z, t.Causal, random)
	mean, spread := baseline.MeanAndStd(eta)
	for i := range eta {
		u := random.Float64()
		eta[i] = o.Strength*(eta[i]-mean)/spread + math.Log((u+1e-12)/(1-u))
	}

	middle := slices.Sorted(slices.Values(eta))[(d.N-1)/2]
	labels := make([]string, d.N)
	for i, v := range eta {
		if labels[i] = "low"; v > middle {
			labels[i] = "high"
		}
	}
	out, err := dataset.New(fmt.Sprintf("%s-%s-%d", d.Name, o.Kind, o.Repeat), d.X, d.Features, labels)
	return out, t, err
}

// check fills in the defaults of fields that are 0. Its error is of kind
// Request. It rejects invalid options, and data that are sparse, have fewer
// than 8 rows, or miss a value.
func (o *PlantOptions) check(d *dataset.Dataset) error {
	if !slices.Contains(Kinds(), o.Kind) {
		return errs.New(errs.Request, phrase.DidYouMean(o.Kind, Kinds()), "kind = %.40q is not known", o.Kind)
	}

	if o.Causal == 0 {
		if o.Causal = defaultCausal; o.Kind == XOR {
			o.Causal = 2
		}
	}
	if o.Strength == 0 {
		o.Strength = defaultStrength
	}
	switch {
	case o.Causal < 1 || o.Kind == XOR && o.Causal%2 == 1:
		return errs.New(errs.Request, "choose 1 or more; of xor an even number", "causal = %d", o.Causal)
	case !(o.Strength > 0) || math.IsInf(o.Strength, 1):
		return errs.New(errs.Request, "choose a number above 0", "strength = %v", o.Strength)
	case d.X == nil:
		return errs.New(errs.Request, "use a data set that is not stored sparse", "%s: classes can be planted only on dense measurements",
			d.Name)
	case d.N < 8:
		return errs.New(errs.Request, "use 8 rows or more", "%s has %s", d.Name, phrase.Count(d.N, "row"))
	}
	for at, x := range d.X {
		if x != x {
			return errs.New(errs.Request, "fill it in first, as with missing=mean", "%s: row %d, column %s is missing", d.Name, at/d.D+1,
				d.Features[at%d.D])
		}
	}
	return nil
}

// effects returns η of every row. The causal columns come by decreasing
// effect. For xor, each two in turn are a pair. random draws the signs.
func (o PlantOptions) effects(z [][]float64, causal []int, random *rand.Rand) []float64 {
	eta := make([]float64, len(z[0]))
	about := make([][]float64, len(causal)) // Signs about the medians.
	for k, j := range causal {
		about[k] = medianSigns(z[j])
	}

	for k, j := range causal {
		effect := 1.0
		if random.IntN(2) == 0 {
			effect = -1
		}
		for i := range eta {
			switch {
			case o.Kind == XOR && k%2 == 1:
				eta[i] += effect * about[k-1][i] * about[k][i]
			case o.Kind == XOR:
			case o.Kind == Threshold:
				eta[i] += effect * about[k][i]
			default:
				eta[i] += effect * math.Pow(effectDecay, float64(k)) * z[j][i]
			}
		}
	}
	return eta
}

// medianSigns returns 1 for values above their median and −1 for the others. If
// the number of values is even, the median is the lower of the middle two.
func medianSigns(values []float64) []float64 {
	middle := slices.Sorted(slices.Values(values))[(len(values)-1)/2]
	list := make([]float64, len(values))
	for i, v := range values {
		if list[i] = -1; v > middle {
			list[i] = 1
		}
	}
	return list
}

// standardColumns returns the columns, standardised and cut, and their
// standard deviations as measured. z is nil for a constant column.
func standardColumns(d *dataset.Dataset) (z [][]float64, spreads []float64) {
	z, spreads = make([][]float64, d.D), make([]float64, d.D)
	for j := range z {
		column := make([]float64, d.N)
		for i := range column {
			column[i] = float64(d.At(i, j))
		}
		if baseline.Constant(column) {
			continue
		}
		mean, spread := baseline.MeanAndStd(column)
		for i, x := range column {
			column[i] = min(max((x-mean)/spread, -cutDeviations), cutDeviations)
		}
		z[j], spreads[j] = column, spread
	}
	return z, spreads
}

// middleSpreads returns the columns with a standard deviation above the
// median and below the top twentieth of the varying ones. If fewer than a
// hundred vary, it returns all that do.
func middleSpreads(spreads []float64) (list []int) {
	var varying []float64
	for _, s := range spreads {
		if s > 0 {
			varying = append(varying, s)
		}
	}
	slices.Sort(varying)

	low, high := 0.0, math.Inf(1)
	if len(varying) >= 100 {
		low, high = varying[len(varying)/2], varying[len(varying)*95/100]
	}

	for j, s := range spreads {
		if s > low && s < high {
			list = append(list, j)
		}
	}
	return list
}

// correlatedColumns returns the other columns whose |r| with column of is at
// least Alike. z is nil for constant columns, and these are left out.
func correlatedColumns(z [][]float64, of int) (list []int) {
	for j, column := range z {
		if j != of && column != nil && math.Abs(stat.Correlation(z[of], column, nil)) >= Alike {
			list = append(list, j)
		}
	}
	return list
}

// Judge returns power, FDR and AUPRC of a list of columns, best first: once
// for the causal columns only, and once with look-alikes counted.
func (t Truth) Judge(list []int) results.Figures {
	var f results.Figures
	f.Power, f.FDR, f.AUPRC = t.figures(list, func(k, j int) bool { return t.Causal[k] == j })
	f.PowerAlike, f.FDRAlike, f.AUPRCAlike = t.figures(list, func(k, j int) bool { return t.Causal[k] == j || slices.Contains(t.alike[k], j) })
	return f
}

// figures returns power, FDR and AUPRC of a list. stands reports whether
// column j counts as causal column k. The precision at a rank is the number
// of causal columns found up to it, divided by that number plus the number
// of wrong ones.
func (t Truth) figures(list []int, stands func(k, j int) bool) (power, fdr, auprc float64) {
	found := make([]bool, len(t.Causal))
	hits, wrong := 0.0, 0.0
	for _, j := range list {
		is := false
		for k := range t.Causal {
			if !stands(k, j) {
				continue
			}
			is = true
			if !found[k] {
				found[k] = true
				hits++
				auprc += hits / (hits + wrong) / float64(len(t.Causal))
			}
		}
		if !is {
			wrong++
		}
	}

	if len(list) > 0 {
		fdr = wrong / float64(len(list))
	}
	return hits / float64(len(t.Causal)), fdr, auprc
}

// PlantedStudy compares methods on planted data sets.
type PlantedStudy struct {
	Plan    *Plan // one split of each planted data set
	Kinds   []string
	Repeats int
	truths  map[string]Truth // by data set
	columns map[string]int   // by feature name
}

// NewPlanted plants every kind on a data set, repeats times each. The other
// fields of o hold for all. Methods fit the training rows of the split that
// options ask for. Its errors are those of Plant and New. It rejects keys
// that name columns of the rows, because planted data do not have them.
func NewPlanted(d *dataset.Dataset, kinds []string, repeats int, o PlantOptions, options config.Config, methods []Method,
	ks []int) (*PlantedStudy, error) {
	if len(kinds) == 0 || repeats < 1 {
		return nil, errs.New(errs.Request, "give at least one kind and one repeat", "%s, %s", phrase.Count(len(kinds), "kind"), phrase.Count(repeats, "repeat"))
	}
	settings, err := options.Resolve()
	if err != nil {
		return nil, err
	}
	if columns := settings.RowColumns(); len(columns) > 0 {
		return nil, errs.New(errs.Request, "leave "+columns[0].Key+" out: each row is planted by itself",
			"%s = %s, but planted data have no such column", columns[0].Key, columns[0].Column)
	}
	s := &PlantedStudy{Kinds: kinds, Repeats: repeats, truths: map[string]Truth{}, columns: map[string]int{}}
	for j, name := range d.Features {
		s.columns[name] = j
	}

	var sets []*dataset.Dataset
	for i, kind := range kinds {
		if slices.Contains(kinds[:i], kind) {
			return nil, errs.New(errs.Request, "name it once", "kind = %s is named twice", kind)
		}
		for r := range repeats {
			o.Kind, o.Repeat = kind, r
			set, truth, err := Plant(d, o)
			if err != nil {
				return nil, err
			}
			sets, s.truths[set.Name] = append(sets, set), truth
		}
	}
	s.Plan, err = New(sets, options, methods, ks, 1)
	return s, err
}

// Summarize returns a table for each kind and K, with an entry for each method
// that selects: means over its rows without an error. If there are no rows
// without an error, the figures and Repeats are 0.
func (s *PlantedStudy) Summarize(rows []Row) []results.PlantedTable {
	var tables []results.PlantedTable
	for _, kind := range s.Kinds {
		for _, k := range s.Plan.K {
			t := results.PlantedTable{Kind: kind, K: k}
			for _, m := range s.Plan.Methods {
				if !m.Selects {
					continue
				}
				e := results.PlantedEntry{Method: m.Name}
				var all []results.Figures
				for _, row := range rows {
					if s.truths[row.Dataset].kind != kind || row.K != k || row.Method != m.Name || row.Error != "" {
						continue
					}
					var list []int
					for _, name := range row.Selected {
						list = append(list, s.columns[name])
					}
					all = append(all, s.truths[row.Dataset].Judge(list))
					e.Score += *row.Score
					e.Seconds += row.Seconds
				}
				if e.Repeats = len(all); e.Repeats > 0 {
					e.Score /= float64(e.Repeats)
					e.Seconds /= float64(e.Repeats)
				}
				e.Mean, e.SD = figuresSpread(all)
				t.Entries = append(t.Entries, e)
			}
			tables = append(tables, t)
		}
	}
	return tables
}

// figuresSpread returns the mean and standard deviation of each figure. For
// an empty list it returns zeros.
func figuresSpread(all []results.Figures) (mean, sd results.Figures) {
	for _, field := range []func(*results.Figures) *float64{
		func(f *results.Figures) *float64 { return &f.Power }, func(f *results.Figures) *float64 { return &f.FDR },
		func(f *results.Figures) *float64 { return &f.AUPRC }, func(f *results.Figures) *float64 { return &f.PowerAlike },
		func(f *results.Figures) *float64 { return &f.FDRAlike }, func(f *results.Figures) *float64 { return &f.AUPRCAlike },
	} {
		values := make([]float64, len(all))
		for i := range all {
			values[i] = *field(&all[i])
		}
		if s := metric.SpreadOf(values, math.NaN()); s != nil {
			*field(&mean), *field(&sd) = s.Mean, s.SD
		}
	}
	return mean, sd
}
