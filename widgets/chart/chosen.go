package chart

import (
	"slices"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// leading is the column of a row's largest value of all, or -1 where that column is not shown.
func leading(m session.Matrix, row int) int {
	values := m.Values[row]
	shown := slices.Index(values, slices.Max(values))
	if row >= len(m.Leaders) || m.Names[shown] == m.Leaders[row] {
		return shown
	}
	leader := -1
	for j, name := range m.Names { // of equal values another may be first
		if name == m.Leaders[row] && (leader < 0 || values[j] > values[leader]) {
			leader = j
		}
	}
	return leader
}

// best is a row's largest value.
func (d heat) best(row int) float64 {
	if row < len(d.LeaderValues) {
		return d.LeaderValues[row]
	}
	return slices.Max(d.Values[row])
}

// leader is the label of a row's leader.
func (d heat) leader(row int) string {
	if j := d.leaders[row]; j >= 0 {
		return d.labels[j]
	}
	return words.Shorten(words.Plain(d.Leaders[row]), labelLength) + notShown
}

// notShown follows the name of a leader whose column is left out.
const notShown = ", not shown"

// got is the column of the feature that a row's selector gets, or -1 where that is not shown, or not known.
func (d heat) got(row int) int {
	if row < len(d.Selected) && d.Selected[row] < len(d.labels) {
		return d.Selected[row]
	}
	return -1
}

// chosen are dots in the cells of what each selector gets, dark on bright cells.
func (d heat) chosen() []spec.Layer {
	tips := []string{"selector", "gets", d.quantity}
	light := spec.Layer{Mark: spec.Point, Colour: spec.Paper, Size: 2.4, Tips: tips}
	dark := spec.Layer{Mark: spec.Point, Colour: spec.Black, Size: 2.4, Tips: tips}
	for i := range d.Values {
		j := d.got(i)
		if j < 0 {
			continue
		}
		dot := spec.Datum{X: float64(j), Y: float64(i), Tips: []any{d.Selectors[i], words.Plain(d.Names[j]), spec.Rounded(d.Values[i][j])}}
		if d.Values[i][j] > 0.02 { // from there on cells are bright
			dark.Data = append(dark.Data, dot)
		} else {
			light.Data = append(light.Data, dot)
		}
	}
	return []spec.Layer{light, dark}
}

// leaderText is who leads a row, and what its selector gets where that is another.
func (d heat) leaderText(row, length int) string {
	got := d.got(row)
	if d.leaders[row] < 0 {
		name := words.Shorten(words.Plain(d.Leaders[row]), max(length-len(notShown), 3)) + notShown
		if got >= 0 {
			name += " → " + words.Shorten(words.Plain(d.Names[got]), max(length/2-2, 3))
		}
		return name
	}
	name := words.Plain(d.Names[d.leaders[row]])
	if got < 0 || got == d.leaders[row] {
		return words.Shorten(name, length)
	}
	return words.Shorten(name, max(length/2-2, 3)) + " → " + words.Shorten(words.Plain(d.Names[got]), max(length/2-2, 3))
}
