package replica

import (
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
)

// Result is what a training came to: the object that fsnet fit --json prints.
type Result struct {
	Dataset             string     `json:"dataset"`
	N                   int        `json:"n"`
	D                   int        `json:"d"`
	Classes             []string   `json:"classes"`
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
	ReconstructionError float64    `json:"reconstruction_error"`
	MutualInformation   float64    `json:"mutual_information"`
	SettledRows         int        `json:"settled_rows"`
	Selected            []Selected `json:"selected"` // by rank
	Parameters          int        `json:"parameters"`
	ModelKB             float64    `json:"model_kb"`

	Notes Notes `json:"-"`
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
	var validation *float64
	if s.Validate > 0 {
		e, err := t.Evaluate(session.Validation)
		if err != nil {
			return nil, err
		}
		validation = &e.Accuracy
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
		MutualInformation: test.MutualInformation, SettledRows: s.SettledRows, Parameters: s.Parameters, ModelKB: s.ModelKB,
		Notes: Notes{Majority: test.Majority, Reason: s.Reason, Source: source, BackendReason: s.BackendReason},
	}
	for _, f := range selected {
		r.Selected = append(r.Selected, Selected{f.Rank, f.Index, f.Name, f.Probability, f.Must})
	}
	return r, nil
}
