package study

import (
	"cmp"
	"context"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/metric"
)

// StabilityResult is what a Run found. Counts are of half-samples: of Done that have an outcome.
type StabilityResult struct {
	Dataset  string   `json:"dataset"`           // name of the data set
	Task     string   `json:"task,omitempty"`    // regression where the label is a quantity
	N        int      `json:"n"`                 // training rows
	Half     int      `json:"half"`              // rows of a half-sample
	D        int      `json:"d"`                 // columns that vary over the training rows
	Classes  []string `json:"classes"`           // names of the classes, or the ranges of a quantity over the training rows
	K        int      `json:"k"`                 // features to choose
	Seed     int64    `json:"seed"`              // of everything random
	Protocol string   `json:"protocol"`          // fsnet, paper, authors or stepwise
	Backend  string   `json:"backend"`           // where it ran: xla:cpu, xla:cuda or go
	Planned  int      `json:"planned"`           // half-samples
	Done     int      `json:"done"`              // half-samples that have an outcome
	Failed   int      `json:"failed"`            // half-samples without one
	Failure  string   `json:"failure,omitempty"` // the error of the first that failed

	// Genes has a line for each feature of the choice, and one for the most frequent member of every group that was seen in half of the
	// half-samples; the most frequent groups first.
	Genes     []Gene        `json:"genes"`
	Seen      []Seen        `json:"seen"`         // all features that were chosen in any half-sample, the most frequent first
	Consensus []Seen        `json:"consensus"`    // the K most frequent; of equally frequent ones those with the larger F
	Stability Stability     `json:"stability"`    // how much the half-samples agree, decoys left out
	Decoys    *Decoys       `json:"decoys"`       // what permuted copies of the columns were chosen for; null without decoys
	Accuracy  *TestAccuracy `json:"accuracy"`     // on the test rows; null where --evaluate did not ask for it, and of a quantity
	R2        *TestAccuracy `json:"r2,omitempty"` // the same of a quantity
	About     []string      `json:"about"`        // explains all this to people, a paragraph each
	Seconds   float64       `json:"seconds"`      // that all of it took
}

// Gene is a line of the table.
type Gene struct {
	Index      int    `json:"index"`       // 0-based column of the file as read
	Name       string `json:"name"`        // of the feature
	Rank       int    `json:"rank"`        // in the choice, from 1; 0: it is not in it
	Seen       int    `json:"seen"`        // half-samples that chose it
	Group      int    `json:"group"`       // half-samples that chose it or one of its look-alikes
	LookAlikes []Seen `json:"look_alikes"` // the others of its group, the most frequent first
	// certain, likely, a lead, replaceable or not repeated, by group; "" of fewer than 20 half-samples, or of too few rows
	Word       Word `json:"word"`
	AnyOfGroup bool `json:"any_of_group"` // seen is less than three quarters of group: the word is about the group
}

// Seen is a feature and in how many half-samples it was chosen.
type Seen struct {
	Index int    `json:"index"` // 0-based column of the file as read
	Name  string `json:"name"`  // of the feature
	Seen  int    `json:"seen"`  // half-samples that chose it
}

// TestAccuracy is what a support vector machine, or of a quantity R² that a kernel ridge, fitted to features of the training rows, reaches on
// the test rows.
type TestAccuracy struct {
	Rows      int      `json:"rows"`      // test rows that were looked at
	Chosen    float64  `json:"chosen"`    // on the features of the choice
	Consensus *float64 `json:"consensus"` // on those of the consensus; nil where decoys took all picks
}

// geneFamily is columns that were chosen: how often each was, and the groups that they make.
type geneFamily struct {
	places []int // in the sample's table, ascending
	seen   []int
	label  []int // group of each
	groups []int // of each group: half-samples that have a member of it
}

// familyOf groups columns, with the half-samples that chose them.
func familyOf(places []int, picks [][]int, values func(place int) []float64) geneFamily {
	slices.Sort(places)
	f := geneFamily{places: slices.Compact(places)}
	f.seen = make([]int, len(f.places))
	columns := make([][]float64, len(f.places))
	for i, place := range f.places {
		columns[i] = values(place)
	}
	f.label = LookAlikes(columns, Alike)
	f.groups = make([]int, len(columns)) // more than there are
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

// newStabilityResult counts.
func newStabilityResult(ctx context.Context, on *device.Device, s *halfSample, settings config.Settings, chosen []int, f *halfFits,
	o StabilityOptions) (*StabilityResult, error) {
	p, d := s.prepared, s.real()
	r := &StabilityResult{
		Dataset: p.Name, N: len(p.Parts.Train), Half: len(s.halves[0]), D: d, Classes: s.classes, K: settings.K, Seed: settings.Seed,
		Protocol: settings.Protocol,
		Backend:  on.Name, Planned: len(s.halves), Done: f.done(), Failed: f.now.Failed, Seen: []Seen{}, Consensus: []Seen{},
	}
	if settings.Regression() {
		r.Task = settings.Task
	}
	if f.failed != nil {
		r.Failure = f.failed.Error()
	}
	placeOf := make(map[int]int, d)
	for place := range d {
		index, _ := s.name(place)
		placeOf[index] = place
	}
	rank := map[int]int{} // by place
	for i, index := range chosen {
		rank[placeOf[index]] = i + 1
	}

	var picks, kept [][]int // with decoys, and without
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
	columns := familyOf(features, picks, s.values)
	r.Genes = s.genes(columns, rank, r.Done)
	if r.fewRows() {
		for i := range r.Genes {
			r.Genes[i].Word, r.Genes[i].AnyOfGroup = "", false
		}
	}
	for _, i := range columns.ordered(nil) {
		if columns.seen[i] > 0 {
			r.Seen = append(r.Seen, s.seen(columns, i))
		}
	}
	low, high := metric.NogueiraInterval(kept, d)
	r.Stability = Stability{Nogueira: metric.Nogueira(kept, d), Jaccard: metric.Jaccard(kept), Low: &low, High: &high}
	if o.Decoys {
		r.Decoys = newDecoys(columns, familyOf(slices.Clone(decoys), picks, s.values), len(decoys), all, r.Done)
	}

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
		if r.Accuracy, err = s.judge(ctx, on, choice, best); err != nil {
			return nil, err
		}
	}
	if settings.Regression() {
		r.Accuracy, r.R2 = nil, r.Accuracy
	}
	r.About = r.about()
	return r, nil
}

// ordered is the members by how often they were chosen; of equally frequent ones the lower rank comes first, which may be nil, then the
// first by name.
func (f geneFamily) ordered(rank []int) []int {
	order := make([]int, len(f.places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		byRank := 0
		if rank != nil {
			byRank = cmp.Compare(rank[a], rank[b])
		}
		return cmp.Or(cmp.Compare(f.seen[b], f.seen[a]), byRank)
	})
	return order
}

func (s *halfSample) seen(f geneFamily, i int) Seen {
	index, name := s.name(f.places[i])
	return Seen{index, name, f.seen[i]}
}

// genes are the lines of the table. rank is that of the places of the choice.
func (s *halfSample) genes(f geneFamily, rank map[int]int, done int) []Gene {
	last := len(f.places) + 1
	ranks := make([]int, len(f.places))
	for i, place := range f.places {
		if ranks[i] = rank[place]; ranks[i] == 0 {
			ranks[i] = last
		}
	}
	order := f.ordered(ranks)
	listed := map[int]bool{}
	met := map[int]bool{} // groups whose most frequent member has come
	for _, i := range order {
		g := f.label[i]
		listed[i] = rank[f.places[i]] > 0 || !met[g] && f.seen[i] > 0 && 2*f.groups[g] >= done
		met[g] = true
	}
	var genes []Gene
	for _, i := range order {
		if !listed[i] {
			continue
		}
		g := Gene{Rank: rank[f.places[i]], Seen: f.seen[i], Group: f.groups[f.label[i]], LookAlikes: []Seen{}}
		g.Index, g.Name = s.name(f.places[i])
		for _, j := range order {
			if j != i && f.label[j] == f.label[i] {
				g.LookAlikes = append(g.LookAlikes, s.seen(f, j))
			}
		}
		g.Word, g.AnyOfGroup = WordFor(g.Group, done), anyOfGroup(g.Seen, g.Group, done)
		genes = append(genes, g)
	}
	slices.SortStableFunc(genes, func(a, b Gene) int { return cmp.Compare(b.Group, a.Group) })
	return genes
}
