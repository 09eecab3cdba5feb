package study

import (
	"fmt"
	"testing"

	"fsnetlab/fsnet/dataset"
)

func TestFrequencies(t *testing.T) {
	methods, err := Methods("anova,svm,mrmr")
	if err != nil {
		t.Fatal(err)
	}
	plan := &Plan{Data: []*dataset.Dataset{{Name: "cohort", D: 5}}, Methods: methods, K: []int{2}, Splits: 3}
	row := func(data, method string, k, split int, failed string, selected ...string) Row {
		return Row{Identity: Identity{Dataset: data, Method: method, K: k, Split: split}, Selected: selected, Error: failed}
	}
	names, splits, features := Frequencies(plan, []Row{
		row("cohort", "anova", 2, 0, "", "a", "c"), row("cohort", "anova", 2, 1, "", "b", "c"), row("cohort", "mrmr", 2, 0, "", "c", "b"),
		row("cohort", "mrmr", 2, 1, "no room", "x"), row("cohort", "mrmr", 3, 1, "", "y"), row("other", "anova", 2, 0, "", "z"), row("cohort",
			"svm", 5, 0, ""),
	}, "cohort", 2)
	if got := fmt.Sprint(names, splits, features); got != "[anova mrmr] [2 1] [{c [2 1]} {b [1 1]} {a [1 0]}]" {
		t.Errorf("%s", got)
	}
}
