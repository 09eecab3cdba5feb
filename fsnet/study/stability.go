package study

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// StandardPairs is the number of pairs of half-samples for which the
// verdicts were calibrated.
const StandardPairs = 20

// MaxPairs is the largest number of pairs of half-samples.
const MaxPairs = 1000

// StabilityOptions are the options of Stable.
type StabilityOptions struct {
	Pairs    int            // number of pairs of half-samples, 0 for StandardPairs
	Decoys   bool           // add permuted copies of all columns
	Evaluate bool           // Evaluate choice and consensus on the test rows. This counts as a look at them.
	Progress func(Progress) // May be nil. It is called now and then, one call at a time.

	lanes int // see sharing; 0 unless a test wants some
}

// Stable fits these settings on an open device and repeats the fit on
// half-samples of the training rows. The features of the first fit are the
// choice.
//
// If a half-sample fails, it counts as failed in the result, and the others
// continue. If ctx is canceled, Stable returns the result of the
// half-samples that are complete, if there are any, and an error of kind
// Interrupted. Errors of kind Request come from [dataset.Prepare], or say
// that the number of pairs is out of range.
func Stable(ctx context.Context, on *device.Device, data *dataset.Dataset, settings config.Settings, o StabilityOptions) (*results.Stability, error) {
	if o.Pairs == 0 {
		o.Pairs = StandardPairs
	}
	if o.Pairs < 1 || o.Pairs > MaxPairs {
		return nil, errs.New(errs.Request, fmt.Sprintf("choose 1 to %d", MaxPairs), "pairs = %d", o.Pairs)
	}
	if settings.Seed > math.MaxInt64-int64(2*o.Pairs) {
		return nil, errs.New(errs.Request, "choose a smaller seed", "seed = %d leaves no room for %d half-samples", settings.Seed,
			2*o.Pairs)
	}
	if o.Evaluate {
		if err := testable(data, settings); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	hash := data.Hash // Read the hash before sparse data become dense.
	data, err := data.Dense(ctx, "stability")
	if err != nil {
		return nil, err
	}
	s, err := newSampler(data, settings, o.Pairs, o.Decoys)
	if err != nil {
		return nil, err
	}
	s.hash = hash
	n, now := len(s.halves), newTracker(len(s.halves), len(s.halves)+1, o.Progress)
	// Columns are by rank. half is −1 for the fit to all training rows.
	fit := func(on *device.Device, data *dataset.Dataset, settings config.Settings, half int) (columns []int, err error) {
		t, err := train.Open(ctx, on, data, settings)
		if err != nil {
			return nil, err
		}
		err = fsnet.ToEnd(ctx, t, func(s session.Status) error { now.atStep(half, s.Step, s.Steps); return nil }, func() error {
			selected, err := t.Selection()
			for _, s := range selected {
				columns = append(columns, s.Index)
			}
			return err
		})
		return columns, err
	}
	interrupted := func(done int) error {
		return errs.New(errs.Interrupted, "", "interrupted with %d of %s done", done, phrase.Count(n, "half-sample"))
	}
	chosen, err := fit(on, data, settings, -1)
	switch {
	case ctx.Err() != nil:
		return nil, interrupted(0)
	case err != nil:
		return nil, err
	}
	now.end(-1, 0, func(*Progress) {})
	f := halfFits{picks: make([][]int, n)}
	atOnce, lanes, _ := sharing(ctx, on, engine.PlanMemory(s.table, settings, on.Name), 0, o.lanes)
	err = sideBySide(ctx, on, n, atOnce, lanes, func(h int, on *device.Device) {
		data, settings, err := s.halfSample(settings, h)
		var places []int
		if err == nil {
			places, err = fit(on, data, settings, h)
		}
		if err != nil && ctx.Err() != nil {
			return
		}
		now.end(h, 0, func(now *Progress) {
			now.Done++
			if f.picks[h] = places; err != nil {
				now.Failed++
				f.failed++
				f.failure = cmp.Or(f.failure, err)
			} else {
				f.done++
			}
		})
	})
	stopped := ctx.Err() != nil && f.done+f.failed < n
	switch {
	case err != nil && !stopped:
		return nil, err
	case f.done == 0 && stopped:
		return nil, interrupted(0)
	case f.done == 0:
		return nil, f.failure
	}
	// Compute the figures of the completed half-samples even after an
	// interruption.
	result, err := stabilityOf(context.WithoutCancel(ctx), on, s, settings, chosen, f, o)
	if err != nil {
		return nil, err
	}
	result.Seconds = seconds(start)
	if stopped {
		return result, interrupted(result.Done)
	}
	return result, nil
}

// halfFits holds the fits to the half-samples that have been made.
type halfFits struct {
	// picks holds, for each half-sample, places in the table of the sampler. It
	// is nil if the fit failed or was not made.
	picks        [][]int
	done, failed int
	failure      error // the first failure
}

// sampler draws half-samples from the training rows. Its table is a data set of
// only these rows, so that no other row can have an influence. As in a
// training, columns are ordered by feature name, and decoys follow. The place
// of a column is its position in that order.
type sampler struct {
	prepared *dataset.Prepared
	hash     string // of the data set as read
	table    *dataset.Dataset
	known    *dataset.Constraints
	columns  []int    // by place: the column of prepared.Scaled
	rowsOf   []int    // by row of the table: the row of prepared
	halves   [][]int  // by half-sample: rows of the table
	classes  []string // classes, or the ranges of a quantity over the training rows
}

// newSampler splits and scales the data, and draws half-samples and decoys.
// The error comes from [dataset.Prepare] or the files of constraints, or
// says that groups cannot be halved.
func newSampler(data *dataset.Dataset, settings config.Settings, pairs int, decoys bool) (*sampler, error) {
	p, err := dataset.Prepare(data, settings)
	if err != nil {
		return nil, err
	}
	s := &sampler{prepared: p, columns: make([]int, len(p.Kept))}
	if s.known, err = dataset.ReadConstraints(settings, p.Dataset); err != nil {
		return nil, err
	}
	for c := range s.columns {
		s.columns[c] = c
	}
	slices.SortFunc(s.columns, func(a, b int) int { return cmp.Compare(p.Features[p.Kept[a]], p.Features[p.Kept[b]]) })

	rows, y := s.byClass()
	s.rowsOf = rows
	if s.halves, err = halvesOf(p, rows, y, pairs, settings.Seed); err != nil {
		return nil, err
	}

	width, d := len(s.columns), len(s.columns)
	if decoys {
		width *= 2
	}
	x, names := make([]float32, len(rows)*width), make([]string, width)
	for place := range names {
		names[place] = fmt.Sprintf("%09d", place)
	}
	for i, row := range rows {
		for place, c := range s.columns {
			x[i*width+place] = p.At(row, p.Kept[c])
		}
	}
	for place := d; place < width; place++ {
		for to, from := range s.exchange(rows, num.RNG(settings.Seed, "decoys", uint64(place-d))) {
			x[to*width+place] = x[from*width+place-d]
		}
	}
	s.table, err = s.withLabels(x, names, rows, y)
	return s, err
}

// exchange returns, for each of rows, the position in rows of the row that a
// decoy takes its value from. Only exchangeable values may swap places. So if
// no feature is related to the label, a decoy is as likely to be chosen as its
// column (B. Phipson, G. Smyth, Statistical Applications in Genetics and
// Molecular Biology 9, 2010; A. Winkler et al., NeuroImage 123, 2015). It
// exchanges
//
//   - rows, if there are no groups. With a nuisance it exchanges only rows of the same site, because centring by site would not remove a shift that comes from another site.
//   - with groups, whole groups within a site. A group gets the values of one other group, and its rows are in random order. A smaller group gives some of its rows several times.
//   - with pairs, the rows of each pair, because values are differences within pairs.
func (s *sampler) exchange(rows []int, random *rand.Rand) []int {
	type unit struct{ site, group int }
	p, from := s.prepared, make([]int, len(rows))
	paired := p.PairedBy() != ""
	members, sites := map[unit][]int{}, [][]unit{nil} // Units by site, in the order of rows.
	for i, row := range rows {
		var u unit
		if p.Nuisance != nil && !paired {
			u.site = p.Nuisance.Of[row]
		}
		if u.group = i; p.Groups != nil {
			u.group = p.Groups.Of[row]
		}
		for len(sites) <= u.site {
			sites = append(sites, nil)
		}
		if members[u] == nil {
			sites[u.site] = append(sites[u.site], u)
		}
		members[u] = append(members[u], i)
	}

	for _, units := range sites {
		giver := num.Indices(len(units))
		if !paired {
			giver = random.Perm(len(units))
		}
		for k, u := range units {
			give := members[units[giver[k]]]
			order := random.Perm(len(give))
			for at, to := range members[u] {
				from[to] = give[order[at%len(order)]]
			}
		}
	}
	return from
}

// byClass returns the training rows class by class, with their classes or
// the ranges of their quantities. If a class has only one row, the row is
// listed twice: once for each half.
func (s *sampler) byClass() (rows, y []int) {
	p, of := s.prepared, map[int]int{}
	s.classes = p.Classes

	if p.Target == nil {
		for _, row := range p.Parts.Train {
			of[row] = p.Y[row]
		}
	} else { // p.Y depends on the other rows, too.
		ranges, names := dataset.Ranges(s.quantities(p.Parts.Train))
		for i, row := range p.Parts.Train {
			of[row] = ranges[i]
		}
		s.classes = names
	}

	for class := range s.classes {
		var members []int
		for _, row := range p.Parts.Train {
			if of[row] == class {
				members = append(members, row)
			}
		}
		if len(members) == 1 && p.Groups == nil && p.Target == nil {
			members = append(members, members[0])
		}
		for _, row := range members {
			rows, y = append(rows, row), append(y, class)
		}
	}
	return rows, y
}

// quantities returns the quantities of rows. It returns nil for classes.
func (s *sampler) quantities(rows []int) (list []float64) {
	for _, row := range rows {
		if s.prepared.Target != nil {
			list = append(list, s.prepared.Target[row])
		}
	}
	return list
}

// withLabels returns a table of x with the labels of rows: the classes y or,
// for a quantity, its values. It also has the group, nuisance value and weight
// of each row.
func (s *sampler) withLabels(x []float32, names []string, rows, y []int) (table *dataset.Dataset, err error) {
	p, labels := s.prepared, make([]string, len(rows))
	for i, class := range y {
		// Don't use a number: many classes in few rows would look like a
		// quantity.
		labels[i] = fmt.Sprintf("%04d %s", class, s.classes[class])
	}

	if p.Target != nil {
		table, err = dataset.NewRegression(p.Name, x, names, s.quantities(rows))
	} else {
		table, err = dataset.New(p.Name, x, names, labels)
	}

	if err == nil && p.Groups != nil {
		table = table.GroupedAs(p.Dataset, rows)
	}
	if err == nil && p.Nuisance != nil {
		values := make([]string, len(rows))
		for i, row := range rows {
			values[i] = p.Nuisance.Names[p.Nuisance.Of[row]]
		}
		table, err = table.WithNuisance(values)
	}

	if err == nil && p.Weights != nil {
		weights := make([]float64, len(rows))
		for i, row := range rows {
			weights[i] = p.Weights[row]
		}
		table, err = table.WithWeights(weights)
	}
	return table, err
}

// halvesOf draws complementary half-samples of rows with the classes y, as
// positions in rows. Groups stay whole. The error is of kind Request and
// says that the groups cannot be halved.
func halvesOf(p *dataset.Prepared, rows, y []int, pairs int, seed int64) ([][]int, error) {
	if p.Groups == nil {
		return classHalves(y, pairs, seed), nil
	}

	number, group := map[int]int{}, make([]int, len(rows))
	for i, row := range rows {
		g := p.Groups.Of[row]
		if _, seen := number[g]; !seen {
			number[g] = len(number)
		}
		group[i] = number[g]
	}
	if p.Target != nil { // A range need not be in both halves.
		y = make([]int, len(rows))
	}

	halves, ok := groupHalves(y, group, pairs, seed)
	if !ok {
		return nil, errs.New(errs.Request, "use a smaller test_fraction, merge the class with another, or leave groups out",
			"%s: the %s of the training rows cannot be halved, since one of them has all rows of a class", p.Name, phrase.Count(len(number), "group"))
	}
	return halves, nil
}

// halfSample returns the data set and the settings for the fit to half-sample
// h. Its test rows are the rows outside the half-sample. Each half-sample has a
// different seed.
func (s *sampler) halfSample(settings config.Settings, h int) (*dataset.Dataset, config.Settings, error) {
	in := make([]bool, s.table.N)
	for _, row := range s.halves[h] {
		in[row] = true
	}
	var parts dataset.Parts
	for row := range s.table.N {
		if in[row] {
			parts.Train = append(parts.Train, row)
		} else {
			parts.Test = append(parts.Test, row)
		}
	}

	data, err := s.table.WithSplit(parts)
	settings.Seed += int64(h) + 1
	settings.TestFraction = 0.5
	settings.ValidationFraction = 0
	// These name columns of the file, but the table already has their values.
	settings.Groups, settings.Pairs, settings.Nuisance, settings.RowWeights = "", "", "", ""
	s.setConstraints(&settings)
	return data, settings, err
}

// realColumns returns the number of columns of the table that are not decoys.
func (s *sampler) realColumns() int { return len(s.columns) }

// feature returns the column of the file at a place, and its name.
func (s *sampler) feature(place int) (index int, name string) {
	index = s.prepared.Kept[s.columns[place]]
	return index, s.prepared.Features[index]
}

// values returns a column over the training rows, filled and scaled, for
// correlations with others. For a decoy it returns the unpermuted column, so
// two decoys are look-alikes if their columns are. Each decoy has a different
// permutation. If we compared the permuted values, decoys would form no groups,
// and a group of genes would be chosen by chance more often than any group of
// decoys.
func (s *sampler) values(place int) []float64 {
	p := s.prepared
	values := make([]float64, len(p.Parts.Train))
	for i, row := range p.Parts.Train {
		values[i] = float64(p.Row(row)[s.columns[place%s.realColumns()]])
	}
	return values
}

// setConstraints translates the constraints on features into settings that use
// the names of the table. A decoy has the same cost as its column and must not
// be chosen if its column must not. So it has the same chances as an
// uninformative column. It is never required and belongs to no group.
func (s *sampler) setConstraints(settings *config.Settings) {
	if s.known == nil {
		return
	}
	var must, never, cost, groups []string
	places := map[int]string{} // by column of the file
	for place, name := range s.table.Features {
		own := place
		if place >= s.realColumns() {
			own -= s.realColumns()
		}
		column, _ := s.feature(own)
		if s.known.Never[column] {
			never = append(never, name)
		}
		if c, ok := s.known.Cost[column]; ok {
			cost = append(cost, name+":"+strconv.FormatFloat(c, 'g', -1, 64))
		}
		if place != own {
			continue
		}
		places[column] = name
		if g := s.known.Group[column]; g > 0 {
			groups = append(groups, fmt.Sprintf("%s:%d", name, g))
		}
	}

	for _, column := range s.known.Must {
		if name, there := places[column]; there {
			must = append(must, name)
		}
	}

	settings.Must, settings.Never, settings.Cost, settings.FeatureGroups = must, never, phrase.Join(cost), phrase.Join(groups)
}

// classHalves draws complementary pairs of stratified half-samples of the rows
// 0 to n−1 with the classes y. The halves of pair p are elements 2p and 2p + 1.
// Each has max(1, ⌊n_c/2⌋) rows of every class c, so all have the same size. If
// a class has an odd number of rows, one of them is left out, a different one
// in each pair. If a class has only one row, it is in both halves.
//
// The rows of a half are listed class by class, in random order. The halves
// depend only on y, pairs and seed.
func classHalves(y []int, pairs int, seed int64) [][]int {
	var members [][]int
	for row, c := range y {
		for len(members) <= c {
			members = append(members, nil)
		}
		members[c] = append(members[c], row)
	}

	halves := make([][]int, 2*pairs)
	for p := range pairs {
		a, b := &halves[2*p], &halves[2*p+1]
		for c, rows := range members {
			n := len(rows)
			order := num.RNG(seed, "half-samples", uint64(p), uint64(c)).Perm(n)
			for k := range max(min(n, 1), n/2) {
				*a = append(*a, rows[order[k]])
				*b = append(*b, rows[order[min(k+n/2, n-1)]])
			}
		}
	}
	return halves
}

// groupHalves is like [classHalves] for rows in groups. group[i] is the group
// of row i. Each group lies in one half of a pair, no row is left out, and the
// halves are as similar as whole groups allow ([dataset.HalveGroups]). If a
// half lacks a class, ok is false.
func groupHalves(y, group []int, pairs int, seed int64) (halves [][]int, ok bool) {
	halves, ok = make([][]int, 2*pairs), true
	for p := range pairs {
		half, fits := dataset.HalveGroups(y, group, num.RNG(seed, "half-samples of groups", uint64(p)))
		ok = ok && fits
		for row, g := range group {
			to := &halves[2*p+half[g]]
			*to = append(*to, row)
		}
	}
	return halves, ok
}
