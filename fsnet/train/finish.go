package train

import (
	"context"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/fsnet/nn"
	"fsnetlab/fsnet/session"
)

// Limits of the training rows that a contest and the heads read, evenly spread, and of the features
// among which there is a contest, which holds its readings of all features in memory.
const (
	mostTaught  = 20_000
	mostColumns = 20_000
)

// finish holds what follows from a training that is over. It is a function of the features that the
// selectors chose, computed on first use, and part of no step.
type finish struct {
	contest *repair.Contest
	chosen  []int           // by the unique argmax
	settled []int           // after the contest
	heads   []nn.Perceptron // trained on settled; nil: not yet
}

// isOver reports whether a contest and heads replace the choice by P and the trained network: under
// class-t, once the training is settled or its annealing has ended. It is false under
// protocol=stepwise, and for what the authors' program reads instead of P, a sample or the features
// before the first step.
func (t *Training) isOver() bool {
	s := t.settings
	return (t.state == session.Settled || t.state == session.Done) && s.Embedding == config.ClassT && !s.Stepwise() &&
		s.Selection == config.ByProbability && s.Evaluation == config.LearnedSelection
}

// contested returns the features of the selectors after a contest, and keeps them for the next call
// with the same chosen, the choice of the unique argmax. With more than mostColumns features there
// is no contest, and it returns chosen. The caller must not change the result.
func (t *Training) contested(chosen []int) ([]int, error) {
	if slices.Equal(chosen, t.finish.chosen) {
		return t.finish.settled, nil
	}
	settled := chosen
	if len(t.columns) <= mostColumns {
		if t.finish.contest == nil {
			contest, err := t.contest()
			if err != nil {
				return nil, err
			}
			t.finish.contest = contest
		}
		settled = t.finish.contest.Settle(chosen)
	}
	t.finish.chosen, t.finish.settled, t.finish.heads = slices.Clone(chosen), settled, nil
	return settled, nil
}

// heads returns the networks whose mean predicts from features, the choice of contested, which
// lists one for each selector. It trains them at its first call; contested drops them when the
// choice changes, and Set at each call.
func (t *Training) heads(features []int) ([]nn.Perceptron, error) {
	if t.finish.heads != nil {
		return t.finish.heads, nil
	}
	rows, y := t.spreadRows(mostTaught)
	task := repair.HeadTask{K: len(features), Target: y, ClassWeights: t.engine.ClassWeights(t.settings.Live), Hidden: t.settings.Hidden,
		Dropout: t.settings.Dropout, Seed: t.settings.Seed}
	err := t.eachPart(rows, func(part []int, x []float32) error {
		task.X = append(task.X, selectColumns(x, len(part), features)...)
		return nil
	})
	if err == nil {
		t.finish.heads = repair.Heads(task)
	}
	return t.finish.heads, err
}

// headScores returns the mean scores of heads for each row of selected, rows×K. The result is
// rows×outputs.
func headScores(heads []nn.Perceptron, selected []float32, k int) (scores []float32) {
	for row := range slices.Chunk(selected, k) {
		for _, v := range nn.MeanScores(heads, nn.Widen(row)) {
			scores = append(scores, float32(v))
		}
	}
	return scores
}

// spreadRows returns at most this many training rows, evenly spread, and their targets.
func (t *Training) spreadRows(most int) ([]int, embedding.Target) {
	all, y := t.data.Parts.Train, t.target.Target
	if len(all) <= most {
		return all, y
	}
	at := make([]int, most)
	for i := range at {
		at[i] = i * len(all) / most
	}
	y.Y = pick(y.Y, at)
	if y.Quantity != nil {
		y.Quantity = pick(y.Quantity, at)
	}
	if y.Weights != nil {
		y.Weights = pick(y.Weights, at)
	}
	return pick(all, at), y
}

// eachPart calls look with rows as the graph has them, len(part)×d in 32 bits, in memory with room for
// the padding. Rows of a sparse table come in parts that fit into memory, others in one part. The
// first error ends it.
func (t *Training) eachPart(rows []int, look func(part []int, x []float32) error) error {
	most := len(rows)
	if t.data.Sparse() {
		most = min(most, max(1, engine.MostLooked/t.engine.Layout.D))
	}
	for part := range slices.Chunk(rows, most) {
		x, err := t.gather(context.Background(), part, t.engine.Layout.Width())
		if err != nil {
			return err
		}
		if err := look(part, x); err != nil {
			return err
		}
	}
	return nil
}

// contest prepares a contest on the training rows.
func (t *Training) contest() (*repair.Contest, error) {
	rows, y := t.spreadRows(repair.ContestRows)
	x, err := t.gather(context.Background(), rows, 0)
	if err != nil {
		return nil, err
	}
	return repair.NewContest(x, len(t.columns), y, t.constraints()), nil
}

// constraints returns the constraints on features as closed forms read them.
func (t *Training) constraints() repair.Known {
	if t.bias == nil {
		return repair.Known{}
	}
	return repair.Known{Bias: t.bias.Logits, Groups: t.bias.Groups, Limit: t.bias.Limit}
}
