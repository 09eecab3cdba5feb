package study

import (
	"cmp"
	"context"
	"math"
	"slices"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
)

// pickCounts holds the chosen columns, how often each was chosen, and their
// groups of look-alikes.
type pickCounts struct {
	places []int // positions of the columns in the sampler's table, ascending
	seen   []int // number of half-samples that chose each
	label  []int // group of each
	groups []int // By group, the number of half-samples that chose a member. It is 0 beyond the last group.
}

// countPicks counts the half-samples that chose each of places, or one of its
// look-alikes. picks holds the places that each half-sample chose. values
// returns the column at a place.
func countPicks(places []int, picks [][]int, values func(place int) []float64) pickCounts {
	slices.Sort(places)
	f := pickCounts{places: slices.Compact(places)}

	f.seen = make([]int, len(f.places))
	columns := make([][]float64, len(f.places))
	for i, place := range f.places {
		columns[i] = values(place)
	}

	f.label = lookAlikeGroups(columns, Alike)
	f.groups = make([]int, len(columns)) // There are no more groups than columns.
	for _, pick := range picks {
		met := map[int]bool{}
		for _, place := range pick {
			if i, ok := slices.BinarySearch(f.places, place); ok {
				f.seen[i]++
				met[f.label[i]] = true
			}
		}
		for g := range met {
			f.groups[g]++
		}
	}
	return f
}

// stabilityOf summarises the fits. At least one of them must be complete.
// chosen lists the columns of the fit to all training rows, by rank.
func stabilityOf(ctx context.Context, on *device.Device, s *sampler, settings config.Settings, chosen []int, f halfFits,
	o StabilityOptions) (*results.Stability, error) {
	p, d := s.prepared, s.realColumns()
	r := &results.Stability{
		Dataset: p.Name, DataHash: s.hash, Settings: settings.ForData(len(p.Parts.Train)).Paced(len(p.Parts.Train), len(p.Parts.Test)).ID(), N: len(p.Parts.Train), Half: len(s.halves[0]), D: d, Classes: s.classes, K: settings.K, Seed: settings.Seed,
		Protocol: settings.Protocol,
		Backend:  on.Name, Planned: len(s.halves), Done: f.done, Failed: f.failed, Seen: []results.Seen{}, Consensus: []results.Seen{},
	}
	if settings.Regression() {
		r.Task = settings.Task
	}
	r.Units = s.units()
	if f.failure != nil {
		r.Failure = f.failure.Error()
	}

	placeOf := make(map[int]int, d)
	for place := range d {
		index, _ := s.feature(place)
		placeOf[index] = place
	}
	rank := map[int]int{} // by place
	for i, index := range chosen {
		rank[placeOf[index]] = i + 1
	}

	var picks, kept [][]int // Picks with decoys, and without.
	var features, decoys []int
	for _, pick := range f.picks {
		if pick == nil {
			continue
		}
		set := []int{}
		for _, place := range pick {
			if place < d {
				set = append(set, place)
			} else {
				decoys = append(decoys, place)
			}
		}
		picks, kept, features = append(picks, pick), append(kept, set), append(features, set...)
	}

	all := len(features) + len(decoys)
	for place := range rank {
		features = append(features, place)
	}
	columns := countPicks(features, picks, s.values)
	r.Genes = s.genes(columns, rank, r.Done)
	if o.Decoys {
		r.Decoys = newDecoys(columns, countPicks(slices.Clone(decoys), picks, s.values), len(decoys), all, r.Done)
	}
	limitWords(r)
	for _, i := range columns.order(nil) {
		if columns.seen[i] > 0 {
			r.Seen = append(r.Seen, s.seen(columns, i))
		}
	}
	r.Agreement = results.Agreement{Nogueira: metric.Nogueira(kept, d), Jaccard: metric.Jaccard(kept)}

	consensus, err := s.consensus(ctx, columns, settings.K)
	if err != nil {
		return nil, err
	}
	var best []int
	for _, i := range consensus {
		r.Consensus = append(r.Consensus, s.seen(columns, i))
		best = append(best, columns.places[i])
	}
	if o.Evaluate {
		var choice []int
		for _, index := range chosen {
			choice = append(choice, placeOf[index])
		}
		if r.Test, err = s.judge(ctx, on, choice, best); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// limitWords weakens verdicts that claim more than the half-samples can show.
// With too few rows it removes all of them. It lowers a stronger verdict to a
// lead in two cases: if the decoys show that chance is not excluded, or were
// chosen as often; and if there are no decoys although rows belong together,
// because chance then plays a larger role than with independent rows.
func limitWords(r *results.Stability) {
	few := r.FewRows()
	for i := range r.Genes {
		g := &r.Genes[i]
		switch d := r.Decoys; {
		case few:
			g.Word, g.AnyOfGroup = "", false
		case g.Word != results.Certain && g.Word != results.Likely:
		case d == nil && r.Units != nil, d != nil && (d.Alarm || g.Group <= d.Top):
			g.Word = results.Lead
		}
	}
}

// units counts the groups or pairs of the training rows and of the smallest
// half-sample. It returns nil if rows do not belong together.
func (s *sampler) units() *results.Units {
	p := s.prepared
	n, name := p.Units(p.Parts.Train)
	if n == 0 {
		return nil
	}
	u := &results.Units{Name: name, N: n, Half: n}
	for _, half := range s.halves {
		rows := make([]int, len(half))
		for i, row := range half {
			rows[i] = s.rowsOf[row]
		}
		few, _ := p.Units(rows)
		u.Half = min(u.Half, few)
	}
	return u
}

// order returns the positions in places, ordered by how often the columns were
// chosen. Equally frequent columns are ordered by rank, then by name. rank is
// by position and may be nil.
func (f pickCounts) order(rank []int) []int {
	order := num.Indices(len(f.places))
	slices.SortStableFunc(order, func(a, b int) int {
		byRank := 0
		if rank != nil {
			byRank = cmp.Compare(rank[a], rank[b])
		}
		return cmp.Or(cmp.Compare(f.seen[b], f.seen[a]), byRank)
	})
	return order
}

// seen returns how often column i of f was chosen, with its name.
func (s *sampler) seen(f pickCounts, i int) results.Seen {
	index, name := s.feature(f.places[i])
	return results.Seen{Index: index, Name: name, Seen: f.seen[i]}
}

// genes returns the lines of the table, ordered by the frequency of their
// groups. These are the chosen genes, and the most frequent gene of every other
// group that at least half of the half-samples chose. rank holds the ranks of
// the chosen genes, by place.
func (s *sampler) genes(f pickCounts, rank map[int]int, done int) []results.Gene {
	last := len(f.places) + 1
	ranks := make([]int, len(f.places))
	for i, place := range f.places {
		if ranks[i] = rank[place]; ranks[i] == 0 {
			ranks[i] = last
		}
	}
	order := f.order(ranks)

	listed := map[int]bool{}
	met := map[int]bool{} // Groups whose most frequent member has been met.
	for _, i := range order {
		g := f.label[i]
		listed[i] = rank[f.places[i]] > 0 || !met[g] && f.seen[i] > 0 && 2*f.groups[g] >= done
		met[g] = true
	}

	var genes []results.Gene
	for _, i := range order {
		if !listed[i] {
			continue
		}
		g := results.Gene{Rank: rank[f.places[i]], Seen: f.seen[i], Group: f.groups[f.label[i]], LookAlikes: []results.Seen{}}
		g.Index, g.Name = s.feature(f.places[i])
		for _, j := range order {
			if j != i && f.label[j] == f.label[i] {
				g.LookAlikes = append(g.LookAlikes, s.seen(f, j))
			}
		}
		g.Word, g.AnyOfGroup = wordFor(g.Group, done), anyOfGroup(g.Seen, g.Group, done)
		genes = append(genes, g)
	}
	slices.SortStableFunc(genes, func(a, b results.Gene) int { return cmp.Compare(b.Group, a.Group) })
	return genes
}

// rows returns some rows of the data, scaled and reduced to places of the
// table, with their classes or quantities.
func (s *sampler) rows(rows, places []int) baseline.Data {
	p := s.prepared
	data := baseline.Data{Rows: make([][]float64, len(rows)), Target: s.quantities(rows)}
	for i, row := range rows {
		data.Rows[i] = make([]float64, len(places))
		if p.Target == nil {
			data.Y, data.Classes = append(data.Y, p.Y[row]), len(p.Classes)
		}
		for j, place := range places {
			data.Rows[i][j] = float64(p.Row(row)[s.columns[place]])
		}
	}
	return data
}

// consensus returns the k columns chosen most often, as positions in
// f.places. It returns fewer if fewer were chosen. Among equally frequent
// columns it prefers a larger F over the training rows.
func (s *sampler) consensus(ctx context.Context, f pickCounts, k int) ([]int, error) {
	model, err := comparators.ANOVA{}.Fit(ctx, s.rows(s.prepared.Parts.Train, f.places), baseline.Options{K: len(f.places)})
	var rank []int
	switch {
	case err == nil:
		rank = make([]int, len(f.places))
		for r, i := range model.Columns() {
			rank[i] = r
		}
	case !errs.Is(err, errs.Request): // Too few rows for F: the first in the file come first.
		return nil, err
	}

	var best []int
	for _, i := range f.order(rank) {
		if f.seen[i] > 0 && len(best) < k {
			best = append(best, i)
		}
	}
	return best, nil
}

// judge returns the scores that two sets of features, given by place, reach on
// the test rows. The judge is the one of fsnet compare: a support vector
// machine or, for a quantity, a kernel ridge regression. If consensus is empty,
// its score is nil.
func (s *sampler) judge(ctx context.Context, on *device.Device, chosen, consensus []int) (*results.TestScore, error) {
	scope := device.ScopeOn(on)
	defer scope.Close()

	judge := judgeOf(s.prepared.Target != nil)
	score := func(places []int) (float64, error) {
		model, err := judge.Fit(ctx, s.rows(s.prepared.Parts.Train, places), baseline.Options{Device: scope})
		if err != nil {
			return 0, err
		}
		return model.Score(s.rows(s.prepared.Parts.Test, places))
	}

	a := &results.TestScore{Metric: session.MetricOf(s.prepared.Target != nil), Rows: len(s.prepared.Parts.Test)}
	var err error
	if a.Chosen, err = score(chosen); err != nil || len(consensus) == 0 {
		return a, err
	}
	agreed, err := score(consensus)
	a.Consensus = &agreed
	return a, err
}

// mostChance is the q-value above which the groups, taken together, do not
// exclude chance.
const mostChance = 0.2

// newDecoys compares the groups of columns with the groups of decoys, over done
// half-samples. taken is the number of decoys among all choices, and all the
// number of choices.
func newDecoys(columns, decoys pickCounts, taken, all, done int) *results.Decoys {
	from := func(groups []int, count int) (n int) {
		for _, c := range groups {
			if c >= count && c > 0 {
				n++
			}
		}
		return n
	}

	d := &results.Decoys{Q: 1, Share: float64(taken) / float64(max(all, 1))}
	thresholds := slices.Clone(columns.groups)
	slices.Sort(thresholds)
	for _, t := range slices.Compact(thresholds) {
		if t > 0 {
			d.Q = min(d.Q, float64(1+from(decoys.groups, t))/float64(from(columns.groups, t)))
		}
	}

	top, chance := slices.Max(append([]int{0}, columns.groups...)), slices.Max(append([]int{0}, decoys.groups...))
	d.Top = chance
	d.Alarm = d.Q > mostChance && (2*top < done || top < 2*chance)
	for _, frequency := range []float64{0.1, 0.25, 0.5, 0.75} {
		count := int(math.Ceil(frequency * float64(done)))
		d.Groups = append(d.Groups, results.FromCount{Frequency: frequency, Features: from(columns.groups, count), Decoys: from(decoys.groups, count)})
	}
	return d
}

// Alike is the |r| from which features count as look-alikes.
const Alike = 0.8

// wordFor returns the verdict on a feature that was chosen, itself or
// through a look-alike, in group of halves half-samples. It returns "" if
// there are too few half-samples.
func wordFor(group, halves int) results.Word {
	switch {
	case halves < results.FewestForWords:
		return ""
	case 4*group >= 3*halves:
		return results.Certain
	case 2*group >= halves:
		return results.Likely
	case 4*group >= halves:
		return results.Lead
	case group > 1:
		return results.Replaceable
	}
	return results.NotRepeated
}

// anyOfGroup reports whether a verdict refers to the group rather than the
// feature. It does if the feature was chosen less than three quarters as often
// as its group.
func anyOfGroup(seen, group, halves int) bool {
	return halves >= results.FewestForWords && 4*group >= halves && 4*seen < 3*group
}

// lookAlikeGroups groups redundant columns by average linkage on 1 − |r|,
// where r is Pearson's correlation. It separates groups if their mean
// distance exceeds 1 − alike. columns are m lists of equal length. The
// result numbers the group of each, in the order of their first members. A
// constant column is a group by itself.
//
// It needs m² numbers, and time in proportion to m² · n.
func lookAlikeGroups(columns [][]float64, alike float64) []int {
	m := len(columns)
	standard := make([][]float64, m)
	for i, c := range columns {
		standard[i] = standardize(c)
	}

	distance := make([][]float64, m)
	for i := range distance {
		distance[i] = make([]float64, m)
		for j := range i {
			distance[i][j] = 1 - min(1, math.Abs(dotProduct(standard[i], standard[j])))
			distance[j][i] = distance[i][j]
		}
	}

	parent := num.Indices(m)
	averageLinkage(distance, func(a, b int, height float64) {
		if height <= 1-alike {
			parent[b] = a
		}
	})
	return numberedTrees(parent)
}

// averageLinkage merges m clusters by average linkage and calls merge for
// each step: b becomes part of a, at a height. It overwrites the distances.
// It follows chains of nearest neighbours (F. Murtagh, A survey of recent
// advances in hierarchical clustering algorithms, The Computer Journal 26,
// 1983), so the merges are not sorted by height. But no merge is lower than
// those it is built from.
func averageLinkage(distance [][]float64, merge func(a, b int, height float64)) {
	m := len(distance)
	size := slices.Repeat([]float64{1}, m)
	gone := make([]bool, m)
	var chain []int

	for left, first := m, 0; left > 1; left-- {
		if len(chain) == 0 {
			for gone[first] {
				first++
			}
			chain = append(chain, first)
		}
		for {
			current := chain[len(chain)-1]
			before, near := -1, math.Inf(1)
			if len(chain) > 1 { // Prefer the previous one among equals, so that a chain ends.
				before = chain[len(chain)-2]
				near = distance[current][before]
			}
			next := before
			for j, d := range distance[current] {
				if !gone[j] && j != current && d < near {
					next, near = j, d
				}
			}
			if next != before {
				chain = append(chain, next)
				continue
			}

			chain = chain[:len(chain)-2]
			a, b := min(current, next), max(current, next)
			merge(a, b, near)
			for j := range m {
				if !gone[j] && j != a && j != b {
					distance[a][j] = (size[a]*distance[a][j] + size[b]*distance[b][j]) / (size[a] + size[b])
					distance[j][a] = distance[a][j]
				}
			}
			size[a] += size[b]
			gone[b] = true
			break
		}
	}
}

// numberedTrees numbers the trees of a forest in the order of their first
// members.
func numberedTrees(parent []int) []int {
	number := map[int]int{}
	labels := make([]int, len(parent))
	for i := range parent {
		root := i
		for parent[root] != root {
			root = parent[root]
		}
		if _, ok := number[root]; !ok {
			number[root] = len(number)
		}
		labels[i] = number[root]
	}
	return labels
}

// standardize returns the column with mean 0 and length 1. If the column is
// constant, it returns zeros.
func standardize(column []float64) []float64 {
	mean, squares := 0.0, 0.0
	for _, x := range column {
		mean += x / float64(len(column))
	}

	out := make([]float64, len(column))
	for i, x := range column {
		out[i] = x - mean
		squares += out[i] * out[i]
	}

	if length := math.Sqrt(squares); length > 0 {
		for i := range out {
			out[i] /= length
		}
	}
	return out
}

// dotProduct returns Σ a_i b_i.
func dotProduct(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
