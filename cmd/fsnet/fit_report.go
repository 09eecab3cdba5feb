package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"fsnetlab/fsnet"
)

// fitReport is the object that fit --json prints.
type fitReport struct {
	Dataset             string        `json:"dataset"`
	N                   int           `json:"n"`
	D                   int           `json:"d"`
	Classes             []string      `json:"classes"`
	K                   int           `json:"k"`
	Seed                int64         `json:"seed"`
	Protocol            string        `json:"protocol"`
	Backend             string        `json:"backend"`
	Device              string        `json:"device"`
	Epochs              float64       `json:"epochs"` // made, not planned: a run may settle before its end
	Steps               int           `json:"steps"`
	Seconds             float64       `json:"seconds"`
	StepsPerSecond      float64       `json:"steps_per_second"`
	AccuracyTrain       float64       `json:"accuracy_train"`
	AccuracyTest        float64       `json:"accuracy_test"`
	ReconstructionError float64       `json:"reconstruction_error"`
	MutualInformation   float64       `json:"mutual_information"`
	SettledRows         int           `json:"settled_rows"`
	Selected            []fitSelected `json:"selected"`
	Parameters          int           `json:"parameters"`
	ModelKB             float64       `json:"model_kb"`

	majority float64
	reason   string
	source   string
	why      string // this backend
}

type fitSelected struct {
	Rank        int     `json:"rank"`
	Index       int     `json:"index"`
	Name        string  `json:"name"`
	Probability float64 `json:"probability"`
}

func newFitReport(t *fsnet.Training, source string) (*fitReport, error) {
	s := t.Status()
	train, err := t.Evaluate("train")
	if err != nil {
		return nil, err
	}
	test, err := t.Evaluate("test")
	if err != nil {
		return nil, err
	}
	selected, err := t.Selection()
	if err != nil {
		return nil, err
	}
	r := &fitReport{
		Dataset: s.Dataset, N: s.N, D: s.D, Classes: s.Classes, K: s.Config.K, Seed: s.Config.Seed, Protocol: s.Config.Protocol,
		Backend: s.Backend, Device: s.Device, Epochs: s.Epoch, Steps: s.Step, Seconds: s.Seconds, StepsPerSecond: s.StepsPerSecond,
		AccuracyTrain: train.Accuracy, AccuracyTest: test.Accuracy, ReconstructionError: test.ReconstructionError,
		MutualInformation: test.MutualInformation, SettledRows: s.SettledRows, Parameters: s.Parameters, ModelKB: s.ModelKB,
		majority: test.Majority, reason: s.Reason, source: source, why: s.BackendReason,
	}
	for _, f := range selected {
		r.Selected = append(r.Selected, fitSelected{f.Rank, f.Index, f.Name, f.Probability})
	}
	return r, nil
}

func (r *fitReport) json() []byte {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		panic("fsnet: a report that is not JSON: " + err.Error()) // numbers are finite: the training stops where they are not
	}
	return append(text, '\n')
}

func (r *fitReport) print(out io.Writer) error {
	fmt.Fprintf(out, "%s: %d rows × %d features, classes %v (%s)\n", r.Dataset, r.N, r.D, r.Classes, r.source)
	fmt.Fprintf(out, "%s protocol, K = %d, seed %d, on %s (%s; %s)\n\n", r.Protocol, r.K, r.Seed, r.Backend, r.Device, r.why)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "rank\tfeature\tcolumn\tprobability")
	for _, f := range r.Selected {
		fmt.Fprintf(w, "%d\t%s\t%d\t%.3f\n", f.Rank, f.Name, f.Index, f.Probability)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\naccuracy %.3f on the test rows (always the most frequent class: %.3f), %.3f on the training rows\n", r.AccuracyTest, r.majority, r.AccuracyTrain)
	fmt.Fprintf(out, "%d of %d selectors settled; %s\n", r.SettledRows, r.K, r.reason)
	_, err := fmt.Fprintf(out, "%d steps (%.4g epochs) in %.1f s, %.0f steps a second; %d parameters, %.1f kB\n", r.Steps, r.Epochs, r.Seconds, r.StepsPerSecond, r.Parameters, r.ModelKB)
	return err
}
