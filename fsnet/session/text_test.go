package session_test

import (
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// A status shows what is there, and nothing that isn't.
func TestStatus_String(t *testing.T) {
	idle := session.Status{
		Session: "leukemia", State: session.Idle, Dataset: "ALLAML", N: 72, D: 7129, Classes: []string{"ALL", "AML"}, Train: 36, Test: 36,
		Steps: 1500, StepsPerEpoch: 5, Tau: 10, Backend: "xla:cpu", Device: "XLA on 2 CPU cores",
		Config: config.Settings{K: 10, Live: config.Live{Epochs: 300, Lambda: 0.5}},
	}
	trained := idle
	trained.State, trained.Step, trained.Epoch, trained.Trained, trained.StepsPerSecond, trained.SecondsLeft = session.Running, 200, 40, true,
		400, 3.25
	trained.Loss, trained.LossClass, trained.LossReconstruction, trained.TrainScore.Value, trained.SettledRows = 1.25, 0.75, 1, 0.875, 4
	validated := trained
	validated.Validate, validated.ValidationScore, validated.SecondsLeft = 9, &session.Score{Value: 0.625}, 600
	unseen := validated
	unseen.ValidationScore = nil
	looked := trained
	looked.MaxProbability, looked.UniqueRows = new(0.25), new(9)
	ofAQuantity := trained
	ofAQuantity.Config.Task, ofAQuantity.TrainScore = config.Regression, session.Score{Metric: "r2", Value: -0.25}
	done := trained
	done.State, done.Reason, done.Step = session.Done, "all 300 epochs are done", 1500
	settled := trained
	settled.State = session.Settled
	kept := idle
	kept.RunDirectory, kept.SavedStep, kept.Warning = "/home/me/.fsnet/runs/leukemia", new(120), "checkpoints are not written: no space left"
	one := idle
	one.N, one.D = 1, 1
	reading := idle
	reading.ReadOnly = true
	stepwise := idle
	stepwise.Config.Protocol = config.Stepwise
	for name, c := range map[string]struct {
		status  session.Status
		with    []string
		without []string
	}{
		"idle": {idle, []string{"leukemia: idle at step 0 of 1500, epoch 0 of 300", "72 rows × 7129 features", "ALL, AML"},
			[]string{"loss", "accuracy", "settled", "left", "(", "protocol"}},
		"stepwise": {stepwise, []string{"protocol    stepwise: closed-form errors choose, the network only predicts"}, nil},
		"trained": {trained,
			[]string{"loss        1.25 = class 0.75 + 0.5 × reconstruction 1", "0.875 on the training batches", "4 of 10 settled",
				"400 steps a second, 3.2 s left"}, []string{"on the validation rows"}},
		"a quantity": {ofAQuantity, []string{"1.25 = quantity 0.75 + 0.5 ×", "R²          -0.250 on the training batches", "a quantity;"}, []string{"class", "accuracy"}},
		"validated":  {validated, []string{"0.625 on the validation rows", "10 min left"}, nil},
		"unseen": {unseen, []string{"0.875 on the training batches, none yet on the validation rows"},
			[]string{"0.000 on the validation rows", "different", "largest"}},
		"kept": {kept, []string{"run         kept up to step 120 in /home/me/.fsnet/runs/leukemia",
			"warning     checkpoints are not written: no space left"}, []string{"reading"}},
		"one":     {one, []string{"1 row × 1 feature, classes"}, nil},
		"reading": {reading, []string{"run         read-only: another process has it open"}, []string{"kept", "warning"}},
		"looked":  {looked, []string{"4 of 10 settled, 9 different, largest probabilities 0.250 on average"}, nil},
		"settled": {settled, []string{"400 steps a second"}, []string{"left"}},
		"done":    {done, []string{"done at step 1500 of 1500", "(all 300 epochs are done)"}, []string{"left"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := c.status.String()
			for _, word := range c.with {
				if !strings.Contains(text, word) {
					t.Errorf("no %q in\n%s", word, text)
				}
			}
			for _, word := range c.without {
				if strings.Contains(text, word) {
					t.Errorf("%q in\n%s", word, text)
				}
			}
		})
	}
}

// Names of any length and script keep the columns aligned.
func TestSelection_StringIsAligned(t *testing.T) {
	lines := strings.Split(session.Selection{
		{Rank: 1, Name: "α-globin", Index: 3, Probability: 1, Margin: 1},
		{Rank: 10, Name: "a very long name of a feature", Index: 123456, Selector: 49},
	}.String(), "\n")
	if len(lines) != 3 {
		t.Fatal(lines)
	}
	for _, line := range lines[1:] {
		if len([]rune(line)) != len([]rune(lines[0])) {
			t.Errorf("not aligned:\n%s", strings.Join(lines, "\n"))
		}
	}
	if empty := (session.Selection{}).String(); strings.Count(empty, "\n") != 0 {
		t.Errorf("%q", empty)
	}
}
