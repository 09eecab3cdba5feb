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

// mostTaught limits the training rows that a contest and the final networks
// read. If there are more, they read evenly spread ones. mostColumns limits the
// features of a contest, because it keeps the values of all of them in memory.
// If there are more, there is no contest.
const (
	mostTaught  = 20_000
	mostColumns = 20_000
)

// ending is how a training ends: the contest and the final networks. It happens
// at most once, at the step where the training is over. It depends only on the
// path of the training and never changes. Features are columns of the graph,
// one for each selector.
type ending struct {
	step     int
	contest  *session.Contest // nil if there are more than mostColumns features
	chosen   []int            // features of the unique argmax before the contest
	features []int            // features after the contest, which the final networks read
	// held is the feature that each selector is fixed to, or −1. It is nil if
	// the contest exchanged no features.
	held []int
	by   []string // how each of features was chosen: one of session.ByGradient, ByContest, …
	// networks returns the final networks. The first call trains them. Forks
	// that have this ending share them.
	networks func() ([]nn.Perceptron, error)
}

// finalScores holds the scores of the final networks. A score is nil until it
// has been computed.
type finalScores struct {
	Train      *session.Score `json:"train,omitempty"`
	Validation *session.Score `json:"validation,omitempty"`
	Test       *session.Score `json:"test,omitempty"`
}

// scoreOf returns where the score of a part (train, validation or test) is
// stored.
func (s *finalScores) scoreOf(part string) **session.Score {
	switch part {
	case session.Train:
		return &s.Train
	case session.Validation:
		return &s.Validation
	}
	return &s.Test
}

// endsHere reports whether the contest and the final networks are due at the
// current step. They are due once: at the first step at which the annealing is
// complete, or at which every selector is settled if the key stop says so. It
// doesn't matter whether a run or a single step got there. If the settings have
// no ending (see [config.Settings.Finishes]), it returns false.
func (t *Training) endsHere() bool {
	if t.ending != nil || !t.settings.Finishes() {
		return false
	}
	stop, err := config.ParseStop(t.settings.Stop)
	return t.step > 0 && t.step >= t.Steps() || t.state == session.Settled && err == nil && stop.Settled
}

// finish runs the contest at the current step, records a look at P if the
// contest changed it, and prepares the final networks. These are trained when
// they are first needed. If the device cannot be read, the training fails.
func (t *Training) finish() error {
	t.engine.Rest() // lets other trainings on this device continue
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
			t.addEvent("contest", t.exchangeText(x), nil)
		}
	}
	t.addEvent("final", fmt.Sprintf("final networks: %d small networks learn the classes from %s alone", repair.HeadCount, t.chosenText()), nil)
	return nil
}

// chosenText returns "the chosen feature" or, for example, "the 10 chosen
// features".
func (t *Training) chosenText() string {
	if t.settings.K == 1 {
		return "the chosen feature"
	}
	return fmt.Sprintf("the %d chosen features", t.settings.K)
}

// makeEnding does the work of finish without recording events. If it succeeds,
// it has also held the selectors on the features that the contest gave them.
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
	// The networks are trained later, when the training may have changed, so
	// they are trained from a copy of it.
	then, weights := *t, t.engine.ClassWeights(t.settings.Live)
	e.networks = sync.OnceValues(func() ([]nn.Perceptron, error) { return then.trainFinal(e.features, weights) })
	return e, nil
}

// settle runs the contest and writes its result to e. p is P before the
// contest. It then holds every selector that exchanged its feature, and every
// other one that would now get another feature from the unique argmax.
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

// hold makes the programs keep each selector on its feature in held, as in
// [ending.held]. If held is nil, it releases all selectors.
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

// chosenBy returns why a selector has feature j of the graph: session.ByMust,
// ByPair, ByGradient and so on. Only a held selector may have its feature from
// the contest. p is the probability that the selector gives to the feature.
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

// replaced returns the feature that a selector gave up for its current one in
// the contest, or nil if it exchanged none.
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

// otherChoice reports whether the current choice differs from the features that
// the final networks read. You must call it only after the ending.
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

// scoreFinal trains the final networks and scores them on the training and
// validation rows. It skips scores that are known, and does nothing before the
// ending.
func (t *Training) scoreFinal() error {
	for part, rows := range map[string][]int{session.Train: t.data.Parts.Train, session.Validation: t.data.Parts.Validation} {
		if t.ending == nil || len(rows) == 0 || *t.scores.scoreOf(part) != nil {
			continue
		}
		if _, err := t.predictFinal(part, rows); err != nil {
			return err
		}
	}
	return nil
}

// predictFinal returns what the final networks predict for rows, and records
// the score as that of part.
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
	*t.scores.scoreOf(part) = new(t.scoreOf(rows, p))
	return p, nil
}

// trainFinal trains the final networks, so that they predict together from
// features. It does not use the engine, so it may run in any goroutine on a
// copy of the training.
func (t *Training) trainFinal(features []int, classWeights []float32) ([]nn.Perceptron, error) {
	rows, y := t.spreadRows(mostTaught)
	x, err := t.inputs(rows, features)
	if err != nil {
		return nil, err
	}
	return repair.Heads(repair.HeadTask{X: x, K: len(features), Target: y, ClassWeights: classWeights,
		Hidden: t.settings.Hidden, Dropout: t.settings.Dropout, Seed: t.settings.Seed}), nil
}

// meanScores returns the scores of the networks, averaged over them, for each
// row of selected (rows×k). The result has the shape rows×outputs.
func meanScores(networks []nn.Perceptron, selected []float32, k int) (scores []float32) {
	for row := range slices.Chunk(selected, k) {
		for _, v := range nn.MeanScores(networks, nn.Widen(row)) {
			scores = append(scores, float32(v))
		}
	}
	return scores
}

// inputs returns the values of features in rows of the data, with the signs
// that the graph uses, as a matrix of shape len(rows)×len(features).
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
		flipSigns(x, pick(t.signs, features))
	}
	return x, err
}

// spreadRows returns the training rows and their targets. If there are more
// than most rows, it returns most of them, evenly spread.
func (t *Training) spreadRows(most int) ([]int, embedding.Target) {
	all, y := t.data.Parts.Train, t.target.Target
	if len(all) <= most {
		return all, y
	}
	places := num.EvenlySpaced(len(all), most)
	y.Y = pick(y.Y, places)
	if y.Quantity != nil {
		y.Quantity = pick(y.Quantity, places)
	}
	if y.Weights != nil {
		y.Weights = pick(y.Weights, places)
	}
	return pick(all, places), y
}

// eachPart calls look with the values of rows as the graph sees them: x has the
// shape len(part)×d, with capacity for width columns. Rows of a sparse table
// come in parts that fit into memory, dense rows in one part. eachPart stops at
// the first error and returns it.
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

// newContest prepares a contest on the training rows. If the data have groups,
// it uses the means of independentRows instead.
func (t *Training) newContest() (*repair.Contest, error) {
	x, y, err := t.independentRows(repair.ContestRows, func(rows []int) ([]float32, error) { return t.gather(context.Background(), rows, 0) })
	if err != nil {
		return nil, err
	}
	return repair.NewContest(x, len(t.columns), y, t.constraints()), nil
}

// constraints returns the constraints on features and the significant pairs, in
// the form that package repair reads.
func (t *Training) constraints() repair.Known {
	known := repair.Known{Pairs: t.pairs}
	if t.bias != nil {
		known.Bias, known.Groups, known.Limit = t.bias.Logits, t.bias.Groups, t.bias.Limit
	}
	return known
}
