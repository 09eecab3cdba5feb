package replica

import (
	"encoding/json"

	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
)

// Result is what a training came to: the object that fsnet fit --json prints.
type Result struct {
	Dataset             string     `json:"dataset"`
	N                   int        `json:"n"`
	D                   int        `json:"d"`
	Classes             []string   `json:"classes"` // or the ranges of a quantity
	K                   int        `json:"k"`
	Seed                int64      `json:"seed"`
	SplitSeed           int64      `json:"split_seed"` // that divided the rows: the seed, unless another was given
	Protocol            string     `json:"protocol"`
	Backend             string     `json:"backend"`
	Device              string     `json:"device"`
	Epochs              float64    `json:"epochs"` // made, not planned: a run may settle before its end
	Steps               int        `json:"steps"`
	Seconds             float64    `json:"seconds"`
	StepsPerSecond      float64    `json:"steps_per_second"`
	AccuracyTrain       float64    `json:"accuracy_train"`
	AccuracyTest        float64    `json:"accuracy_test"`
	AccuracyValidation  *float64   `json:"accuracy_validation"` // nil without validation rows
	R2Train             *float64   `json:"r2_train,omitempty"`  // of a quantity, in the place of accuracies
	R2Test              *float64   `json:"r2_test,omitempty"`
	R2Validation        *float64   `json:"r2_validation,omitempty"`
	RMSETest            *float64   `json:"rmse_test,omitempty"` // in the units of the label
	ReconstructionError float64    `json:"reconstruction_error"`
	MutualInformation   float64    `json:"mutual_information"`
	SettledRows         int        `json:"settled_rows"`
	Selected            []Selected `json:"selected"` // by rank
	Parameters          int        `json:"parameters"`
	ModelKB             float64    `json:"model_kb"`

	Notes Notes `json:"-"`
}

// Regression reports whether the label is a quantity.
func (r Result) Regression() bool { return r.R2Test != nil }

// MarshalJSON leaves the accuracies out where the label is a quantity.
func (r Result) MarshalJSON() ([]byte, error) {
	type all Result // without this method
	if !r.Regression() {
		return json.Marshal(all(r))
	}
	return json.Marshal(struct { // a field here goes before one of the same name in all
		all
		AccuracyTrain      float64  `json:"accuracy_train,omitempty"`
		AccuracyTest       float64  `json:"accuracy_test,omitempty"`
		AccuracyValidation *float64 `json:"accuracy_validation,omitempty"`
	}{all(r), r.AccuracyTrain, r.AccuracyTest, r.AccuracyValidation})
}

// Selected is one of the K features that were chosen.
type Selected struct {
	Rank        int     `json:"rank"`
	Index       int     `json:"index"`
	Name        string  `json:"name"`
	Probability float64 `json:"probability"`
	Must        bool    `json:"must,omitempty"` // it was to be chosen in any case
}

// Notes are what is told to people beside a result.
type Notes struct {
	Majority      float64 `json:"majority"`       // accuracy_test of always saying the most frequent class
	Reason        string  `json:"reason"`         // why the training ended
	Source        string  `json:"source"`         // of the data
	BackendReason string  `json:"backend_reason"` // why this one was taken
}

// resultOf reads the result off a training.
func resultOf(t *train.Training, source string) (*Result, error) {
	s := t.Status()
	train, err := t.Evaluate("train")
	if err != nil {
		return nil, err
	}
	test, err := t.Evaluate("test")
	if err != nil {
		return nil, err
	}
	var validation, validationR2 *float64
	if s.Validate > 0 {
		e, err := t.Evaluate(session.Validation)
		if err != nil {
			return nil, err
		}
		if validationR2 = e.R2; e.R2 == nil {
			validation = &e.Accuracy
		}
	}
	selected, err := t.Selection()
	if err != nil {
		return nil, err
	}
	r := &Result{
		Dataset: s.Dataset, N: s.N, D: s.D, Classes: s.Classes, K: s.Config.K, Seed: s.Config.Seed, SplitSeed: s.Config.RowsSeed(),
		Protocol: s.Config.Protocol,
		Backend:  s.Backend, Device: s.Device, Epochs: s.Epoch, Steps: s.Step, Seconds: s.Seconds, StepsPerSecond: s.StepsPerSecond,
		AccuracyTrain: train.Accuracy, AccuracyTest: test.Accuracy, AccuracyValidation: validation, ReconstructionError: test.ReconstructionError,
		R2Train: train.R2, R2Test: test.R2, R2Validation: validationR2, RMSETest: test.RMSE,
		MutualInformation: test.MutualInformation, SettledRows: s.SettledRows, Parameters: s.Parameters, ModelKB: s.ModelKB,
		Notes: Notes{Majority: test.Majority, Reason: s.Reason, Source: source, BackendReason: s.BackendReason},
	}
	for _, f := range selected {
		r.Selected = append(r.Selected, Selected{f.Rank, f.Index, f.Name, f.Probability, f.Must})
	}
	return r, nil
}
