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

// Status returns the current state of the training. The caller must set the
// Session field.
func (t *Training) Status() session.Status {
	a := t.engine.Layout
	units, unit := t.data.Units(num.Indices(t.data.N))
	s := session.Status{
		Units: units, Unit: unit,
		State: t.state, Reason: t.reason, Config: t.settings,
		Dataset: t.data.Name, DataHash: t.data.Hash, TestHash: t.data.TestHash, N: t.data.N, D: t.data.D, Classes: t.data.Classes, Table: t.table,
		Train: len(t.data.Parts.Train), Validate: len(t.data.Parts.Validation), Test: len(t.data.Parts.Test),
		Constant: t.data.D - len(t.data.Kept), Screened: len(t.data.Kept) - len(t.columns),
		Step: t.step, Steps: t.Steps(), StepsPerEpoch: t.engine.StepsPerEpoch, Epoch: t.epoch(), Tau: t.tau(), Sharpness: t.sharpness(),
		StepsPerSecond: t.pace.PerSecond(), Seconds: t.pace.Spent.Seconds(),
		Backend: t.device.Name, Device: t.device.Description, BackendReason: t.device.Reason,
		TestLooks: t.looks, Parameters: a.PredictorSize(), ParametersTrained: a.Size(), ModelKB: metric.ModelKB(a.PredictorSize()),
		Layers: layers(a.Architecture, len(t.columns)),
	}
	if t.ending != nil {
		s.Contest, s.Final = t.ending.contest, t.final()
		if !s.Final.OtherChoice {
			s.Parameters *= s.Final.Count
			s.ModelKB *= float64(s.Final.Count)
		}
	}

	s.TrainScore.Metric = session.MetricOf(t.target.Quantity != nil)
	if t.step > 0 {
		e := t.record.latest(t.engine.StepsPerEpoch)
		s.Trained = true
		s.Loss, s.LossClass, s.LossReconstruction = e[columnLoss], e[columnLossClass], e[columnLossReconstruction]
		s.TrainScore.Value = e[columnAccuracy]
	}
	if last := t.record.lastLook(); last != nil {
		s.MaxProbability, s.UniqueRows = &last.MaxProbability, &last.Unique
		if validation := t.record.lastValidation(); !math.IsNaN(validation) {
			s.ValidationScore = &session.Score{Metric: s.TrainScore.Metric, Value: validation}
		}
		s.SettledRows = t.record.settledCount(t.settleTime())
	}

	if rate := s.StepsPerSecond; rate > 0 {
		s.SecondsLeft = float64(s.Steps-s.Step) / rate
	}
	return s
}

// layers lists the layers of the network. The number of parameters of a layer
// includes its biases. features is the number of features without those that
// the program adds as padding.
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

// Selection returns the current choice of each selector, by decreasing
// probability: the unique argmax of P.
func (t *Training) Selection() ([]session.Selected, error) {
	p, err := t.engine.Probability(t.lookAt(t.step))
	if err != nil {
		return nil, err
	}
	return t.selection(p)
}

// selection does the work of Selection for callers that already have P at the
// current step.
func (t *Training) selection(p []float32) ([]session.Selected, error) {
	a := t.engine.Layout
	observed, err := t.engine.Observe(t.lookAt(t.step), t.tau())
	if err != nil {
		return nil, err
	}
	list := make([]session.Selected, a.K)
	chosen, err := t.choice(p)
	if err != nil {
		return nil, err
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
			Index: index, Name: name, Selector: selector, LeadsSince: t.record.leaderSince(selector),
			Probability: float64(row[j]), Margin: float64(row[j]) - float64(other),
			Entropy: observed.Entropy[selector], Leader: t.entry(row, best[0]), Second: t.entry(row, best[len(best)-1]),
			Changes: t.record.changes(selector), SettlesAt: t.record.settlesAt(selector, t.step, t.settleTime(), t.Steps()),
			Must: t.known.IsRequired(index),
		}
		s.ChosenBy, s.Replaced = t.chosenBy(selector, j, row[j]), t.replaced(selector)
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

// entry describes feature j of the graph with its probability in row, a row of
// P.
func (t *Training) entry(row []float32, j int) session.Entry {
	index, name := t.feature(j)
	return session.Entry{Index: index, Name: name, Probability: float64(row[j])}
}

// defaultColumns is the number of columns of a matrix if the request does not
// give one.
const defaultColumns = 40

// Matrix returns the columns of P, or of the soft matrix or the sample M, that
// have the largest entries. It leaves out columns without an entry of at least
// .001, except for those of selected features. Rows are in the order of the
// selection, and the columns begin with the selected features in the same
// order, so once the selection has settled, the large entries lie on the
// diagonal. A step other than the current one is an error: use Replay for it.
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
	p, err := t.engine.Probability(t.lookAt(t.step))
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
		values, err = t.engine.Matrix(engine.MatrixSoft, t.step, t.tau(), t.lookAt(t.step))
	case "sample":
		values, err = t.engine.Matrix(engine.MatrixSample, t.step, t.tau(), t.lookAt(t.step))
	}
	if err != nil {
		return session.Matrix{}, err
	}

	columns := t.columnsWithMass(values, selection, top)
	m := session.Matrix{
		Of: cmp.Or(request.Of, "probability"), Step: t.step, Epoch: t.epoch(), Tau: t.tau(), D: t.data.D,
		Index: make([]int, len(columns)), Names: make([]string, len(columns)),
	}
	if t.ending != nil {
		m.Contest = t.ending.contest
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

// columnsWithMass returns at most top features of the graph. The selected ones
// come first, in their order. Then come those with the largest entry in any
// row, if it exceeds 0.001.
func (t *Training) columnsWithMass(values []float32, selection []session.Selected, top int) []int {
	a := t.engine.Layout
	var columns []int
	for _, s := range selection[:min(top, len(selection))] {
		columns = append(columns, t.graphFeature(s.Index))
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
		if !slices.Contains(columns, j) {
			columns = append(columns, j)
		}
	}
	return columns
}

// Names returns the names of the features, by column of the file. The caller
// must not change the list.
func (t *Training) Names() []string { return t.data.Features }

// tau and sharpness return the temperature τ and the sharpness σ of the next
// step.
func (t *Training) tau() float64       { return t.course().Tau(t.epoch()) }
func (t *Training) sharpness() float64 { return t.lookAt(t.step).Sharpness }

// lookAt returns the sharpness and exclusiveness with which P is computed at a
// step, from the current values of the live keys.
func (t *Training) lookAt(step int) engine.Look {
	sharpness := t.course().Sharpness(float64(step) / float64(t.engine.StepsPerEpoch))
	return engine.Look{Sharpness: sharpness, Exclusive: t.engine.Layout.NeedsRepulsion(t.settings.Live) || t.engine.Layout.GroupLimit > 0}
}

// course returns the schedules of τ and σ for the current settings.
func (t *Training) course() config.Course {
	course, err := t.settings.Course()
	if err != nil {
		panic(err) // This is unreachable, because settings are checked.
	}
	return course
}

// choice returns the current feature of each selector. It is taken from P or,
// with Selection = sample, from one noisy M.
func (t *Training) choice(p []float32) ([]int, error) {
	if t.settings.Selection == config.BySample {
		return t.sampleChoice()
	}
	return t.uniqueArgmax(p), nil
}

// sampleChoice returns the unique argmax of M, drawn with the noise and
// temperature of the next step. So the result depends only on the state, the
// seed and the step.
func (t *Training) sampleChoice() ([]int, error) {
	m, err := t.engine.Matrix(engine.MatrixSample, t.step, t.tau(), t.lookAt(t.step))
	if err != nil {
		return nil, err
	}
	return t.uniqueArgmax(m), nil
}

// evaluatedFeatures returns the features on which the network is evaluated, one
// for each selector. They are the current choice or, with Evaluation =
// as-built, the choice before the first step.
func (t *Training) evaluatedFeatures() ([]int, error) {
	if t.built != nil {
		return t.built, nil
	}
	p, err := t.engine.Probability(t.lookAt(t.step))
	if err != nil {
		return nil, err
	}
	return t.choice(p)
}

// History returns the curves by epoch and the events. It thins long curves
// without losing their extremes.
func (t *Training) History(request session.HistoryRequest) (session.History, error) {
	return t.Recorded()(request)
}

// Recorded captures the current record without copying it. You may call the
// returned function at any later time and from any goroutine, also while the
// training continues.
func (t *Training) Recorded() func(session.HistoryRequest) (session.History, error) {
	r, step, perEpoch, events := t.record.snapshot(), t.step, t.engine.StepsPerEpoch, slices.Clip(t.events)
	// A rewind replaces these in the training, so keep their current values.
	settle, columns, data, regression := t.settleTime(), t.columns, t.data, t.target.Quantity != nil
	var contest *session.Contest
	if t.ending != nil {
		contest = t.ending.contest
	}
	return func(request session.HistoryRequest) (session.History, error) {
		if err := request.Check(); err != nil {
			return session.History{}, err
		}
		h := session.History{Step: step, PerEpoch: perEpoch, Curves: r.curves(request, regression), Events: slices.Clone(events)}
		if request.Selectors {
			h.Selectors = r.selectors(request.From, settle, func(j int) (int, string) { return featureOf(data, columns, j) })
			h.Selectors.Contest = contest
		}
		return h, nil
	}
}

// Evaluate predicts the train, validation or test rows, without noise and
// dropout, from the chosen features. It scores the trained network and, after
// the ending, the final networks. It counts how often you look at the test
// rows, because choosing settings by them would make the test score too high.
// If the part has no rows, the error is of kind Request.
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
		Part: part, Step: t.step, Rows: len(rows), Network: session.TrainedNetwork, Trained: t.scoreOf(rows, p.predictions),
		ReconstructionError: p.reconstruction,
		MutualInformation:   metric.MutualInformation(p.selected, len(rows), t.engine.Layout.K),
	}
	e.Score = e.Trained
	if t.ending != nil {
		final, err := t.predictFinal(part, rows)
		if err != nil {
			return session.Evaluation{}, err
		}
		other, err := t.otherChoice()
		if err != nil {
			return session.Evaluation{}, err
		}
		e.Final = &session.FinalScore{Step: t.ending.step, Score: t.scoreOf(rows, final), OtherChoice: other}
		if !other {
			e.Network, e.Score, p.predictions = session.FinalNetwork, e.Final.Score, final
		}
	}

	if e.Score.Metric.Quantity() {
		e.RMSE = new(metric.RMSE(pick(t.data.Target, rows), p.quantities))
	} else {
		truth, classes := pick(t.data.Y, rows), len(t.data.Classes)
		e.Classes = t.data.Classes
		e.BalancedAccuracy = new(metric.BalancedAccuracy(truth, p.classes, classes))
		e.Guess = metric.Majority(truth, classes)
		e.Confusion = metric.Confusion(truth, p.classes, classes)
		low, high := t.accuracyInterval(rows, truth, p.classes)
		e.Low, e.High = &low, &high
	}
	e.Units, e.Unit = t.data.Units(rows)
	if part == session.Test {
		t.looks++
	}
	e.TestLooks = t.looks
	return e, nil
}

// accuracyInterval returns the 95 % confidence interval of the accuracy on
// rows. If there are groups or pairs, it treats each of them as one
// observation, because the groups were sampled, not their rows.
func (t *Training) accuracyInterval(rows, truth, predicted []int) (low, high float64) {
	if t.data.Groups == nil {
		return metric.WilsonInterval(metric.Accuracy(truth, predicted), float64(len(rows)))
	}
	right := make([]bool, len(rows))
	for i, y := range truth {
		right[i] = y == predicted[i]
	}
	return metric.UnitInterval(right, pick(t.data.Groups.Of, rows))
}

// scoreOf returns the score of predictions p for rows: the accuracy or, for a
// quantity, R².
func (t *Training) scoreOf(rows []int, p predictions) session.Score {
	s := session.Score{Metric: session.MetricOf(t.target.Quantity != nil)}
	if s.Metric.Quantity() {
		s.Value = metric.R2(pick(t.data.Target, rows), p.quantities)
	} else {
		s.Value = metric.Accuracy(pick(t.data.Y, rows), p.classes)
	}
	return s
}

// prediction holds what the trained network returns for some rows.
type prediction struct {
	predictions
	selected       []float32 // the chosen features, rows×K
	reconstruction float64   // mean squared error
}

// predict applies the trained network to the selected features of rows. At the
// step of the contest the network has not yet been trained on the features that
// were exchanged, so predict uses those from before the contest.
func (t *Training) predict(rows []int) (prediction, error) {
	features, err := t.evaluatedFeatures()
	if err != nil {
		return prediction{}, err
	}
	passed := features
	if t.ending != nil && t.ending.step == t.step {
		passed = t.ending.chosen
	}

	var all prediction
	var scores []float32
	err = t.eachPart(rows, t.engine.Layout.Width(), func(part []int, x []float32) error {
		all.selected = append(all.selected, selectColumns(x, len(part), features)...)
		own, reconstruction, err := t.engine.Infer(selectColumns(x, len(part), passed), x, len(part))
		if err != nil {
			return err
		}
		scores = append(scores, own...)
		all.reconstruction += reconstruction * float64(len(part)) / float64(len(rows))
		return nil
	})
	all.predictions = t.predictionsOf(scores)
	return all, err
}

// selectColumns returns the columns features of x (rows×d) as a matrix of shape
// rows×K. They are in the order of the selectors, not of their ranks.
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

// classesOf returns, for each row of scores (rows×classes), the class with the
// largest score.
func (t *Training) classesOf(scores []float32) []int {
	var classes []int
	classOf := t.classOf()
	for row := range slices.Chunk(scores, len(t.slots)) {
		classes = append(classes, classOf[num.Argmax(row)])
	}
	return classes
}

// classOf returns the class that each output of the network stands for. It
// inverts t.slots.
func (t *Training) classOf() []int {
	classes := make([]int, len(t.slots))
	for class, slot := range t.slots {
		classes[slot] = class
	}
	return classes
}

// Rows returns the values of the selected features in a sample of the training
// rows and, on request, of the test rows. The latter counts as a look at the
// test rows. The caller must set the Session field.
func (t *Training) Rows(request session.RowsRequest) (session.Rows, error) {
	selected, err := t.Selection()
	if err != nil {
		return session.Rows{}, err
	}
	r, err := Preview(context.Background(), t.data, selected, t.settings.Seed, request)
	if err != nil {
		return session.Rows{}, err
	}
	if request.Neighbours {
		for i := range r.Features {
			t.addSpoken(&r.Features[i])
		}
	}
	if request.Test {
		t.looks++
	}
	r.Step, r.TestLooks = t.step, t.looks
	var chosen []int // features of the graph
	files := t.fileColumns()
	for _, s := range selected {
		chosen = append(chosen, slices.Index(files, s.Index))
	}
	r.Pairs = t.pairTexts(chosen)
	return r, nil
}

// addSpoken adds to f the features that f currently speaks for, see
// [repair.Spokesmen].
func (t *Training) addSpoken(f *session.RowFeature) {
	if t.spokesmen == nil || t.sharpness() <= 1 {
		return
	}
	files := t.fileColumns()
	speaker := int32(slices.Index(files, f.Index))
	spoken := map[int]bool{}
	for j, index := range files {
		if index != f.Index && slices.Contains(t.spokesmen[j*repair.Speakers:(j+1)*repair.Speakers], speaker) {
			spoken[index] = true
		}
	}
	f.SpeaksFor = len(spoken)
	for i := range f.Neighbours {
		f.Neighbours[i].Spoken = spoken[f.Neighbours[i].Index]
	}
}

// Fitted holds all that a saved model needs from a training.
type Fitted struct {
	Settings config.Settings
	Step     int
	Data     *dataset.Prepared // data, scaled by its training rows
	// Selected holds the selected features by rank. Only LeadsSince, ChosenBy
	// and Replaced of their history are set.
	Selected []session.Selected
	Networks []nn.Perceptron // read the selected features; the mean of their scores predicts
	Signs    []float64       // for each selector, −1 if it reads its feature turned, otherwise 1
	Slots    []int           // class of each output, or nil for a quantity
	Unit     dataset.Unit    // unit of the outputs for a quantity
}

// Fitted returns the current selection and the networks that predict from it.
// These are the final networks if they read the same features. Otherwise, and
// before the ending, they are the trained encoder and classifier.
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
			Probability: s.Probability, Margin: s.Margin, LeadsSince: s.LeadsSince, ChosenBy: s.ChosenBy, Replaced: s.Replaced,
		})
		if t.signs != nil {
			f.Signs[s.Selector] = float64(t.signs[t.graphFeature(s.Index)])
		}
	}

	if t.target.Quantity == nil {
		f.Slots = t.classOf()
	}

	if t.ending != nil {
		other, err := t.otherChoice()
		if err != nil {
			return Fitted{}, err
		}
		if !other {
			f.Networks, err = t.ending.networks()
			return f, err
		}
	}
	f.Networks = []nn.Perceptron{predictorOf(t.engine.Layout.Parameters(), theta)}
	return f, nil
}

// graphFeature returns the feature of the graph that reads a column of the
// file. The column must be one that the graph reads.
func (t *Training) graphFeature(index int) int {
	kept, _ := slices.BinarySearch(t.data.Kept, index)
	return slices.Index(t.columns, kept)
}

// predictorOf returns the encoder and classifier as one network, with their
// weights from theta.
func predictorOf(parameters []method.Parameter, theta []float32) (p nn.Perceptron) {
	var weights []float32 // Weights precede their biases.
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

// Stopwatch returns a stopwatch that times steps on a copy of the current
// parameters, with the temperature and batches of step 0. Its first steps
// compile the graph unless the device already has a program of this shape. The
// caller must close the stopwatch before the training.
func (t *Training) Stopwatch() (*engine.Stopwatch, error) {
	return t.engine.Stopwatch(t.settings.Live, engine.ChunkCapacity)
}

// Definition returns a stopwatch for the reference form of a step (package
// method): one step per call, without hand-written gradients, blocks and parts.
// The command fsnet bench compares the programs with it.
func (t *Training) Definition() (*engine.Stopwatch, error) {
	return t.engine.Definition(t.settings.Live)
}

// WriteInputs calls [engine.Engine.WriteInputs] with the current values of the
// live keys.
func (t *Training) WriteInputs(path string, n int) error {
	return t.engine.WriteInputs(path, n, t.settings.Live)
}
