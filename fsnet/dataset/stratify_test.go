package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fsnetlab/internal/num"
)

// shape is rows of some classes in some groups, each class in two groups at least.
func shape(r *rand.Rand) (class, group []int) {
	classes, groups := 1+r.IntN(4), 2+r.IntN(8)
	for g := range groups {
		for range 1 + r.IntN(9) {
			class, group = append(class, r.IntN(classes)), append(group, g)
		}
	}
	for c := range classes {
		class, group = append(class, c, c), append(group, r.IntN(groups-1), groups-1)
	}
	return class, group
}

// cost is the formula of the documentation, +Inf where what is held out breaks its promise.
func cost(class, group, part []int, parts []dealPart, stratified bool) float64 {
	sum, classes := 0.0, 1+slices.Max(class)
	for p, of := range parts {
		rows, all := make([]float64, classes), make([]float64, classes)
		for i, c := range class {
			if !stratified {
				c = 0
			}
			all[c]++
			if part[group[i]] == p {
				rows[c]++
			}
		}
		for c := range classes {
			if all[c] > 0 {
				sum += (rows[c] - of.Share*all[c]) * (rows[c] - of.Share*all[c]) / all[c]
			}
		}
		if !of.Held {
			continue
		}
		outside, inside := make([]int, classes), 0
		for i, c := range class {
			if part[group[i]] == p {
				inside++
			} else {
				outside[c]++
			}
		}
		if inside == 0 || slices.Contains(outside, 0) {
			return math.Inf(1)
		}
	}
	return sum
}

// For many shapes: what is held out leaves every class a row, and no move of a group and no exchange of two comes nearer to the shares.
func TestNoMoveOfAGroupComesNearer(t *testing.T) {
	r := num.RNG(1, "test")
	best, reached := 0, 0
	for round := range 400 {
		class, group := shape(r)
		share, stratified := 0.05+0.9*r.Float64(), r.IntN(2) == 0
		parts := []dealPart{{Share: 1 - share}, {Share: share, Held: true}}
		part, ok := dealGroups(class, group, parts, stratified, num.RNG(int64(round), "deal"))
		if !ok {
			t.Fatalf("round %d: a division is not found that is there: %v %v", round, class, group)
		}
		have := cost(class, group, part, parts, stratified)
		try := func(changed []int) bool { return cost(class, group, changed, parts, stratified) < have-1e-6 }
		for g := range part {
			for h := range g + 1 {
				changed := slices.Clone(part)
				if g == h {
					changed[g] = 1 - part[g]
				} else {
					changed[g], changed[h] = part[h], part[g]
				}
				if try(changed) {
					t.Fatalf("round %d: %v is nearer than %v for classes %v of groups %v", round, changed, part, class, group)
				}
			}
		}
		reached++
		if !slices.ContainsFunc(all(len(part)), try) {
			best++
		}
	}
	if best*4 < reached*3 { // a local optimum is mostly the best one
		t.Errorf("%d of %d are the nearest of all divisions", best, reached)
	}
}

// all are the divisions of n groups into two parts.
func all(n int) [][]int {
	list := make([][]int, 1<<n)
	for i := range list {
		for g := range n {
			list[i] = append(list[i], i>>g&1)
		}
	}
	return list
}

// Groups of one row each are divided as rows are: every class to within a row of its share, and every seed in another way.
func TestGroupsOfOneRow(t *testing.T) {
	class, group := make([]int, 60), make([]int, 60)
	for i := range class {
		class[i], group[i] = i%3, i
	}
	different := map[int]bool{}
	for seed := range int64(20) {
		part, ok := dealGroups(class, group, []dealPart{{Share: 0.75}, {Share: 0.25, Held: true}}, true, num.RNG(seed, "deal"))
		counts, bits := make([]int, 3), 0
		for g, p := range part {
			counts[class[g]] += p
			bits = bits<<1 | p
		}
		if !ok || !slices.Equal(counts, []int{5, 5, 5}) {
			t.Errorf("seed %d holds out %v of the classes", seed, counts)
		}
		different[bits] = true
	}
	if len(different) != 20 {
		t.Errorf("20 seeds make %d divisions", len(different))
	}
}

// A class of one group cannot be both trained on and held out, which is said.
func TestWhatCannotBeDivided(t *testing.T) {
	parts := []dealPart{{Share: 0.5, Held: true}, {Share: 0.5, Held: true}}
	if part, ok := dealGroups([]int{0, 0, 1, 1}, []int{0, 1, 2, 2}, parts, true, num.RNG(1, "deal")); ok {
		t.Errorf("%v has class 1 on both sides", part)
	}
}

func BenchmarkGroups(b *testing.B) {
	r := num.RNG(1, "test")
	class, group := make([]int, 200_000), make([]int, 200_000)
	for i := range class {
		group[i] = r.IntN(20_000)
		class[i] = (group[i] + r.IntN(3)) % 12
	}
	for b.Loop() {
		dealGroups(class, group, []dealPart{{Share: 0.5}, {Share: 0.5, Held: true}}, true, num.RNG(1, "deal"))
	}
}
