package train

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/places"
	"fsnetlab/internal/suggest"
)

// Status is the training at this moment; Session is left for the caller to fill in.
func (t *Training) Status() session.Status {
	a := t.engine.Layout
	s := session.Status{
		State: t.state, Reason: t.reason, Config: t.settings,
		Dataset: t.data.Name, N: t.data.N, D: t.data.D, Classes: t.data.Classes,
		Train: len(t.data.Parts.Train), Validate: len(t.data.Parts.Validation), Test: len(t.data.Parts.Test),
		Constant: t.data.D - len(t.data.Kept), Screened: len(t.data.Kept) - len(t.columns),
		Step: t.step, Steps: t.Steps(), StepsPerEpoch: t.engine.StepsPerEpoch, Epoch: t.epoch(), Tau: t.tau(), Sharpness: t.sharpness(),
		StepsPerSecond: t.throughput.perSecond(), Seconds: t.throughput.spent.Seconds(),
		Backend: t.device.Name, Device: t.device.Description, BackendReason: t.device.Reason,
		TestLooks: t.looks, Parameters: a.PredictorSize(), ParametersTrained: a.Size(), ModelKB: metric.ModelKB(a.PredictorSize()),
		Layers: layers(a.Architecture, len(t.columns)),
	}
	if s.TrainScore.Metric = "accuracy"; t.target.Quantity != nil {
		s.TrainScore.Metric = "r2"
	}
	if t.step > 0 {
		e := t.record.Latest(t.engine.StepsPerEpoch)
		s.Trained = true
		s.Loss, s.LossClass, s.LossReconstruction = e.Loss, e.LossClass, e.LossReconstruction
		s.TrainScore.Value = e.Accuracy
	}
	if last := t.record.LastLook(); last != nil {
		s.MaxProbability, s.UniqueRows = &last.MaxProbability, &last.Unique
		if !math.IsNaN(last.Validation) {
			s.ValidationScore = &session.Score{Metric: s.TrainScore.Metric, Value: last.Validation}
		}
		s.SettledRows = t.record.Settled(t.step, t.settleTime())
	}
	if rate := s.StepsPerSecond; rate > 0 {
		s.SecondsLeft = float64(s.Steps-s.Step) / rate
	}
	return s
}

// layers are those of the parameters that the program was compiled for; its columns may be more than the features.
func layers(a method.Architecture, features int) (list []session.Layer) {
	for _, p := range a.Parameters() {
		name := strings.TrimSuffix(p.Name, "/weights")
		if of, biases := strings.CutSuffix(p.Name, "/biases"); biases && list[len(list)-1].Name == of {
			list[len(list)-1].Parameters += p.Size()
			continue
		}
		l := session.Layer{Name: name, Shape: p.Dims, Parameters: p.Size(), Predicts: p.Predicts()}
		if stack, layer, _ := strings.Cut(name, "/"); layer == strconv.Itoa(len(a.PredictorHidden)) && (stack == "selector" || stack == "reconstruction") {
			l.Gives = []int{p.Dims[0], features}
		}
		list = append(list, l)
	}
	return list
}

// Selection is what the unique argmax of P chooses now, by falling probability.
func (t *Training) Selection() ([]session.Selected, error) {
	p, err := t.engine.Probability(t.look(t.step))
	if err != nil {
		return nil, err
	}
	return t.selection(p)
}

func (t *Training) selection(p []float32) ([]session.Selected, error) {
	a := t.engine.Layout
	seen, err := t.engine.Observe(t.look(t.step), t.tau())
	if err != nil {
		return nil, err
	}
	list := make([]session.Selected, a.K)
	chosen, err := t.chosen(p)
	if err != nil {
		return nil, err
	}
	for selector, j := range chosen {
		row := p[selector*a.D : (selector+1)*a.D]
		best := places.Top(row, 2)
		other := row[best[0]]
		if best[0] == j && len(best) > 1 {
			other = row[best[1]]
		}
		index, name := t.feature(j)
		s := session.Selected{
			Index: index, Name: name, Selector: selector, LeadsSince: t.record.Since(selector),
			Probability: float64(row[j]), Margin: float64(row[j]) - float64(other),
			Entropy: seen.Entropy[selector], Leader: t.entry(row, best[0]), Second: t.entry(row, best[len(best)-1]),
			Changes: t.record.Changes(selector), SettlesAt: t.record.SettlesAt(selector, t.settleTime(), t.Steps()),
			Must: t.known.Is(index),
		}
		if to := slices.Index(chosen, best[0]); to >= 0 && to != selector {
			s.LostTo = &to
		}
		list[selector] = s
	}
	slices.SortStableFunc(list, func(a, b session.Selected) int { return cmp.Compare(b.Probability, a.Probability) })
	for i := range list {
		list[i].Rank = i + 1
	}
	return list, nil
}

func (t *Training) entry(row []float32, j int) session.Entry {
	index, name := t.feature(j)
	return session.Entry{Index: index, Name: name, Probability: float64(row[j])}
}

// defaultColumns is how many columns of a matrix are shown where the request does not say.
const defaultColumns = 40

// Matrix holds the columns of P (or M, or the soft matrix) with the most mass. Rows are ordered by their rank in the selection, columns
// begin with the selected features in that order: a settled selection is the diagonal.
func (t *Training) Matrix(request session.MatrixRequest) (session.Matrix, error) {
	which, err := matrixNamed(request.Of)
	if err != nil {
		return session.Matrix{}, err
	}
	a := t.engine.Layout
	if request.Step != nil && *request.Step != t.step {
		return session.Matrix{}, fault.New(fault.Request, "ask the training's Past for it", "the training is at step %d, not %d", t.step,
			*request.Step)
	}
	if request.Top < 0 || request.Top > 10000 {
		return session.Matrix{}, fault.New(fault.Request, "choose 1 to 10000 columns", "top = %d is out of range", request.Top)
	}
	top := min(cmp.Or(request.Top, max(defaultColumns, a.K)), a.D)
	p, err := t.engine.Probability(t.look(t.step))
	if err != nil {
		return session.Matrix{}, err
	}
	selection, err := t.selection(p)
	if err != nil {
		return session.Matrix{}, err
	}
	values := p
	if which != engine.MatrixProbability {
		if values, err = t.engine.Matrix(which, t.step, t.tau(), t.look(t.step)); err != nil {
			return session.Matrix{}, err
		}
	}
	columns := t.columnsWithMass(values, selection, top)
	m := session.Matrix{
		Of: cmp.Or(request.Of, "probability"), Step: t.step, Epoch: t.epoch(), Tau: t.tau(), D: t.data.D,
		Index: make([]int, len(columns)), Names: make([]string, len(columns)),
	}
	for c, j := range columns {
		m.Index[c], m.Names[c] = t.feature(j)
	}
	for _, s := range selection {
		row := make([]float64, len(columns))
		shown := 0.0
		for c, j := range columns {
			row[c] = float64(values[s.Selector*a.D+j])
			shown += row[c]
		}
		m.Selectors = append(m.Selectors, s.Selector)
		m.Values = append(m.Values, row)
		m.LeftOut = append(m.LeftOut, max(0, 1-shown))
		whole := values[s.Selector*a.D : (s.Selector+1)*a.D]
		largest := slices.Max(whole)
		_, leader := t.feature(slices.Index(whole, largest))
		m.Leaders, m.LeaderValues = append(m.Leaders, leader), append(m.LeaderValues, float64(largest))
		m.Selected = append(m.Selected, slices.Index(m.Index, s.Index))
	}
	return m, nil
}

func matrixNamed(of string) (int, error) {
	switch of {
	case "", "probability":
		return engine.MatrixProbability, nil
	case "soft":
		return engine.MatrixSoft, nil
	case "sample":
		return engine.MatrixSample, nil
	}
	return 0, fault.New(fault.Request, suggest.DidYouMean(of, []string{"probability", "sample", "soft"}),
		"of = %q is not a selection matrix", of)
}

// columnsWithMass lists features of the graph: the selected ones in their order, then those of the largest entry in any row, as long
// as an entry is above a thousandth.
func (t *Training) columnsWithMass(values []float32, selection []session.Selected, top int) []int {
	a := t.engine.Layout
	// column of the file → feature of the graph; of the selected ones only: there may be a million
	position := make(map[int]int, len(selection))
	for _, s := range selection {
		position[s.Index] = -1
	}
	for j := range a.D {
		index, _ := t.feature(j)
		if _, selected := position[index]; selected {
			position[index] = j
		}
	}
	var columns []int
	chosen := map[int]bool{}
	for _, s := range selection[:min(top, len(selection))] {
		columns = append(columns, position[s.Index])
		chosen[position[s.Index]] = true
	}
	largest := make([]float32, a.D)
	for k := range a.K {
		for j := range a.D {
			largest[j] = max(largest[j], values[k*a.D+j])
		}
	}
	for _, j := range places.Top(largest, min(top, a.D)) {
		if len(columns) >= top || largest[j] < 1e-3 {
			break
		}
		if !chosen[j] {
			columns = append(columns, j)
		}
	}
	return columns
}

// Names are the features of the data, by column of the file. Nobody may change them.
func (t *Training) Names() []string { return t.data.Features }
