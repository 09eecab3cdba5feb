package study

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"fsnetlab/fsnet/results"
)

// For any labels, the halves have one size and the same rows of every class.
// The two of a pair share only the row of a class of one.
func TestHalves_Balanced(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 40 {
		y := make([]int, 4+r.IntN(40))
		classes := 2 + r.IntN(4)
		for i := range y {
			y[i] = r.IntN(classes)
		}
		sizes := make([]int, classes)
		for _, c := range y {
			sizes[c]++
		}
		halves := classHalves(y, 6, int64(trial))
		if len(halves) != 12 {
			t.Fatalf("%d halves of 6 pairs", len(halves))
		}
		for h, half := range halves {
			own := make([]int, classes)
			for _, row := range half {
				own[y[row]]++
			}
			for c, n := range sizes {
				if want := max(min(n, 1), n/2); own[c] != want {
					t.Errorf("half %d has %d of %d rows of a class", h, own[c], n)
				}
			}
			if rows := slices.Compact(slices.Sorted(slices.Values(half))); len(rows) != len(half) || len(half) != len(halves[0]) {
				t.Errorf("half %d has %d different rows, %d in all, the first half %d", h, len(rows), len(half), len(halves[0]))
			}
		}
		for p := range 6 {
			for _, row := range halves[2*p] {
				if slices.Contains(halves[2*p+1], row) != (sizes[y[row]] == 1) {
					t.Errorf("row %d, of a class of %d, is in one half or both", row, sizes[y[row]])
				}
			}
		}
		if !reflect.DeepEqual(halves, classHalves(y, 6, int64(trial))) {
			t.Error("the same arguments give other halves")
		}
		if !reflect.DeepEqual(halves[:4], classHalves(y, 2, int64(trial))) {
			t.Error("fewer pairs are other pairs")
		}
	}
	y := []int{0, 0, 0, 0, 1, 1, 1, 1, 1, 1}
	if reflect.DeepEqual(classHalves(y, 4, 1), classHalves(y, 4, 2)) {
		t.Error("two seeds give the same halves")
	}
	sat := map[int]bool{} // rows of an odd class that sit out: not always the same one
	for p, halves := 0, classHalves([]int{0, 0, 1, 1, 1}, 20, 1); p < 20; p++ {
		for row := 2; row < 5; row++ {
			if !slices.Contains(halves[2*p], row) && !slices.Contains(halves[2*p+1], row) {
				sat[row] = true
			}
		}
	}
	if len(sat) != 3 {
		t.Errorf("of three rows %v sit out in twenty pairs", sat)
	}
}

// If rows belong together, each group is as a whole in one half, every half has
// every class, and the two have about the same size.
func TestHalves_Groups(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for trial := range 40 {
		groups := 6 + r.IntN(10)
		var y, group []int
		for g := range groups {
			for i := range 2 + r.IntN(6) {
				y, group = append(y, i%2), append(group, g)
			}
		}
		halves, ok := groupHalves(y, group, 5, int64(trial))
		if !ok || len(halves) != 10 {
			t.Fatalf("%d halves of 5 pairs, %v", len(halves), ok)
		}
		for p := range 5 {
			a, b := halves[2*p], halves[2*p+1]
			if rows := slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b)))); len(rows) != len(y) || len(a)+len(b) != len(y) ||
				max(len(a), len(b))-min(len(a), len(b)) > 7 {
				t.Errorf("halves of %d and %d of %d rows", len(a), len(b), len(y))
			}
			in := map[int]bool{}
			classes := [2]map[int]bool{{}, {}}
			for h, half := range [][]int{a, b} {
				for _, row := range half {
					classes[h][y[row]] = true
					if h == 0 {
						in[group[row]] = true
					} else if in[group[row]] {
						t.Fatalf("group %d is in both halves", group[row])
					}
				}
			}
			if len(classes[0]) != 2 || len(classes[1]) != 2 {
				t.Errorf("halves with the classes %v", classes)
			}
		}
	}
	if _, ok := groupHalves([]int{0, 0, 1, 1}, []int{0, 1, 2, 2}, 1, 1); ok {
		t.Error("a class of one group is in both halves")
	}
}

// Groups are those that scipy makes (testdata/groups.py).
func TestLookAlikeGroups_MatchScipy(t *testing.T) {
	text := must(os.ReadFile("testdata/groups.json"))
	var cases []struct {
		Columns [][]float64
		Groups  []int
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for n, c := range cases {
		if got, want := lookAlikeGroups(c.Columns, Alike), inOrder(c.Groups); !reflect.DeepEqual(got, want) {
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

// A constant column is alone, an opposite column is in the same group, and a
// large mean changes nothing.
func TestLookAlikeGroups_EdgeCases(t *testing.T) {
	for _, c := range []struct {
		columns [][]float64
		want    []int
	}{
		{nil, []int{}},
		{[][]float64{{1, 2, 3}}, []int{0}},
		{[][]float64{{1, 2, 3}, {5, 5, 5}, {3, 2, 1}, {5, 5, 5}}, []int{0, 1, 0, 2}}, // what does not vary is alone, the opposite is the same
		{[][]float64{{1e9 + 1, 1e9 + 2, 1e9 + 3}, {1, 2, 3}}, []int{0, 0}},           // a large mean changes nothing
	} {
		if got := lookAlikeGroups(c.columns, Alike); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v, want %v", c.columns, got, c.want)
		}
	}
}

// The word for a group follows from its share of the half-samples.
func TestWord_Thresholds(t *testing.T) {
	for _, c := range []struct {
		group, halves int
		want          results.Word
	}{
		{40, 40, results.Certain}, {30, 40, results.Certain}, {29, 40, results.Likely}, {20, 40, results.Likely},
		{19, 40, results.Lead},
		{10, 40, results.Lead}, {9, 40, results.Replaceable}, {2, 40, results.Replaceable},
		{1, 40, results.NotRepeated}, {0, 40, results.NotRepeated}, {2, 20, results.Replaceable}, {1, 20, results.NotRepeated},
		{15, 20, results.Certain}, {14, 20, results.Likely}, {25, 33, results.Certain}, {24, 33, results.Likely}, // as many are done
		{19, 19, ""}, {1, 1, ""}, // too few
	} {
		if got := wordFor(c.group, c.halves); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.group, c.halves, got, c.want)
		}
	}
}
