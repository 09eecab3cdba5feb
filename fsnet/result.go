package fsnet

import (
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
)

// Result is the result of a training: the object that fsnet fit --json prints.
type Result struct {
	Dataset        string   `json:"dataset"`          // name of the data set
	N              int      `json:"n"`                // rows (samples)
	D              int      `json:"d"`                // features
	Classes        []string `json:"classes"`          // names of the classes, or the ranges of a quantity
	K              int      `json:"k"`                // features chosen
	Seed           int64    `json:"seed"`             // of everything random
	SplitSeed      int64    `json:"split_seed"`       // that divided the rows: the seed, unless another was given
	Protocol       string   `json:"protocol"`         // fsnet, paper, authors or stepwise
	Trainer        string   `json:"trainer"`          // what decides which features the selectors choose, in half a sentence
	Backend        string   `json:"backend"`          // where it ran: xla:cpu, xla:cuda or go
	Device         string   `json:"device"`           // the hardware, in words
	Epochs         float64  `json:"epochs"`           // made, not planned: a run may settle before its end
	Steps          int      `json:"steps"`            // of training that were made
	Batch          int      `json:"batch"`            // rows of a step, as batch=auto chose or the key says
	Seconds        float64  `json:"seconds"`          // that the training took
	StepsPerSecond float64  `json:"steps_per_second"` // steps / seconds

	Network             string                 `json:"network"`                    // what the next four figures measure: final networks or, without any, trained network
	TrainScore          session.Score          `json:"train_score"`                // on the training rows: accuracy or, of a quantity, R²
	TestScore           session.Score          `json:"test_score,omitzero"`        // on the test rows, if there are any
	ValidationScore     *session.Score         `json:"validation_score,omitempty"` // on the validation rows, if there are any
	RMSE                *float64               `json:"rmse,omitempty"`             // of a quantity: root mean square error on the test rows, in its units
	Trained             Scores                 `json:"trained_network"`            // of the network that the training itself trained
	Final               *session.FinalNetworks `json:"final_networks"`             // null for methods without, and for a run that was interrupted
	Contest             *session.Contest       `json:"contest"`                    // what it exchanged; null without a contest
	ReconstructionError float64                `json:"reconstruction_error"`       // of the trained network: mean squared error over features and test rows, else training rows, of scaled values
	MutualInformation   float64                `json:"mutual_information"`         // bits: mean over all pairs of the chosen features, over the same rows
	SettledRows         int                    `json:"settled_rows"`               // selectors that have settled
	Selected            []Chosen               `json:"selected"`                   // the chosen features, by rank
	Pairs               []string               `json:"pairs,omitempty"`            // pairs among the chosen features that tell more together, in words
	Parameters          int                    `json:"parameters"`                 // numbers in the network that predicts
	ParametersTrained   int                    `json:"parameters_trained"`         // numbers that the training learned: selectors and decoder, too
	ModelKB             float64                `json:"model_kb"`                   // size of the network that predicts, in 1000 bytes

	Notes  Notes     `json:"notes"` // remarks beside the figures
	Strips [][][]int `json:"-"`     // of each feature the training rows by class, see [session.Rows.Histograms]
}

// Regression reports whether the label is a quantity.
func (r Result) Regression() bool { return r.TrainScore.Metric.Quantity() }

// Timeless returns the result without what depends on its machine: the seconds, the device and the
// path of the data.
func (r Result) Timeless() Result {
	r.Seconds, r.StepsPerSecond, r.Device, r.Notes.Source, r.Notes.BackendReason = 0, 0, "", "", ""
	return r
}

// Scores are the scores of one network.
type Scores struct {
	Train      session.Score  `json:"train"`                // on the training rows, without noise and dropout
	Validation *session.Score `json:"validation,omitempty"` // on the validation rows, if there are any
	Test       *session.Score `json:"test,omitempty"`       // on the test rows, if there are any
}

// Chosen is a chosen feature.
type Chosen struct {
	Rank        int     `json:"rank"`           // from 1, by falling probability
	Index       int     `json:"index"`          // 0-based column of the file as read
	Name        string  `json:"name"`           // of the feature
	Probability float64 `json:"probability"`    // of the feature in its selector's row of P
	Must        bool    `json:"must,omitempty"` // it was to be chosen in any case
	// how it goes with the label in the training rows: class that it stands out in, and Cohen's d there; of a quantity r with its range
	Effect session.Effect `json:"effect"`
	Symbol string         `json:"symbol,omitempty"` // where it was asked for
	// by what it was chosen: gradient, argmax (by the unique argmax, with a probability below .5), contest, pair or must
	ChosenBy string         `json:"chosen_by"`
	Replaced *session.Entry `json:"replaced,omitempty"` // the feature whose place it took in the contest, with its probability before; left out of most
}

// Notes are sentences and numbers for people beside a result.
type Notes struct {
	Guess         float64 `json:"guess"`          // score of always saying the most frequent class, or the mean of a quantity
	Answer        string  `json:"answer"`         // how well the network does on the test rows, in one sentence
	TestRows      int     `json:"test_rows"`      // how many there are
	Reason        string  `json:"reason"`         // why the training ended
	Source        string  `json:"source"`         // of the data
	BackendReason string  `json:"backend_reason"` // why this one was taken
}

// ResultOf returns the result of a training. It evaluates the test rows, if there are any, which
// counts as a look. source says where the data came from.
func ResultOf(t *train.Training, source string) (*Result, error) {
	train, err := t.Evaluate("train")
	if err != nil {
		return nil, err
	}
	evaluated, answer := train, "no row was left to test on (test_fraction = 0): nothing here says how good the choice is for other rows"
	if t.Status().Test > 0 {
		if evaluated, err = t.Evaluate(session.Test); err != nil {
			return nil, err
		}
		answer = evaluated.Answer()
	}
	var validation *session.Evaluation
	if t.Status().Validate > 0 {
		e, err := t.Evaluate(session.Validation)
		if err != nil {
			return nil, err
		}
		validation = &e
	}
	s := t.Status() // with the scores of these evaluations
	selected, err := t.Selection()
	if err != nil {
		return nil, err
	}
	rows, err := t.Rows(session.RowsRequest{})
	if err != nil {
		return nil, err
	}
	effects, strips := rows.Effects(train.Score.Metric.Quantity()), rows.Histograms()
	r := &Result{
		Dataset: s.Dataset, N: s.N, D: s.D, Classes: s.Classes, K: s.Config.K, Seed: s.Config.Seed, SplitSeed: s.Config.RowsSeed(),
		Protocol: s.Config.Protocol, Trainer: s.Config.Trainer(),
		Backend: s.Backend, Device: s.Device, Epochs: s.Epoch, Steps: s.Step, Batch: s.Config.BatchRows(s.Train), Seconds: s.Seconds, StepsPerSecond: s.StepsPerSecond,
		Network: train.Network, TrainScore: train.Score, Trained: Scores{Train: train.Trained}, Final: s.Final, Contest: s.Contest, ReconstructionError: evaluated.ReconstructionError,
		MutualInformation: evaluated.MutualInformation, SettledRows: s.SettledRows, Parameters: s.Parameters, ParametersTrained: s.ParametersTrained, ModelKB: s.ModelKB,
		Notes: Notes{Guess: evaluated.Guess, Answer: answer, TestRows: s.Test, Reason: s.Reason, Source: source, BackendReason: s.BackendReason},
	}
	r.Strips = strips
	if s.Test > 0 {
		r.TestScore, r.RMSE, r.Trained.Test = evaluated.Score, evaluated.RMSE, &evaluated.Trained
	}
	if validation != nil {
		r.ValidationScore, r.Trained.Validation = &validation.Score, &validation.Trained
	}
	for i, f := range selected {
		r.Selected = append(r.Selected, Chosen{f.Rank, f.Index, f.Name, f.Probability, f.Must, effects[i], "", f.ChosenBy, f.Replaced})
	}
	r.Pairs = rows.Pairs
	return r, nil
}
