package study_test

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"fsnetlab/fsnet/study"
)

// Groups are those that scipy makes (testdata/groups.py).
func TestGroupsAreScipys(t *testing.T) {
	text, err := os.ReadFile("testdata/groups.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Columns [][]float64
		Groups  []int
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for n, c := range cases {
		if got, want := study.LookAlikes(c.Columns, study.Alike), inOrder(c.Groups); !reflect.DeepEqual(got, want) {
			t.Errorf("case %d: %v, scipy has %v", n, got, want)
		}
	}
}

// inOrder numbers labels in the order in which they come.
func inOrder(labels []int) []int {
	number, out := map[int]int{}, make([]int, len(labels))
	for i, label := range labels {
		if _, ok := number[label]; !ok {
			number[label] = len(number)
		}
		out[i] = number[label]
	}
	return out
}

func TestGroupsAtTheEdges(t *testing.T) {
	for _, c := range []struct {
		columns [][]float64
		want    []int
	}{
		{nil, []int{}},
		{[][]float64{{1, 2, 3}}, []int{0}},
		{[][]float64{{1, 2, 3}, {5, 5, 5}, {3, 2, 1}, {5, 5, 5}}, []int{0, 1, 0, 2}}, // what does not vary is alone, the opposite is the same
		{[][]float64{{1e9 + 1, 1e9 + 2, 1e9 + 3}, {1, 2, 3}}, []int{0, 0}},           // a large mean changes nothing
	} {
		if got := study.LookAlikes(c.columns, study.Alike); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v, want %v", c.columns, got, c.want)
		}
	}
}
