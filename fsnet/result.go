package fsnet

import (
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
)

// Result is the result of a training: the object that fsnet fit --json
// prints.
type Result struct {
	Dataset string   `json:"dataset"` // name of the data set
	N       int      `json:"n"`       // number of rows (samples)
	D       int      `json:"d"`       // number of features
	Classes []string `json:"classes"` // names of the classes, or the ranges of a quantity
	K       int      `json:"k"`       // number of features chosen
	Seed    int64    `json:"seed"`    // seed of everything random
	// seed that divided the rows, which is seed unless split_seed was given
	SplitSeed int64  `json:"split_seed"`
	Protocol  string `json:"protocol"` // fsnet, paper, authors or stepwise
	Trainer   string `json:"trainer"`  // what decides which features the selectors choose, in half a sentence
	Backend   string `json:"backend"`  // kind of device: xla:cpu, xla:cuda or go
	Device    string `json:"device"`   // the hardware, in words
	// epochs made, not planned, because a run may settle before its end
	Epochs         float64 `json:"epochs"`
	Steps          int     `json:"steps"`            // steps made
	Batch          int     `json:"batch"`            // rows of a step, as batch=auto chose or the key says
	Seconds        float64 `json:"seconds"`          // seconds that the training took
	StepsPerSecond float64 `json:"steps_per_second"` // steps / seconds

	// the network that the next four figures measure: the final networks or,
	// if there are none, the trained network
	Network string `json:"network"`
	// score on the training rows: accuracy, or R² for a quantity
	TrainScore session.Score `json:"train_score"`
	// score on the test rows, if there are any
	TestScore session.Score `json:"test_score,omitzero"`
	// score on the validation rows, if there are any
	ValidationScore *session.Score `json:"validation_score,omitempty"`
	// for a quantity: root mean square error on the test rows, in its units
	RMSE *float64 `json:"rmse,omitempty"`
	// scores of the network that the training itself trained
	Trained Scores `json:"trained_network"`
	// The final networks. They are null for methods without them, and for a
	// run that was interrupted.
	Final *session.FinalNetworks `json:"final_networks"`
	// What the contest exchanged. It is null if there was no contest.
	Contest *session.Contest `json:"contest"`
	// of the trained network: mean squared error of scaled values over
	// features and test rows, or over training rows if there are no test
	// rows
	ReconstructionError float64 `json:"reconstruction_error"`
	// bits: mean over all pairs of the chosen features, over the same rows
	MutualInformation float64 `json:"mutual_information"`
	// number of selectors that have settled
	SettledRows int      `json:"settled_rows"`
	Selected    []Chosen `json:"selected"`        // the chosen features, by rank
	Pairs       []string `json:"pairs,omitempty"` // pairs among the chosen features that tell more together, in words
	// number of parameters in the network that predicts
	Parameters int `json:"parameters"`
	// number of parameters that the training learned, including selectors
	// and decoder
	ParametersTrained int     `json:"parameters_trained"`
	ModelKB           float64 `json:"model_kb"` // size of the network that predicts, in 1000 bytes

	Notes Notes `json:"notes"` // remarks next to the figures
	// for each feature, the training rows by class, see
	// [session.Rows.Histograms]
	Strips [][][]int `json:"-"`
}

// Regression reports whether the label is a quantity.
func (r Result) Regression() bool { return r.TrainScore.Metric.Quantity() }

// Timeless returns the result without the figures and texts that depend on the
// machine: the seconds, the device and the path of the data.
func (r Result) Timeless() Result {
	r.Seconds, r.StepsPerSecond, r.Device, r.Notes.Source, r.Notes.BackendReason = 0, 0, "", "", ""
	return r
}

// Scores are the scores of one network.
type Scores struct {
	// score on the training rows, without noise and dropout
	Train      session.Score  `json:"train"`
	Validation *session.Score `json:"validation,omitempty"` // score on the validation rows, if there are any
	Test       *session.Score `json:"test,omitempty"`       // score on the test rows, if there are any
}

// Chosen is a chosen feature.
type Chosen struct {
	Rank        int     `json:"rank"`           // from 1, by falling probability
	Index       int     `json:"index"`          // 0-based column of the file as read
	Name        string  `json:"name"`           // name of the feature
	Probability float64 `json:"probability"`    // probability of the feature in the row of its selector in P
	Must        bool    `json:"must,omitempty"` // the configuration required it
	// how it goes with the label in the training rows: the class in which it
	// stands out, and Cohen's d there, or r with the number of its range for
	// a quantity
	Effect session.Effect `json:"effect"`
	Symbol string         `json:"symbol,omitempty"` // gene symbol, if it was asked for
	// by what it was chosen: gradient, argmax (by the unique argmax, with a
	// probability below .5), contest, pair or must
	ChosenBy string `json:"chosen_by"`
	// The feature that it replaced in the contest, with its probability
	// before. It is left out for most features.
	Replaced *session.Entry `json:"replaced,omitempty"`
}

// Notes are sentences and numbers for people, next to a result.
type Notes struct {
	// score of always predicting the most frequent class, or the mean of a
	// quantity
	Guess         float64 `json:"guess"`
	Answer        string  `json:"answer"`         // how well the network does on the test rows, in one sentence
	TestRows      int     `json:"test_rows"`      // number of test rows
	Reason        string  `json:"reason"`         // why the training ended
	Source        string  `json:"source"`         // where the data came from
	BackendReason string  `json:"backend_reason"` // why this device was chosen
}

// ResultOf returns the result of a training. If there are test rows, it
// evaluates them, which counts as a look at them. source says where the data
// came from.
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

	s := t.Status() // With the scores of these evaluations.
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
