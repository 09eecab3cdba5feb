package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// rankPanels is Demšar's critical-difference diagram (2006) with a line for each method, the best first: its mean rank, and beside it bars
// over the methods that Nemenyi's test does not tell apart, which are neighbours.
func rankPanels(r *ComparedRanking, labels map[string]string) []spec.Panel {
	points := spec.Layer{Mark: spec.Point, Colour: spec.Blue, Tips: []string{"method", "mean rank", "not told apart in group"}}
	var bands []string
	place := map[string]int{}
	for i, m := range r.Ranks {
		bands = append(bands, fmt.Sprintf("%s (%s)", cmp.Or(labels[m.Method], words.Plain(m.Method)), words.Fixed(m.Rank, 2)))
		points.Data = append(points.Data, spec.Datum{X: m.Rank, Y: float64(i),
			Tips: []any{words.Plain(m.Method), words.Fixed(m.Rank, 2), groupsOf(r.Groups, m.Method)}})
		place[m.Method] = i
	}
	layers := []spec.Layer{points}
	if longest := float64(len(r.Ranks) - 1); r.CriticalDifference <= longest {
		y := float64(len(bands))
		bands = append(bands, "critical difference")
		layers = append(layers, spec.Layer{Mark: spec.Rule, Colour: spec.Ink,
			Data: []spec.Datum{{X: 1, Y: y, X2: 1 + r.CriticalDifference, Y2: y}}})
	}
	bars, ends := spec.Layer{Mark: spec.Line, Colour: spec.Vermillion, Size: 4, Tips: []string{"group"}}, []int{}
	for i, group := range r.Groups {
		from, to := place[group[0]], place[group[len(group)-1]]
		lane := slices.IndexFunc(ends, func(end int) bool { return end < from })
		if lane < 0 {
			lane, ends = len(ends), append(ends, 0)
		}
		ends[lane] = to
		for at := from; at <= to; at++ {
			bars.Data = append(bars.Data, spec.Datum{X: float64(lane), Y: float64(at), Course: i, Tips: []any{groupName(i)}})
		}
	}
	title := fmt.Sprintf("Mean ranks over %s (critical difference %s, Friedman's p = %s)", count.Of(r.Splits, "split"),
		words.Fixed(r.CriticalDifference, 2), words.Number(r.P))
	return []spec.Panel{
		{Title: title, Width: comparisonWidth, X: spec.Axis{Title: "mean rank; bars join methods closer than the critical difference", Low: 0.8, High: float64(max(len(r.Ranks), 2)) + 0.2, Whole: true},
			Y: spec.Axis{Bands: bands}, Layers: layers},
		{Width: 10 * float64(max(len(ends), 1)), X: spec.Axis{Low: -0.5, High: float64(max(len(ends), 1)) - 0.5, Hidden: true},
			Y: spec.Axis{Bands: bands, Hidden: true}, Layers: []spec.Layer{bars}},
	}
}

// groupName numbers a group.
func groupName(i int) string { return strconv.Itoa(i + 1) }

// groupsOf are those that a method belongs to.
func groupsOf(groups [][]string, method string) string {
	var list []string
	for i, group := range groups {
		if slices.Contains(group, method) {
			list = append(list, groupName(i))
		}
	}
	return strings.Join(list, ", ")
}
