package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/results"
	"fsnetlab/internal/phrase"
)

// Own is the default judge: the network trained with the selection. Its
// accuracy, or R², on held-out rows decides. The others, SVM and
// KernelRidge, use only the selected features.
const Own = "own"

// tuneJudges lists the judges for classes or for a quantity, the default
// first.
func tuneJudges(quantity bool) []string {
	if quantity {
		return []string{Own, KernelRidge}
	}
	return []string{Own, SVM}
}

// TuneOptions says what to try and how to judge it. A zero field means its
// default.
type TuneOptions struct {
	Grid results.Grid // keys and their values
	// Path replaces the grid by numbers of features. Each fold has one
	// training with the largest number, and each number uses the first of
	// its features, in the order of forward selection among them.
	Path []int
	// Seeds makes the tuning a sweep, that is the curve of one key. Every value
	// is trained with this many seeds, starting with the seed of the
	// configuration. Each seed has other folds, so a training row is held out
	// once per seed. All trainings of one seed come before those of the next.
	// If you interrupt a sweep, it has all values of the completed seeds.
	Seeds   int
	Folds   int // number of folds of the training rows, 0 for 5
	Repeats int // Number of repeats, each with other folds. 0 means 1, or Seeds for a sweep.
	// Judge is own or svm or, for a quantity, own or kernel-ridge. If it is "",
	// it is own. For a path it is then svm or kernel-ridge, because a path does
	// not have a network for each k.
	Judge string
}

// Tuning is a plan of combinations and folds.
type Tuning struct {
	Training *dataset.Dataset // a data set with only the training rows
	Config   config.Config    // configuration as given, without the keys of the grid
	Settings config.Settings  // Config, resolved
	Options  TuneOptions      // options with defaults filled in
	Rows     *Plan            // A row for each combination and fold. Run it, and pass the rows to Summarize.
}

// MaxSeeds is the largest number of seeds of a sweep.
const MaxSeeds = 1000

// NewTuning plans to try every combination of a grid, or every k of a path, on
// folds of the training rows. Its errors are of kind Request. It rejects a bad
// grid, a key that is both in the grid and in c, K above the number of
// features, and rows that cannot be divided.
//
// The tuning and its rows depend only on the training rows. Folds are divided,
// filled, scaled and trained like a separate data set: each uses only the
// training rows outside the fold. The folds depend on the seed that divides the
// rows ([config.Settings.RowsSeed]). Except in a sweep, every training has the
// seed of the configuration.
func NewTuning(data *dataset.Dataset, c config.Config, o TuneOptions) (*Tuning, error) {
	judges := tuneJudges(data.Target != nil)
	methods, err := o.methods(judges)
	if err != nil {
		return nil, err
	}
	o.Folds, o.Repeats, o.Judge = cmp.Or(o.Folds, 5), cmp.Or(o.Seeds, o.Repeats, 1), cmp.Or(o.Judge, judges[0])
	if err := checkJudge(o.Judge, data.Target != nil); err != nil {
		return nil, err
	}

	for _, axis := range o.Grid {
		if c.Text(axis.Key) != "" {
			return nil, errs.New(errs.Request, "give it once", "%s is in the grid, but also given as %s", axis.Key, c.Text(axis.Key))
		}
	}

	p := &Tuning{Config: c, Options: o}
	if p.Settings, err = c.Resolve(); err != nil {
		return nil, err
	}
	if err := testable(data, p.Settings); err != nil {
		return nil, err
	}
	if p.Training, err = dataset.TrainingRows(data, p.Settings); err != nil {
		return nil, err
	}

	ks := []int{p.Settings.K}
	if i := slices.IndexFunc(o.Grid, func(a results.Axis) bool { return a.Key == "k" }); i >= 0 {
		ks = nil
		for _, text := range o.Grid[i].Values {
			k, err := strconv.Atoi(text)
			if err != nil {
				return nil, err
			}
			if k > data.D {
				return nil, errs.New(errs.Request, fmt.Sprintf("give values of k up to %d", data.D),
					"grid: k = %d is more than the %s of %s", k, phrase.Count(data.D, "feature"), data.Name)
			}
			ks = append(ks, k)
		}
	}
	if err := data.CheckK(slices.Max(ks)); err != nil {
		return nil, err
	}

	folds, err := dataset.Folds(p.Training, o.Folds, o.Repeats, p.Settings.RowsSeed())
	if err != nil {
		return nil, err
	}
	// Split s of the comparison has the seed s after the first. In a sweep,
	// repeat s uses it.
	if p.Rows, err = New(folds, c, methods, ks, max(o.Seeds, 1)); err != nil {
		return nil, err
	}
	if p.Rows.ByMethod = o.Seeds == 0 && !methods[0].nested; o.Seeds > 0 {
		repeat := make(map[string]int, len(folds))
		for i, fold := range folds {
			repeat[fold.Name] = i / o.Folds
		}
		p.Rows.Keep(func(cell Row) bool { return cell.Split == repeat[cell.Dataset] })
	}
	return p, nil
}

// methods returns FsNet with the settings of each combination, or the FsNet
// of a path. For a path it fills in grid and judge.
func (o *TuneOptions) methods(judges []string) (list []Method, err error) {
	if o.Path != nil {
		ks := slices.Compact(slices.Sorted(slices.Values(o.Path)))
		axis := results.Axis{Key: "k"}
		for _, k := range ks {
			axis.Values = append(axis.Values, strconv.Itoa(k))
		}
		switch {
		case len(ks) == 0 || ks[0] < 1:
			return nil, errs.New(errs.Request, "give numbers of features, as in 5,10,20,50", "k = %s", strings.Join(axis.Values, ","))
		case o.Judge == Own:
			return nil, errs.New(errs.Request, "leave it out", "judge = %s: a path has no network for each k", o.Judge)
		}
		o.Grid, o.Judge = results.Grid{axis}, cmp.Or(o.Judge, judges[1])
		return []Method{newFsNetPath(config.Config{})}, nil
	}
	switch {
	case o.Seeds != 0 && len(o.Grid) != 1:
		return nil, errs.New(errs.Request, "sweep one, as in k=5,10,20,50; fsnet tune takes several", "sweep: %d keys", len(o.Grid))
	case o.Seeds < 0 || o.Seeds > MaxSeeds:
		return nil, errs.New(errs.Request, fmt.Sprintf("choose 1 to %d", MaxSeeds), "seeds = %d", o.Seeds)
	}
	if err := checkGrid(o.Grid); err != nil {
		return nil, err
	}

	combinations := []config.Config{{}}
	for _, a := range o.Grid { // The last axis changes first.
		if a.Key == "k" {
			continue
		}
		var longer []config.Config
		for _, c := range combinations {
			for _, value := range a.Values {
				next := c
				if err := next.Set(a.Key, value); err != nil {
					return nil, err
				}
				longer = append(longer, next)
			}
		}
		combinations = longer
	}

	for _, own := range combinations {
		list = append(list, newFsNet(own))
	}
	return list, nil
}

// checkJudge returns an error of kind Request for unknown judges and for
// judges of the other kind of label.
func checkJudge(judge string, quantity bool) error {
	ours := tuneJudges(quantity)
	if slices.Contains(ours, judge) {
		return nil
	}
	if slices.Contains(tuneJudges(!quantity), judge) {
		what := "the label is classes"
		if quantity {
			what = "the label is a quantity"
		}
		return errs.New(errs.Request, "use "+strings.Join(ours, " or "), "judge = %s, but %s", judge, what)
	}
	return errs.New(errs.Request, phrase.DidYouMean(judge, ours), "judge = %q is not known", judge)
}

// maxCombinations is the largest number of combinations of a grid.
const maxCombinations = 1000

// gridKeys lists the keys that a grid may have: K and the keys of the training.
// Rows must be divided, filled and scaled in the same way for all combinations.
// The seed is not among them, because its best value would be the best by
// chance.
func gridKeys() []string { return append([]string{"k"}, Settings()...) }

// ParseGrid parses a grid like "k=5,10,20 lambda=0,1": keys with their
// values, separated by commas. If values contain commas, separate them by
// bars, as in "hidden=64,32|32,16". The error is of kind Request.
func ParseGrid(text string) (results.Grid, error) {
	var g results.Grid
	for _, word := range strings.Fields(text) {
		key, values, has := strings.Cut(word, "=")
		if !has {
			return nil, errs.New(errs.Request, "write key=value,value, as in k=5,10,20 lambda=0,1", "grid: %q has no values", word)
		}
		axis, err := newAxis(key, values)
		if err != nil {
			return nil, err
		}
		g = append(g, axis)
	}
	return g, checkGrid(g)
}

// newAxis parses one key of a grid with its values, as described at
// [ParseGrid]. It checks the values and drops empty and repeated ones. It
// rejects keys that are the same for all combinations.
func newAxis(key, values string) (results.Axis, error) {
	a := results.Axis{Key: strings.ReplaceAll(key, "-", "_")}
	if _, err := config.Lookup(a.Key); err != nil {
		return a, errs.New(errs.Request, phrase.DidYouMean(a.Key, gridKeys()), "grid: unknown key %q", key)
	}
	if !slices.Contains(gridKeys(), a.Key) {
		return a, errs.New(errs.Request, "give it as an option, such as --"+strings.ReplaceAll(a.Key, "_", "-"),
			"grid: %s is the same for all combinations", a.Key)
	}

	for _, value := range separateValues(a.Key, values) {
		var c config.Config
		if err := c.Set(a.Key, value); err != nil {
			return a, errs.At(err, "grid")
		}
		// An empty text would mean the default.
		if text := c.Text(a.Key); text != "" && !slices.Contains(a.Values, text) {
			a.Values = append(a.Values, text)
		}
	}
	if len(a.Values) == 0 {
		return a, errs.New(errs.Request, "write "+a.Key+"=VALUE,VALUE", "grid: %s has no values", a.Key)
	}
	return a, nil
}

// separateValues splits values at bars if there are any, otherwise at
// commas. A list of widths is one value, however, and so are the points of a
// schedule: its parts begin with a digit.
func separateValues(key, values string) []string {
	switch {
	case strings.Contains(values, "|"):
		return strings.Split(values, "|")
	case key == "hidden":
		return []string{values}
	}
	return rejoin(strings.Split(values, ","), func(_, part string) bool {
		return key == "schedule" && part != "" && part[0] >= '0' && part[0] <= '9'
	})
}

// checkGrid rejects a repeated key, fewer than two combinations, and more
// than maxCombinations.
func checkGrid(g results.Grid) error {
	n := 1
	for i, a := range g {
		if slices.ContainsFunc(g[:i], func(b results.Axis) bool { return b.Key == a.Key }) {
			return errs.New(errs.Request, "give all its values at once", "grid: %s is there twice", a.Key)
		}
		if n *= len(a.Values); n > maxCombinations {
			return errs.New(errs.Request, fmt.Sprintf("try %d or fewer at once", maxCombinations), "grid: more than %d combinations",
				maxCombinations)
		}
	}
	if n < 2 {
		return errs.New(errs.Request, "give a key at least two values, as in k=5,10,20", "grid: there is nothing to choose from")
	}
	return nil
}

// Summarize summarises the rows of a plan. If any row is missing, it chooses no
// combination: Best and Chosen are nil.
func (p *Tuning) Summarize(rows []Row) results.Tuned {
	r := results.Tuned{
		Dataset: p.Training.Name, Metric: p.Rows.Metric(), Rows: p.Training.N, D: p.Training.D, Classes: p.Training.Classes,
		Folds: p.Options.Folds, Repeats: p.Options.Repeats, Judge: p.Options.Judge, Seed: p.Settings.Seed, SplitSeed: p.Settings.RowsSeed(),
		Grid: p.Options.Grid, Seeds: p.Options.Seeds, Planned: len(p.Rows.K) * len(p.Rows.Methods) * len(p.Rows.Data), Done: len(rows),
	}

	made := make(map[cellKey]Row, len(rows)) // Each fold has one split.
	for _, row := range rows {
		made[cellKind(row)] = row
	}

	var judged [][][]float64 // For each point, by repeat and fold.
	for _, k := range p.Rows.K {
		for _, m := range p.Rows.Methods {
			point := results.Point{K: k}
			for _, axis := range p.Options.Grid {
				value := strconv.Itoa(k)
				if axis.Key != "k" {
					value = m.Setting(axis.Key)
				}
				point.Settings = append(point.Settings, results.Setting{Key: axis.Key, Value: value})
			}
			own, beside := make([][]float64, p.Options.Repeats), make([][]float64, p.Options.Repeats)
			for i, fold := range p.Rows.Data {
				row, there := made[cellKey{fold.Name, m.Name, k, 0}]
				switch repeat := i / p.Options.Folds; {
				case !there:
				case row.Error != "":
					if point.Failed++; point.Error == "" {
						point.Error = row.Error
					}
				default:
					point.Folds++
					beside[repeat] = append(beside[repeat], *row.Score)
					if row.Own != nil {
						own[repeat] = append(own[repeat], *row.Own)
					}
				}
			}

			values := own
			if p.Options.Judge != Own {
				values = beside
			}
			point.Score, point.Own, point.Beside = p.withRoom(estimate(values)), p.withRoom(estimate(own)), p.withRoom(estimate(beside))
			if p.Options.Seeds > 0 {
				point.BySeed, point.Interval = p.overSeeds(values)
			}
			r.Points, judged = append(r.Points, point), append(judged, values)
		}
	}

	if r.Done == r.Planned {
		p.choose(&r, judged)
	}
	return r
}

// choose sets the best and the chosen point, and the difference of each point
// from the best. If no point was judged on all folds, it does nothing. You must
// call it only when all rows are there.
func (p *Tuning) choose(r *results.Tuned, judged [][][]float64) {
	best, chosen, threshold := oneStandardError(r.Points)
	if best < 0 {
		return
	}
	r.Best, r.Chosen, r.Threshold = &best, &chosen, &threshold
	for i := range r.Points {
		if eligible(r.Points[i]) {
			if r.Points[i].Difference = pairedEstimate(judged[i], judged[best]); i != best {
				r.Points[i].Difference = p.withRoom(r.Points[i].Difference)
			}
		}
	}
}

// eligible reports whether a combination was judged on all folds.
func eligible(p results.Point) bool { return p.Failed == 0 && p.Score != nil }

// estimate returns the mean of values, given by repeat, and its standard error.
// This is averaged over the repeats with at least two values, and is 0 if no
// repeat has two. If there are no values, estimate returns nil.
func estimate(repeats [][]float64) *results.Estimate {
	var e results.Estimate
	all, counted := 0, 0
	squares := 0.0
	for _, values := range repeats {
		n, mean := float64(len(values)), 0.0
		for _, v := range values {
			mean += v / n
			e.Mean += v
			all++
		}
		if len(values) < 2 {
			continue
		}
		counted++
		for _, v := range values {
			squares += (v - mean) * (v - mean) / (n * (n - 1))
		}
	}
	if all == 0 {
		return nil
	}
	e.Mean /= float64(all)
	e.SE = math.Sqrt(squares / float64(max(counted, 1)))
	return &e
}

// withRoom replaces a standard error of 0, which means that all folds have the
// same accuracy. Equal folds do not prove that other rows would have it, too.
// It uses the standard error of a proportion of the training rows, or of their
// groups or pairs, after adding two right and two wrong ones (A. Agresti, B.
// Coull, The American Statistician 52, 1998).
func (p *Tuning) withRoom(e *results.Estimate) *results.Estimate {
	if e == nil || e.SE > 0 || p.Rows.Metric().Quantity() {
		return e
	}

	n := float64(p.Training.N)
	if p.Training.Groups != nil {
		n = float64(len(p.Training.Groups.Names))
	}

	share := (math.Abs(e.Mean)*n + 2) / (n + 4)
	e.SE = math.Sqrt(share * (1 - share) / (n + 4))
	return e
}

// oneStandardError chooses among eligible points, listed in the order of
// preference (L. Breiman et al., Classification and regression trees, 1984).
// best has the highest mean. chosen is the simplest point with a mean of at
// least the threshold: the mean of the best minus its standard error.
// Simplest means the smallest K, then the first in the list. The same rule
// decides between equally good points. Both are −1 if there are no eligible
// points.
func oneStandardError(points []results.Point) (best, chosen int, threshold float64) {
	best, chosen = -1, -1
	const rounding = 1e-12 // rounding of means
	for i, p := range points {
		if !eligible(p) {
			continue
		}
		if best < 0 || p.Score.Mean > points[best].Score.Mean+rounding ||
			math.Abs(p.Score.Mean-points[best].Score.Mean) <= rounding && p.K < points[best].K {
			best = i
		}
	}
	if best < 0 {
		return best, chosen, math.NaN()
	}

	threshold = points[best].Score.Mean - points[best].Score.SE
	for i, p := range points {
		if eligible(p) && p.Score.Mean >= threshold-rounding && (chosen < 0 || p.K < points[chosen].K) {
			chosen = i
		}
	}
	return best, chosen, threshold
}

// pairedEstimate estimates the difference a − b of two combinations, fold by
// fold. If a repeat has different numbers of folds in a and b, it returns nil.
func pairedEstimate(a, b [][]float64) *results.Estimate {
	var differences [][]float64
	for r := range a {
		if len(a[r]) != len(b[r]) {
			return nil
		}
		values := slices.Clone(a[r])
		for f := range values {
			values[f] -= b[r][f]
		}
		differences = append(differences, values)
	}
	return estimate(differences)
}

// overSeeds returns the seeds of a point with complete folds, and how their
// figures vary. With fewer than two seeds, the spread is nil. The interval
// covers the randomness of a training: its start, its batches and the
// assignment of rows to folds. It does not cover other samples; Estimate.SE
// is about those.
func (p *Tuning) overSeeds(repeats [][]float64) (list []results.BySeed, _ *metric.Spread) {
	var values []float64
	for s, folds := range repeats {
		if len(folds) < p.Options.Folds {
			continue
		}
		mean := metric.Mean(folds)
		list, values = append(list, results.BySeed{Seed: p.Settings.Seed + int64(s), Score: mean}), append(values, mean)
	}
	if len(list) < 2 {
		return list, nil
	}
	return list, metric.SpreadOf(values, 0)
}
