package train

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/fsnet/nn"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
)

// Limits of the training rows that a contest and the final networks read,
// evenly spread. A contest holds its readings of all features in memory, so
// there is none among more than mostColumns.
const (
	mostTaught  = 20_000
	mostColumns = 20_000
)

// ending holds what happens to a training once, at the step where it is
// over: the contest, and the final networks. It is a function of the path of
// the training and never changes. Features are columns of the graph, one for
// each selector.
type ending struct {
	step     int
	contest  *session.Contest // nil if there are more than mostColumns features
	chosen   []int            // features of the unique argmax before the contest
	features []int            // features after the contest, which the final networks read
	// For each selector, the feature that it is held on, or −1. It is nil if
	// the contest exchanged nothing.
	held []int
	by   []string // for each of features, by what it was chosen
	// networks returns the final networks. The first call trains them.
	// Trainings with this past share them.
	networks func() ([]nn.Perceptron, error)
}

// finalScores are the scores of the final networks that are known.
type finalScores struct {
	Train      *session.Score `json:"train,omitempty"`
	Validation *session.Score `json:"validation,omitempty"`
	Test       *session.Score `json:"test,omitempty"`
}

// of returns a pointer to the score of a subset of the rows.
func (s *finalScores) of(part string) **session.Score {
	switch part {
	case session.Train:
		return &s.Train
	case session.Validation:
		return &s.Validation
	}
	return &s.Test
}

// endsHere reports whether the contest and the final networks follow the
// current step. They do where the annealing ends, or where a run stops
// because every selector is settled, at the first such step on the path of
// the training. It does not matter what made the step. Settings that do not
// finish ([config.Settings.Finishes]) have no ending.
func (t *Training) endsHere() bool {
	if t.ending != nil || !t.settings.Finishes() {
		return false
	}
	stop, err := config.ParseStop(t.settings.Stop)
	return t.step > 0 && t.step >= t.Steps() || t.state == session.Settled && err == nil && stop.Settled
}

// finish holds the contest at the current step, records a look at P if the
// contest changed it, and appoints the final networks. If the device cannot
// be read, the training fails.
func (t *Training) finish() error {
	t.engine.Rest() // trainings beside this one go on
	e, err := t.makeEnding()
	if err != nil {
		t.fail(err.Error())
		return err
	}
	t.ending = e
	if n := t.record.settledCount(t.settleTime()); t.state == session.Settled && n < t.settings.K {
		// An exchange may leave another selector less certain than it was.
		t.reason = fmt.Sprintf("every selector was settled, after the contest %d of %d are", n, t.settings.K)
	}
	if e.contest != nil {
		for _, x := range e.contest.Exchanges {
			t.event("contest", t.exchangeText(x), nil)
		}
	}
	t.event("final", fmt.Sprintf("final networks: %d small networks learn the classes from %s alone", repair.HeadCount, t.chosenText()), nil)
	return nil
}

// chosenText counts the chosen features, in words.
func (t *Training) chosenText() string {
	if t.settings.K == 1 {
		return "the chosen feature"
	}
	return fmt.Sprintf("the %d chosen features", t.settings.K)
}

// makeEnding is finish without its events. If it succeeds, selectors are
// held.
func (t *Training) makeEnding() (*ending, error) {
	look := t.lookAt(t.step)
	p, err := t.engine.Probability(look)
	if err != nil {
		return nil, err
	}
	e := &ending{step: t.step, chosen: t.uniqueArgmax(p)}
	e.features = e.chosen
	if len(t.columns) <= mostColumns {
		if err := t.settle(e, p); err != nil {
			return nil, err
		}
	}
	// Copies of the current values, because the training may change.
	then, weights := *t, t.engine.ClassWeights(t.settings.Live)
	e.networks = sync.OnceValues(func() ([]nn.Perceptron, error) { return then.trainFinal(e.features, weights) })
	return e, nil
}

// settle holds the contest and writes its result to e. p is P before it. It
// then holds the selectors that exchanged their feature, and every other one
// to which the unique argmax would now give another feature.
func (t *Training) settle(e *ending, p []float32) error {
	contest, err := t.newContest()
	if err != nil {
		return err
	}

	d := t.engine.Layout.D
	features, exchanges := contest.SettlePairs(e.chosen)
	e.features, e.contest = features, &session.Contest{Step: t.step, Exchanges: []session.Exchange{}}
	for k, j := range e.chosen {
		e.by = append(e.by, t.chosenBy(k, j, p[k*d+j]))
	}
	if len(exchanges) == 0 {
		return nil
	}

	held := slices.Repeat([]int{-1}, len(features))
	for _, x := range exchanges {
		row := p[x.Selector*d : (x.Selector+1)*d]
		by := session.ByContest
		if x.Pair {
			by = session.ByPair
		}
		e.by[x.Selector], held[x.Selector] = by, x.To
		e.contest.Exchanges = append(e.contest.Exchanges, session.Exchange{
			Selector: x.Selector, From: t.entry(row, x.From), To: t.entry(row, x.To), By: by,
			Share: x.Share, ErrorChange: x.ErrorChange,
		})
	}
	e.held = held

	before := t.ending
	t.ending = e // uniqueArgmax reads it.
	defer func() { t.ending = before }()
	for differs := true; differs; {
		if err := t.hold(held); err != nil {
			return err
		}
		if p, err = t.engine.Probability(t.lookAt(t.step)); err != nil {
			return err
		}
		differs = false
		for k, j := range t.uniqueArgmax(p) {
			if j != features[k] {
				held[k], differs = features[k], true
			}
		}
	}

	o, err := t.engine.Observe(t.lookAt(t.step), t.tau())
	if err != nil {
		return err
	}
	t.record.hold(t.step, held)
	t.record.replaceLook(t.step, o)
	return nil
}

// hold makes the programs read a bias that holds selectors. held is that of
// an ending. If it is nil, no selector is held.
func (t *Training) hold(held []int) error {
	if held == nil {
		return t.engine.SetBias(nil)
	}
	logits := make([]float32, t.engine.Layout.K*t.engine.Layout.D)
	if b := t.openingBias(); b != nil {
		copy(logits, b.Logits)
	}
	repair.Hold(logits, held)
	return t.engine.SetBias(logits)
}

// chosenBy says by what a selector has feature j of the graph, before any
// contest. p is the probability that the selector gives to the feature.
func (t *Training) chosenBy(selector, j int, p float32) string {
	index, _ := t.feature(j)
	switch e := t.ending; {
	case t.known.IsRequired(index):
		return session.ByMust
	case e != nil && e.held != nil && e.held[selector] >= 0:
		return e.by[selector]
	case t.lead != nil && t.lead[selector] == j:
		return session.ByPair
	case p >= 0.5:
		return session.ByGradient
	}
	return session.ByArgmax
}

// replaced returns the feature that the current feature of a selector
// replaced in the contest, or nil.
func (t *Training) replaced(selector int) *session.Entry {
	if t.ending != nil && t.ending.contest != nil {
		for _, x := range t.ending.contest.Exchanges {
			if x.Selector == selector {
				return &x.From
			}
		}
	}
	return nil
}

// exchangeText describes an exchange with its reason.
func (t *Training) exchangeText(x session.Exchange) string {
	rest := "of what the other feature leaves"
	switch k := t.settings.K; {
	case k == 1 && t.target.Quantity != nil:
		rest = "of the quantity"
	case k == 1:
		rest = "of the classes"
	case k > 2:
		rest = fmt.Sprintf("of what the other %d leave", k-1)
	}
	change := strings.Replace(fmt.Sprintf("%+.1f %%", 100*x.ErrorChange), "-", "−", 1)
	if x.By == session.ByPair {
		return fmt.Sprintf("contest: %s takes selector %d from %s, as one of a pair: error %s", x.To.Name, x.Selector, x.From.Name, change)
	}
	return fmt.Sprintf("contest: %s takes selector %d from %s: explains %.0f %% %s, error %s", x.To.Name, x.Selector, x.From.Name, 100*x.Share,
		rest, change)
}

// otherChoice reports whether the current choice differs from that of the
// final networks. There must be final networks.
func (t *Training) otherChoice() (bool, error) {
	p, err := t.engine.Probability(t.lookAt(t.step))
	if err != nil {
		return false, err
	}
	return !slices.Equal(t.uniqueArgmax(p), t.ending.features), nil
}

// final describes the final networks, or returns nil.
func (t *Training) final() *session.FinalNetworks {
	e := t.ending
	if e == nil {
		return nil
	}
	other, _ := t.otherChoice() //nolint:errcheck // a P that cannot be read is reported where it is asked for
	f := &session.FinalNetworks{Step: e.step, Count: repair.HeadCount, OtherChoice: other,
		Train: t.scores.Train, Validation: t.scores.Validation, Test: t.scores.Test}
	for _, j := range e.features {
		_, name := t.feature(j)
		f.Features = append(f.Features, name)
	}
	return f
}

// scoreFinal trains the final networks, if there are any, and scores them on
// the training and validation rows, unless that has been done.
func (t *Training) scoreFinal() error {
	for part, rows := range map[string][]int{session.Train: t.data.Parts.Train, session.Validation: t.data.Parts.Validation} {
		if t.ending == nil || len(rows) == 0 || *t.scores.of(part) != nil {
			continue
		}
		if _, err := t.predictFinal(part, rows); err != nil {
			return err
		}
	}
	return nil
}

// predictFinal returns what the final networks predict for a part of the
// rows, and records their score.
func (t *Training) predictFinal(part string, rows []int) (predictions, error) {
	networks, err := t.ending.networks()
	if err != nil {
		return predictions{}, err
	}
	x, err := t.inputs(rows, t.ending.features)
	if err != nil {
		return predictions{}, err
	}
	p := t.predictionsOf(meanScores(networks, x, t.engine.Layout.K))
	*t.scores.of(part) = new(t.scoreOf(rows, p))
	return p, nil
}

// trainFinal trains the networks that predict from features by their mean.
// It reads nothing of the engine, so it may run in any goroutine on a copy
// of the training.
func (t *Training) trainFinal(features []int, classWeights []float32) ([]nn.Perceptron, error) {
	rows, y := t.spreadRows(mostTaught)
	x, err := t.inputs(rows, features)
	if err != nil {
		return nil, err
	}
	return repair.Heads(repair.HeadTask{X: x, K: len(features), Target: y, ClassWeights: classWeights,
		Hidden: t.settings.Hidden, Dropout: t.settings.Dropout, Seed: t.settings.Seed}), nil
}

// meanScores returns the mean scores of networks for each row of selected,
// rows×K. The result is rows×outputs.
func meanScores(networks []nn.Perceptron, selected []float32, k int) (scores []float32) {
	for row := range slices.Chunk(selected, k) {
		for _, v := range nn.MeanScores(networks, nn.Widen(row)) {
			scores = append(scores, float32(v))
		}
	}
	return scores
}

// inputs returns the features of rows of the data as the graph has them,
// len(rows)×len(features).
func (t *Training) inputs(rows, features []int) (x []float32, err error) {
	if t.data.Sparse() { // The columns of the graph may have a separate copy, which is fast to read.
		err = t.eachPart(rows, 0, func(part []int, all []float32) error {
			x = append(x, selectColumns(all, len(part), features)...)
			return nil
		})
		return x, err
	}
	x, err = t.data.Gather(context.Background(), rows, pick(t.columns, features), 0)
	if err == nil && t.signs != nil {
		turn(x, pick(t.signs, features))
	}
	return x, err
}

// spreadRows returns at most this many training rows, evenly spread, and
// their targets.
func (t *Training) spreadRows(most int) ([]int, embedding.Target) {
	all, y := t.data.Parts.Train, t.target.Target
	if len(all) <= most {
		return all, y
	}
	at := num.Spread(len(all), most)
	y.Y = pick(y.Y, at)
	if y.Quantity != nil {
		y.Quantity = pick(y.Quantity, at)
	}
	if y.Weights != nil {
		y.Weights = pick(y.Weights, at)
	}
	return pick(all, at), y
}

// eachPart calls look with rows as the graph has them, len(part)×d in 32
// bits, in memory with room for rows of width columns. Rows of a sparse
// table come in parts that fit into memory, other rows in one part. The
// first error ends it.
func (t *Training) eachPart(rows []int, width int, look func(part []int, x []float32) error) error {
	most := len(rows)
	if t.data.Sparse() {
		most = min(most, max(1, engine.MostLooked/len(t.columns)))
	}
	for part := range slices.Chunk(rows, most) {
		x, err := t.gather(context.Background(), part, width)
		if err != nil {
			return err
		}
		if err := look(part, x); err != nil {
			return err
		}
	}
	return nil
}

// newContest prepares a contest on the training rows, or on the means of groups.
func (t *Training) newContest() (*repair.Contest, error) {
	x, y, err := t.independentRows(repair.ContestRows, func(rows []int) ([]float32, error) { return t.gather(context.Background(), rows, 0) })
	if err != nil {
		return nil, err
	}
	return repair.NewContest(x, len(t.columns), y, t.constraints()), nil
}

// constraints returns the constraints on features, and their pairs, as
// closed forms read them.
func (t *Training) constraints() repair.Known {
	known := repair.Known{Pairs: t.pairs}
	if t.bias != nil {
		known.Bias, known.Groups, known.Limit = t.bias.Logits, t.bias.Groups, t.bias.Limit
	}
	return known
}
