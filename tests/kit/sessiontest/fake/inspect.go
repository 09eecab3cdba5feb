package fake

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// probability returns the leader's probability in every row of P. It grows from
// 1/d to 0.99.
func (t *Training) probability() float64 {
	return min(0.99, 1.0/features+1.5*float64(t.step)/float64(t.steps()))
}

func (t *Training) leader(selector int) int {
	return (7*selector + int(t.settings.Seed%features) + features) % features
}

func featureName(j int) string { return fmt.Sprintf("gene%02d", j) }

// validation is the number of validation rows.
func (t *Training) validation() int { return int(t.settings.ValidationFraction * train) }

// Status describes the training's current state.
func (t *Training) Status() session.Status {
	defer t.alone()()
	schedule, err := config.ParseSchedule(t.settings.Schedule)
	if err != nil {
		panic(err) // the settings were checked
	}
	settled := 0
	if t.probability() >= 0.9 {
		settled = t.settings.K
	}
	var largest *float64
	var unique *int
	if t.step > 0 { // stands for a look at P
		largest, unique = new(t.probability()), new(t.settings.K)
	}
	return session.Status{
		State: t.state, Reason: t.reason, Config: t.settings,
		Dataset: "planted", N: rows, D: features, Classes: []string{"healthy", "ill"}, Train: train - t.validation(), Validate: t.validation(),
		Test: rows - train,
		Step: t.step, Steps: t.steps(), StepsPerEpoch: t.stepsPerEpoch(), Epoch: t.epoch(),
		Tau:     schedule.Tau(t.epoch(), t.settings.Live),
		Trained: t.step > 0, Loss: 0.7 + t.weight, LossClass: 0.7, LossReconstruction: t.weight,
		TrainScore: session.Score{Metric: "accuracy", Value: 0.75}, MaxProbability: largest, SettledRows: settled, UniqueRows: unique,
		StepsPerSecond: chunk / chunkTime.Seconds(),
		Backend:        "fake", Device: "none", TestLooks: t.looks, Parameters: 1, ParametersTrained: 1, ModelKB: 0.004,
		Layers: []session.Layer{{Name: "selector/0", Shape: []int{t.settings.K, 1}, Parameters: 1, Gives: []int{t.settings.K, features}, Predicts: true}},
	}
}

// Selection returns the leaders.
func (t *Training) Selection() ([]session.Selected, error) {
	defer t.alone()()
	return t.selection(), nil
}

func (t *Training) selection() []session.Selected {
	list := make([]session.Selected, t.settings.K)
	for k := range list {
		j := t.leader(k)
		list[k] = session.Selected{Rank: k + 1, Index: j, Name: featureName(j), Selector: k,
			Probability: t.probability(), Margin: t.probability() - t.rest(), Entropy: 1, ChosenBy: session.ByGradient,
			Leader: session.Entry{Index: j, Name: featureName(j), Probability: t.probability()},
			Second: session.Entry{Index: j + 1, Probability: t.rest()}}
	}
	return list
}

// rest returns the probability of every other feature.
func (t *Training) rest() float64 { return (1 - t.probability()) / (features - 1) }

// Matrix returns the matrix with the leaders' columns first.
func (t *Training) Matrix(request session.MatrixRequest) (session.Matrix, error) {
	defer t.alone()()
	if err := request.Check(); err != nil {
		return session.Matrix{}, err
	}
	m := session.Matrix{Of: cmp.Or(request.Of, "probability"), Step: t.step, Epoch: t.epoch(), Tau: 1, D: features}
	selection := t.selection()
	for _, s := range selection[:min(len(selection), cmp.Or(request.Top, 40))] {
		m.Index, m.Names = append(m.Index, s.Index), append(m.Names, s.Name)
	}
	for k, s := range selection {
		row := make([]float64, len(m.Index))
		left := 1.0
		for c := range row {
			row[c] = t.rest()
			if c == k {
				row[c] = s.Probability
			}
			left -= row[c]
		}
		m.Leaders, m.LeaderValues = append(m.Leaders, s.Name), append(m.LeaderValues, s.Probability)
		m.Selectors, m.Values, m.LeftOut = append(m.Selectors, k), append(m.Values, row), append(m.LeftOut, left)
	}
	return m, nil
}

// Names returns gene00, gene01 and so on.
func (t *Training) Names() []string {
	names := make([]string, features)
	for j := range names {
		names[j] = featureName(j)
	}
	return names
}

// Feature returns the same description for every feature, except for its index,
// its name and its probabilities.
func (t *Training) Feature(which string) (session.Feature, error) {
	defer t.alone()()
	index := -1
	for j := range features {
		if featureName(j) == which || strconv.Itoa(j) == which {
			index = j
		}
	}
	if index < 0 {
		return session.Feature{}, errs.New(errs.NotFound, "did you mean gene07?", "there is no feature %q", which)
	}
	f := session.Feature{
		Step: t.step, Index: index, Name: featureName(index), Kept: true,
		Bins:      session.Bins{Edges: []float64{0, 1, 2}, Counts: [][]int{{train / 2, 0}, {0, train / 2}}},
		All:       session.Distribution{N: train, Mean: 1, Max: 2},
		Classes:   []session.Distribution{{Class: "healthy", N: train / 2}, {Class: "ill", N: train / 2}},
		Embedding: []float64{1}, EmbeddingLabels: []string{"bin 1"},
	}
	for k := range t.settings.K {
		p := t.rest()
		if t.leader(k) == index {
			p = t.probability()
		}
		f.Probability = append(f.Probability, p)
	}
	f.Course.Add(t.step, f.Probability)
	return f, nil
}

// Rows returns every training row. Healthy and ill rows alternate, every
// feature has twice the class as its value, and one value is missing.
func (t *Training) Rows(request session.RowsRequest) (session.Rows, error) {
	defer t.alone()()
	n := train - t.validation()
	part := func(from, n int) (p session.PartRows, values []session.Value) {
		p.Of = []int{(n + 1) / 2, n / 2}
		for i := range n {
			p.Row, p.Class, values = append(p.Row, from+i), append(p.Class, i%2), append(values, session.Value(2*(i%2)))
		}
		return p, values
	}
	r := session.Rows{Step: t.step, Seed: t.settings.Seed, Classes: []string{"healthy", "ill"}}
	var values, test []session.Value
	r.Train, values = part(0, n)
	if request.Test {
		t.looks++
		r.Test = new(session.PartRows)
		*r.Test, test = part(train, rows-train)
	}
	r.TestLooks = t.looks
	feature := func(j int) session.RowFeature {
		return session.RowFeature{Index: j, Name: featureName(j), Train: slices.Clone(values), Test: test}
	}
	for _, s := range t.selection() {
		f := feature(s.Index)
		if request.Neighbours {
			f.Neighbours = []session.Neighbour{{Index: s.Index ^ 1, Name: featureName(s.Index ^ 1), Correlation: 1}}
		}
		r.Features = append(r.Features, f)
		if request.Random {
			r.Random = append(r.Random, feature(s.Index^1))
		}
	}
	r.Features[0].Train[0] = session.Value(math.NaN())
	return r, nil
}

// Recorded returns a point for each epoch and for each single step, but at most
// as many as requested.
func (t *Training) Recorded() func(session.HistoryRequest) (session.History, error) {
	defer t.alone()()
	now := &Training{settings: t.settings, step: t.step, events: slices.Clone(t.events), singly: t.singly}
	return now.history
}

func (t *Training) history(request session.HistoryRequest) (session.History, error) {
	h := session.History{Step: t.step, PerEpoch: t.stepsPerEpoch(), Curves: map[string]session.Curve{}, Events: slices.Clone(t.events)}
	metrics := request.Metrics
	if len(metrics) == 0 {
		metrics = session.Metrics()
	}
	if err := request.Check(); err != nil {
		return h, err
	}
	for _, metric := range metrics {
		var c session.Curve
		for step := max(1, request.From); step <= t.step; step++ {
			if _, singly := slices.BinarySearch(t.singly, step); !singly && step%t.stepsPerEpoch() > 0 {
				continue
			}
			c.Steps = append(c.Steps, step)
			c.Values = append(c.Values, 1/float64(step))
		}
		h.Curves[metric] = c.Thin(cmp.Or(request.Points, 400))
	}
	if request.Selectors {
		h.Selectors = t.selectors(request.From)
	}
	return h, nil
}

// selectors returns a look at P for every epoch.
func (t *Training) selectors(from int) *session.Selectors {
	s := &session.Selectors{Looks: []session.Look{}, Names: map[int]string{}, SettleSteps: t.steps() / 20}
	for step := t.stepsPerEpoch(); step <= t.step; step += t.stepsPerEpoch() {
		then, look := &Training{settings: t.settings, step: step}, session.Look{Step: step}
		for k := range t.settings.K {
			j := t.leader(k)
			look.Leaders, look.Probability = append(look.Leaders, j), append(look.Probability, then.probability())
			s.Names[j] = featureName(j)
		}
		if step >= from {
			s.Looks = append(s.Looks, look)
		}
	}
	return s
}

// Evaluate predicts "healthy" for every row.
func (t *Training) Evaluate(part string) (session.Evaluation, error) {
	defer t.alone()()
	held := t.validation()
	n, known := map[string]int{session.Train: train - held, session.Validation: held, session.Test: rows - train}[part]
	switch {
	case !known:
		return session.Evaluation{}, errs.New(errs.Request, "give train, validation or test", "part = %q", part)
	case n == 0:
		return session.Evaluation{}, session.NoRows(part)
	}
	if part == session.Test {
		t.looks++
	}
	return session.Evaluation{
		Part: part, Rows: n, Step: t.step, Score: session.Score{Metric: session.Accuracy, Value: 0.5}, BalancedAccuracy: new(0.5), Guess: 0.5,
		Confusion: [][]int{{n / 2, 0}, {n - n/2, 0}}, Classes: []string{"healthy", "ill"},
		ReconstructionError: 1, TestLooks: t.looks,
	}, nil
}
