package train

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/nn"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
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
		StepsPerSecond: t.pace.PerSecond(), Seconds: t.pace.Spent.Seconds(),
		Backend: t.device.Name, Device: t.device.Description, BackendReason: t.device.Reason,
		TestLooks: t.looks, Parameters: a.PredictorSize(), ParametersTrained: a.Size(), ModelKB: metric.ModelKB(a.PredictorSize()),
		Layers: layers(a.Architecture, len(t.columns)),
	}
	if t.over() {
		s.Parameters *= repair.HeadCount
		s.ModelKB *= repair.HeadCount
	}
	s.TrainScore.Metric = session.MetricOf(t.target.Quantity != nil)
	if t.step > 0 {
		e := t.record.latest(t.engine.StepsPerEpoch)
		s.Trained = true
		s.Loss, s.LossClass, s.LossReconstruction = e.Loss, e.LossClass, e.LossReconstruction
		s.TrainScore.Value = e.Accuracy
	}
	if last := t.record.lastLook(); last != nil {
		s.MaxProbability, s.UniqueRows = &last.MaxProbability, &last.Unique
		if validation := t.record.lastValidation(); !math.IsNaN(validation) {
			s.ValidationScore = &session.Score{Metric: s.TrainScore.Metric, Value: validation}
		}
		s.SettledRows = t.record.settled(t.settleTime())
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
	var before []int // what the selectors had chosen before the contest
	if t.over() {
		before = t.finish.chosen
	}
	for selector, j := range chosen {
		row := p[selector*a.D : (selector+1)*a.D]
		best := num.TopK(row, 2)
		other := row[best[0]]
		if best[0] == j && len(best) > 1 {
			other = row[best[1]]
		}
		index, name := t.feature(j)
		s := session.Selected{
			Index: index, Name: name, Selector: selector, LeadsSince: t.record.since(selector),
			Probability: float64(row[j]), Margin: float64(row[j]) - float64(other),
			Entropy: seen.Entropy[selector], Leader: t.entry(row, best[0]), Second: t.entry(row, best[len(best)-1]),
			Changes: t.record.changes(selector), SettlesAt: t.record.settlesAt(selector, t.settleTime(), t.Steps()),
			Must: t.known.IsRequired(index),
		}
		if s.Challenger = before != nil && before[selector] != j; s.Challenger {
			list[selector] = s
			continue
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
	if err := request.Check(); err != nil {
		return session.Matrix{}, err
	}
	a := t.engine.Layout
	if request.Step != nil && *request.Step != t.step {
		return session.Matrix{}, errs.New(errs.Request, "ask the training's Replay for it", "the training is at step %d, not %d", t.step,
			*request.Step)
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
	switch request.Of {
	case "soft":
		values, err = t.engine.Matrix(engine.MatrixSoft, t.step, t.tau(), t.look(t.step))
	case "sample":
		values, err = t.engine.Matrix(engine.MatrixSample, t.step, t.tau(), t.look(t.step))
	}
	if err != nil {
		return session.Matrix{}, err
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
	for _, j := range num.TopK(largest, min(top, a.D)) {
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

// tau is the temperature of the next step, and sharpness its σ, of which P is made.
func (t *Training) tau() float64       { return t.course().Tau(t.epoch()) }
func (t *Training) sharpness() float64 { return t.look(t.step).Sharpness }

// look is what P is looked at with as it was at a step, with the values in force.
func (t *Training) look(step int) engine.Look {
	sharpness := t.course().Sharpness(float64(step) / float64(t.engine.StepsPerEpoch))
	return engine.Look{Sharpness: sharpness, Apart: t.engine.Layout.PullsApart(t.settings.Live) || t.engine.Layout.GroupLimit > 0}
}

func (t *Training) course() config.Course {
	course, err := t.settings.Course()
	if err != nil {
		panic(err) // not reached: settings are checked
	}
	return course
}

// chosen is the feature of each selector now, of P or, with selection=sample, of one noisy M.
func (t *Training) chosen(p []float32) ([]int, error) {
	if t.settings.Selection == config.BySample {
		return t.sampled()
	}
	chosen := t.unique(p)
	if t.over() {
		return t.contested(chosen)
	}
	return chosen, nil
}

// sampled is what the unique argmax chooses of M with the noise and temperature of the next step: a function of the state, seed and step.
func (t *Training) sampled() ([]int, error) {
	m, err := t.engine.Matrix(engine.MatrixSample, t.step, t.tau(), t.look(t.step))
	if err != nil {
		return nil, err
	}
	return t.unique(m), nil
}

// evaluated is the feature of each selector with which the network is evaluated.
func (t *Training) evaluated() ([]int, error) {
	if t.built != nil {
		return t.built, nil
	}
	p, err := t.engine.Probability(t.look(t.step))
	if err != nil {
		return nil, err
	}
	return t.chosen(p)
}

// History is the curves by epoch, thinned without losing extremes, and the events.
func (t *Training) History(request session.HistoryRequest) (session.History, error) {
	return t.Recorded()(request)
}

// Recorded takes what was recorded up to this moment, without copying it. The history of it may be asked for at any later time, in any
// goroutine, whatever the training does meanwhile.
func (t *Training) Recorded() func(session.HistoryRequest) (session.History, error) {
	r, step, perEpoch, events := t.record.snapshot(), t.step, t.engine.StepsPerEpoch, slices.Clip(t.events)
	// Those of this moment: a rewind gives the training others.
	settle, columns, data, regression := t.settleTime(), t.columns, t.data, t.target.Quantity != nil
	return func(request session.HistoryRequest) (session.History, error) {
		if err := request.Check(); err != nil {
			return session.History{}, err
		}
		h := session.History{Step: step, PerEpoch: perEpoch, Curves: r.curves(request, regression), Events: slices.Clone(events)}
		if request.Selectors {
			h.Selectors = r.selectors(request.From, settle, func(j int) (int, string) { return named(data, columns, j) })
		}
		return h, nil
	}
}

// Evaluate applies the network to the selected features of the train, validation or test rows, without noise and dropout. Looking at the
// test rows is counted: tuning by them is tuning on the test set. The error is of kind Request where that part has no rows.
func (t *Training) Evaluate(part string) (session.Evaluation, error) {
	rows, known := map[string][]int{session.Train: t.data.Parts.Train, session.Validation: t.data.Parts.Validation,
		session.Test: t.data.Parts.Test}[part]
	switch {
	case !known:
		return session.Evaluation{}, errs.New(errs.Request, phrase.DidYouMean(part, session.Parts()),
			"part = %q is none of train, validation and test", part)
	case len(rows) == 0:
		return session.Evaluation{}, session.NoRows(part)
	}
	p, err := t.predict(rows)
	if err != nil {
		return session.Evaluation{}, err
	}
	e := session.Evaluation{
		Part: part, Step: t.step, Rows: len(rows),
		ReconstructionError: p.reconstruction,
		MutualInformation:   metric.MutualInformation(p.selected, len(rows), t.engine.Layout.K),
	}
	if e.Score.Metric = session.MetricOf(t.target.Quantity != nil); e.Score.Metric.Quantity() {
		truth := t.quantities(rows)
		e.Score.Value, e.RMSE = metric.R2(truth, p.quantities), new(metric.RMSE(truth, p.quantities))
	} else {
		truth, classes := t.truth(rows), len(t.data.Classes)
		e.Classes = t.data.Classes
		e.Score.Value = metric.Accuracy(truth, p.classes)
		e.BalancedAccuracy = new(metric.BalancedAccuracy(truth, p.classes, classes))
		e.Guess = metric.Majority(t.truth(t.data.Parts.Train), truth, classes)
		e.Confusion = metric.Confusion(truth, p.classes, classes)
	}
	if part == session.Test {
		t.looks++
	}
	e.TestLooks = t.looks
	return e, nil
}

// truth is the class of each of the rows.
func (t *Training) truth(rows []int) []int {
	y := make([]int, len(rows))
	for i, row := range rows {
		y[i] = t.data.Y[row]
	}
	return y
}

// prediction is the network on the features selected now.
type prediction struct {
	said
	selected       []float32 // x^S, rows×K
	reconstruction float64   // mean squared error
}

func (t *Training) predict(rows []int) (prediction, error) {
	features, err := t.evaluated()
	if err != nil {
		return prediction{}, err
	}
	passed := features // what the trained network reads; a contest may have given some selectors others
	var heads []nn.Perceptron
	if t.over() {
		if heads, err = t.heads(features); err != nil {
			return prediction{}, err
		}
		passed = t.finish.chosen
	}
	var all prediction
	var scores []float32
	err = t.parts(rows, func(part []int, x []float32) error {
		selected := selectColumns(x, len(part), features)
		own, reconstruction, err := t.engine.Infer(selectColumns(x, len(part), passed), x, len(part))
		if err != nil {
			return err
		}
		if heads != nil {
			own = headScores(heads, selected, len(features))
		}
		scores = append(scores, own...)
		all.selected = append(all.selected, selected...)
		all.reconstruction += reconstruction * float64(len(part)) / float64(len(rows))
		return nil
	})
	all.said = t.said(scores)
	return all, err
}

// selectColumns is x^S: column k of the result is the feature that selector k got, not the feature of rank k. rows×d to rows×K.
func selectColumns(x []float32, rows int, features []int) []float32 {
	d := len(x) / rows
	out := make([]float32, 0, rows*len(features))
	for i := range rows {
		for _, j := range features {
			out = append(out, x[i*d+j])
		}
	}
	return out
}

// classesOf turns the network's scores, rows×C, into classes.
func (t *Training) classesOf(scores []float32) []int {
	var classes []int
	classOf := t.classOf()
	for row := range slices.Chunk(scores, len(t.slots)) {
		classes = append(classes, classOf[num.Argmax(row)])
	}
	return classes
}

// classOf is the class of each output of the network.
func (t *Training) classOf() []int {
	classes := make([]int, len(t.slots))
	for class, slot := range t.slots {
		classes[slot] = class
	}
	return classes
}

// Rows is what the features selected now are in the training rows, and in the test rows where these are asked for, which is a look at them
// and counted. Session is left for the caller to fill in.
func (t *Training) Rows(request session.RowsRequest) (session.Rows, error) {
	selected, err := t.Selection()
	if err != nil {
		return session.Rows{}, err
	}
	r, err := Preview(context.Background(), t.data, selected, t.settings.Seed, request)
	if err != nil {
		return session.Rows{}, err
	}
	if request.Test {
		t.looks++
	}
	r.Step, r.TestLooks = t.step, t.looks
	return r, nil
}

// Fitted is what a training has come to: all that a model is made of.
type Fitted struct {
	Settings config.Settings
	Step     int
	Data     *dataset.Prepared  // how its columns are scaled is that of its training rows
	Selected []session.Selected // by rank; of how the training came to them no more than LeadsSince
	Networks []nn.Perceptron    // of what the selectors read; they predict by the mean of their scores
	Signs    []float64          // of each selector: −1 where it reads its feature turned, else 1
	Slots    []int              // the class of each output; of a quantity none
	Unit     dataset.Unit       // of a quantity: what the network says is in it
}

// Fitted takes the present selection and network out of the training.
func (t *Training) Fitted() (Fitted, error) {
	selected, err := t.Selection()
	if err != nil {
		return Fitted{}, err
	}
	theta, _, err := t.engine.Parameters()
	if err != nil {
		return Fitted{}, err
	}
	f := Fitted{Settings: t.settings, Step: t.step, Data: t.data, Unit: t.target.unit, Signs: slices.Repeat([]float64{1}, len(selected))}
	for _, s := range selected {
		f.Selected = append(f.Selected, session.Selected{
			Rank: s.Rank, Index: s.Index, Name: s.Name, Selector: s.Selector,
			Probability: s.Probability, Margin: s.Margin, LeadsSince: s.LeadsSince,
		})
		if t.signs != nil {
			f.Signs[s.Selector] = float64(t.signs[t.place(s.Index)])
		}
	}
	if t.target.Quantity == nil {
		f.Slots = t.classOf()
	}
	if t.over() {
		features := make([]int, len(selected))
		for _, s := range selected {
			features[s.Selector] = t.place(s.Index)
		}
		f.Networks, err = t.heads(features)
		return f, err
	}
	f.Networks = []nn.Perceptron{predictorOf(t.engine.Layout.Parameters(), theta)}
	return f, nil
}

// place returns the feature of the graph of a column of the file.
func (t *Training) place(index int) int {
	kept, _ := slices.BinarySearch(t.data.Kept, index)
	return slices.Index(t.columns, kept)
}

// predictorOf takes the encoder and the classifier out of the parameters.
func predictorOf(parameters []method.Parameter, theta []float32) (p nn.Perceptron) {
	var weights []float32 // that come before their biases
	for _, block := range parameters {
		switch values := theta[block.Start : block.Start+block.Size()]; {
		case !block.Predicts():
		case len(block.Dims) == 2:
			weights = values
		default:
			p.Layers = append(p.Layers, nn.NewLayer(weights, values))
		}
	}
	return p
}

// Stopwatch begins at the parameters that the training has now, with step 0's temperature and batches. Its first steps compile the graph
// if the device has no program of this shape. Close it before the training.
func (t *Training) Stopwatch() (*engine.Stopwatch, error) {
	return t.engine.Stopwatch(t.settings.Live, engine.ChunkCapacity)
}

// Defined is the same training with the step as the paper's definition has it (package method), one a call: no hand-made gradients, no
// blocks, no parts. It is what the ratio of fsnet bench refers to.
func (t *Training) Defined() (*engine.Stopwatch, error) { return t.engine.Defined(t.settings.Live) }

// WriteInputs writes a safetensors file with everything that n steps of this training read but their noise: phi b×d, x rows×d, y rows×C
// (one-hot; of a quantity rows×1; behind them the rows' weights where they have some), theta (the flat parameters), and for each step rows
// n×B, masks n×B and hypers n×7 (temperature, learning rate, the selector's, λ, dropout, sharpness, repulsion). With it another program can
// make the same steps, but for what is known of features beforehand.
func (t *Training) WriteInputs(path string, n int) error {
	return t.engine.WriteInputs(path, n, t.settings.Live)
}
