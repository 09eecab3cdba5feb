package study

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// accuraciesOf are rows of a method, one a split; NaN is a row without a figure.
func accuraciesOf(method string, values ...float64) []Row {
	var rows []Row
	for split, v := range values {
		row := Row{Identity: Identity{Method: method, Split: split}}
		if !math.IsNaN(v) {
			row.AccuracySVM = &v
		}
		rows = append(rows, row)
	}
	return rows
}

func TestRanking(t *testing.T) {
	none := math.NaN()
	of := map[string][]Row{
		"a": accuraciesOf("a", .9, .91, .92, .93, .94, .95, .96, .97, .9, .9, .5),
		"b": accuraciesOf("b", .8, .81, .82, .83, .84, .85, .86, .87, .9, .9, none),
		"c": accuraciesOf("c", .5, .51, .52, .53, .54, .55, .56, .57, .6, .6, .9),
		"d": nil, // failed throughout
	}
	r := ranking([]string{"c", "b", "a", "d"}, of)
	if r == nil || r.Splits != 10 { // the eleventh lacks b
		t.Fatalf("%+v", r)
	}
	if got := fmt.Sprint(r.Ranks); got != "[{a 1.1} {b 1.9} {c 3}]" {
		t.Errorf("%s", got)
	}
	if math.Abs(r.CriticalDifference-2.344*math.Sqrt(12.0/60)) > 1e-9 || r.P > 0.001 {
		t.Errorf("%+v", r)
	}
	if len(r.Groups) != 1 || !slices.Equal(r.Groups[0], []string{"a", "b"}) {
		t.Errorf("groups %v", r.Groups)
	}
	for name, few := range map[string]*Ranking{
		"one method": ranking([]string{"a"}, of),
		"one split":  ranking([]string{"a", "b"}, map[string][]Row{"a": accuraciesOf("a", .5), "b": accuraciesOf("b", .6)}),
	} {
		if few != nil {
			t.Errorf("%s: %+v", name, few)
		}
	}
	all := &Ranking{CriticalDifference: 1, Ranks: []RankedMean{{"a", 1}, {"b", 1.5}, {"c", 1.9}, {"d", 2.4}, {"e", 4}}}
	if all.group(); fmt.Sprint(all.Groups) != "[[a b c] [b c d]]" {
		t.Errorf("groups %v", all.Groups)
	}
}
