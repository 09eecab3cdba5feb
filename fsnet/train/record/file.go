package record

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"fsnetlab/fsnet/saved"
	"fsnetlab/internal/safetensors"
)

// A record in a checkpoint's file. The file has one format version, which package train looks after.
const (
	metaWatch    = "watch"    // the leaders
	metaPatience = "patience" // how far the search for the best training loss has come

	tensorEpochs       = "record/epochs"       // at most mostEpochs×9, F64: see Measures.row
	tensorOpen         = "record/open"         // the epoch in progress, F64: how many steps, and a row whose means are sums
	tensorObservations = "record/observations" // looks×6, F64: step, max_probability, max_soft, entropy, unique_rows, accuracy_validation
	tensorSelectors    = "record/selectors"    // looks×2K, F64: the K leaders, as features of the graph, and their K probabilities
	epochColumns       = 9
	observationColumns = 6 // NaN where there are no validation rows
)

// savedLeaders is the leaders as a checkpoint's file holds them: a value a selector in each list.
type savedLeaders struct {
	Seen           bool      `json:"seen"`
	Leader         []int     `json:"leader,omitempty"`
	MaxProbability []float64 `json:"max_probability,omitempty"`
	Second         []float64 `json:"second_probability,omitempty"`
	Entropy        []float64 `json:"entropy,omitempty"`
	Soft           []float64 `json:"soft,omitempty"`
	SettledSince   []int     `json:"settled_since"`
	WasSettled     bool      `json:"was_settled"`
}

// savedPatience is the patience as a checkpoint's file holds it.
type savedPatience struct {
	BestLoss      float64 `json:"best_loss"`
	BestLossEpoch int     `json:"best_loss_epoch"`
	HasBestLoss   bool    `json:"has_best_loss"`
}

// Write puts the record of k selectors into a file.
func (r *Record) Write(f *safetensors.File, k int) error {
	l, p := r.now.leaders, r.now.patience
	for key, value := range map[string]any{
		metaWatch: savedLeaders{
			l.seen, l.last.Leader, l.last.Probability, l.last.Second, l.last.Entropy, l.last.Soft, l.since, l.wasSettled,
		},
		metaPatience: savedPatience{p.bestLoss, p.bestLossEpoch, p.hasBestLoss},
	} {
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("its %s: %w", key, err)
		}
		f.Metadata[key] = string(text)
	}
	epochs := make([]float64, 0, epochColumns*len(r.epochs))
	for _, e := range r.epochs {
		epochs = append(epochs, e.row()...)
	}
	f.Tensors[tensorEpochs] = safetensors.Of(epochs, len(r.epochs), epochColumns)
	open := r.now.open
	f.Tensors[tensorOpen] = safetensors.Of(append([]float64{float64(open.steps)}, open.sums.row()...), 1+epochColumns)
	looks := make([]float64, 0, observationColumns*len(r.looks))
	selectors := make([]float64, 0, 2*k*len(r.looks))
	for _, l := range r.looks {
		looks = append(looks, float64(l.Step), l.MaxProbability, l.MaxSoft, l.Entropy, float64(l.Unique), l.Validation)
		for _, j := range l.leaders {
			selectors = append(selectors, float64(j))
		}
		selectors = append(selectors, l.leading...)
	}
	f.Tensors[tensorObservations] = safetensors.Of(looks, len(r.looks), observationColumns)
	f.Tensors[tensorSelectors] = safetensors.Of(selectors, len(r.looks), 2*k)
	return nil
}

// Read takes the record of k selectors at a step out of a file. It is not to be used where the reader has an error then.
func Read(from *saved.Reader, k, step int) Record {
	var r Record
	r.readMark(from, k, step)
	r.readEpochs(from, step)
	r.readLooks(from, k, step)
	return r
}

func (r *Record) readMark(from *saved.Reader, k, step int) {
	var l savedLeaders
	from.JSON(metaWatch, &l)
	var p savedPatience
	from.JSON(metaPatience, &p)
	if from.Err != nil {
		return
	}
	if err := l.check(k, step); err != nil {
		from.Fail("%s: %w", metaWatch, err)
	}
	if p.BestLossEpoch < 0 || p.BestLossEpoch > step {
		from.Fail("%s: epoch %d", metaPatience, p.BestLossEpoch)
	}
	r.now.leaders = leaders{
		seen: l.Seen, since: l.SettledSince, wasSettled: l.WasSettled,
		last: Observation{Leader: l.Leader, Probability: l.MaxProbability, Second: l.Second, Entropy: l.Entropy, Soft: l.Soft},
	}
	r.now.patience = patience{p.BestLoss, p.BestLossEpoch, p.HasBestLoss}
}

// check says what does not fit k selectors and the steps made.
func (s savedLeaders) check(k, step int) error {
	want := 0
	if s.Seen {
		want = k
	}
	for _, n := range []int{len(s.Leader), len(s.MaxProbability), len(s.Second), len(s.Entropy), len(s.Soft)} {
		if n != want {
			return fmt.Errorf("it has %d values for %d selectors", n, want)
		}
	}
	if len(s.SettledSince) != k {
		return fmt.Errorf("it has %d values for %d selectors", len(s.SettledSince), k)
	}
	if i := slices.IndexFunc(s.SettledSince, func(since int) bool { return since < 0 || since > step }); i >= 0 {
		return fmt.Errorf("selector %d has its leader since step %d", i, s.SettledSince[i])
	}
	if i := slices.IndexFunc(s.Leader, func(j int) bool { return j < 0 }); i >= 0 {
		return fmt.Errorf("selector %d leads with feature %d", i, s.Leader[i])
	}
	return nil
}

func (r *Record) readEpochs(from *saved.Reader, step int) {
	last := 0
	list := saved.Values[float64](from, tensorEpochs, rows(from, tensorEpochs), epochColumns)
	for row := range slices.Chunk(list, epochColumns) {
		if !(row[0] > float64(last) && row[0] <= float64(step)) || slices.ContainsFunc(row, math.IsNaN) {
			from.Fail("row %v of %s follows step %d", row, tensorEpochs, last)
			return
		}
		last = int(row[0])
		r.epochs = append(r.epochs, measuresOf(row))
	}
	open := saved.Values[float64](from, tensorOpen, 1+epochColumns)
	if from.Err != nil {
		return
	}
	if made := step - last; open[0] != float64(made) || made > 0 && open[1] != float64(step) || slices.ContainsFunc(open, math.IsNaN) {
		from.Fail("%s is %v at step %d, and the epoch before ended at step %d", tensorOpen, open, step, last)
		return
	}
	r.now.open = openEpoch{steps: step - last, sums: measuresOf(open[1:])}
	if n := len(r.epochs); n > 0 {
		r.now.open.before = r.epochs[n-1]
	}
}

func (r *Record) readLooks(from *saved.Reader, k, step int) {
	last := 0
	list := saved.Values[float64](from, tensorObservations, rows(from, tensorObservations), observationColumns)
	for o := range slices.Chunk(list, observationColumns) {
		inOrder := o[0] > float64(last) && o[0] <= float64(step)
		if !inOrder || slices.ContainsFunc(o[1:4], math.IsNaN) || !(o[4] >= 0 && o[4] <= float64(k)) {
			from.Fail("row %v of %s follows step %d", o, tensorObservations, last)
			return
		}
		last = int(o[0])
		r.looks = append(r.looks, Look{Step: last, MaxProbability: o[1], MaxSoft: o[2], Entropy: o[3], Unique: int(o[4]), Validation: o[5]})
	}
	k = max(k, 1) // a damaged file may say anything
	selectors := saved.Values[float64](from, tensorSelectors, len(r.looks), 2*k)
	for i, s := range slices.Collect(slices.Chunk(selectors, 2*k)) {
		l := &r.looks[i]
		for _, j := range s[:k] {
			l.leaders = append(l.leaders, int(j))
		}
		l.leading = s[k:]
	}
}

// rows is the length of a tensor of rows, or 0.
func rows(from *saved.Reader, name string) int {
	if t, ok := from.File.Tensors[name]; ok && len(t.Shape) == 2 {
		return t.Shape[0]
	}
	return 0
}

// row is an epoch as a checkpoint's file holds it.
func (m Measures) row() []float64 {
	return []float64{
		float64(m.Step), m.Loss, m.LossClass, m.LossReconstruction, m.Accuracy, m.Tau, m.LearningRate, m.Lambda, m.Sharpness,
	}
}

func measuresOf(row []float64) Measures {
	return Measures{int(row[0]), row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8]}
}
