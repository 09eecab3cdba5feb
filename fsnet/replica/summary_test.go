package replica_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"fsnetlab/fsnet/replica"
)

func result(accuracy float64, selected ...replica.Selected) replica.Result {
	for i := range selected {
		selected[i].Rank = i + 1
	}
	return replica.Result{D: 10, K: len(selected), AccuracyTest: accuracy, Selected: selected}
}

func gene(index int, probability float64) replica.Selected {
	return replica.Selected{Index: index, Name: string(rune('a' + index)), Probability: probability}
}

func TestSummarizeByHand(t *testing.T) {
	s := replica.Summarize([]replica.Result{
		result(0.8, gene(0, 0.9), gene(1, 0.5), gene(2, 0.25)),
		result(0.9, gene(2, 0.75), gene(3, 0.5), gene(4, 0.5)),
		result(1.0, gene(4, 1), gene(2, 0.5), gene(9, 0.5)),
	})
	third := 1.0 / 3
	want := []replica.Feature{
		{Index: 2, Name: "c", Selected: 3, Frequency: 1, MeanProbability: 0.5, MeanRank: 2},
		{Index: 4, Name: "e", Selected: 2, Frequency: 2 * third, MeanProbability: 0.75, MeanRank: 2},
		{Index: 0, Name: "a", Selected: 1, Frequency: third, MeanProbability: 0.9, MeanRank: 1},
		{Index: 1, Name: "b", Selected: 1, Frequency: third, MeanProbability: 0.5, MeanRank: 2},
		{Index: 3, Name: "d", Selected: 1, Frequency: third, MeanProbability: 0.5, MeanRank: 2},
		{Index: 9, Name: "j", Selected: 1, Frequency: third, MeanProbability: 0.5, MeanRank: 3},
	}
	if !reflect.DeepEqual(s.Features, want) {
		t.Errorf("features\n%+v, want\n%+v", s.Features, want)
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("mean", s.AccuracyTest.Mean, 0.9)
	near("sd", s.AccuracyTest.SD, 0.1)
	near("min", s.AccuracyTest.Min, 0.8)
	near("max", s.AccuracyTest.Max, 1)
	near("sd of what does not vary", s.AccuracyTrain.SD, 0)
	near("jaccard", s.Stability.Jaccard, (1.0/5+1.0/5+2.0/4)/3)
	near("kuncheva", s.Stability.Kuncheva, ((1-0.9)+(1-0.9)+(2-0.9))/2.1/3)
	near("nogueira", s.Stability.Nogueira, s.Stability.Kuncheva)
}

// Accuracies that are all 0 are said; of quantities there are none to say.
func TestSummaryAsJSON(t *testing.T) {
	of := func(r replica.Result) string {
		text, err := json.Marshal(replica.Summarize([]replica.Result{r}))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const none = `{"mean":0,"sd":0,"min":0,"max":0}`
	wrong := result(0, gene(1, 0.5))
	if text := of(wrong); !strings.HasPrefix(text, `{"accuracy_test":`+none+`,"accuracy_train":`+none+`,"reconstruction_error"`) {
		t.Errorf("always wrong: %s", text)
	}
	wrong.R2Test, wrong.R2Train = new(0.0), new(0.5)
	if text := of(wrong); strings.Contains(text, "accuracy") || !strings.Contains(text, `"r2_test":`+none+`,"r2_train"`) {
		t.Errorf("a quantity: %s", text)
	}
}

// Of one replica nothing can be said about stability, of none nothing at all; both are JSON.
func TestSummarizeFew(t *testing.T) {
	one := replica.Summarize([]replica.Result{result(0.7, gene(1, 0.5))})
	if one.Stability != nil || one.AccuracyTest != (replica.Spread{Mean: 0.7, Min: 0.7, Max: 0.7}) || len(one.Features) != 1 {
		t.Errorf("%+v", one)
	}
	none := replica.Summarize(nil)
	text, err := json.Marshal(none)
	if err != nil || none.Stability != nil || string(text) == "" || none.Features == nil {
		t.Errorf("%s: %v", text, err)
	}
}
