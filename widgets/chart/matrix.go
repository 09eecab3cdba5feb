package chart

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Matrix draws a selection matrix as a heat map: a row per selector, a column
// per feature, in the order of m. Colours run from 0 to 1 on one scale at every
// step, so that you can compare two pictures. Next to each row are the mass in
// the columns that aren't shown, and the row's leader.
//
// The error is of kind Failed if the matrix is empty, is of uneven shape, or
// has a value that isn't finite.
func Matrix(m session.Matrix) (Picture, error) {
	if err := checkMatrix(m); err != nil {
		return Picture{}, err
	}
	d := heatOf(m)
	return draw(d.spec(), true, wideLetters, d.text), nil
}

// checkMatrix returns an error for a matrix that can't be drawn. See Matrix.
func checkMatrix(m session.Matrix) error {
	rows, columns := len(m.Values), len(m.Names)
	uneven := func(row []float64) bool { return len(row) != columns }
	if rows == 0 || columns == 0 || len(m.Selectors) != rows || len(m.Index) != columns || (m.LeftOut != nil && len(m.LeftOut) != rows) ||
		slices.ContainsFunc(m.Values, uneven) {
		return errs.New(errs.Failed, "step the session first; if that does not help, open it again",
			"the selection matrix of %s is empty or uneven: %s, %s", m.Session, phrase.Count(rows, "row"), phrase.Count(columns, "column"))
	}

	for i, row := range m.Values {
		what := "the mass left out"
		at := slices.IndexFunc(row, func(v float64) bool { return !words.Finite(v) })

		if at >= 0 {
			what = "feature " + m.Names[at]
		} else if m.LeftOut == nil || words.Finite(m.LeftOut[i]) {
			continue
		}

		return errs.New(errs.Failed, "open it again with a lower learning_rate or selector_learning_rate",
			"the selection matrix of %s at step %d is not a finite number for selector %d, %s", m.Session, m.Step, m.Selectors[i], what)
	}
	return nil
}

// heat is a heat map: a grid of cells with labels and numbers around it.
type heat struct {
	session.Matrix
	title    string
	subtitle []string
	quantity string   // name of a value
	leaders  []int    // column of each row's largest value, or -1 if it isn't shown
	labels   []string // of the columns: shortened names, unique
}

// Sizes of a heat map, in points.
const (
	heatWidth    = 400.0 // limits all columns together
	heatHeight   = 460.0 // limits all rows together, unless rows would be lower than smallestRow
	widestColumn = 28.0
	tallestRow   = 24.0
	smallestRow  = 10.0
	labelLength  = 18   // characters of a feature's name
	othersWidth  = 36.0 // of the bars for the mass in all other features
)

// heatOf computes labels, leaders and captions of a matrix. It panics if a row
// has no columns.
func heatOf(m session.Matrix) heat {
	d := heat{Matrix: m, quantity: "probability", labels: columnLabels(m)}
	for i := range m.Values {
		d.leaders = append(d.leaders, leaderColumn(m, i))
	}
	d.describe()
	return d
}

// MatrixWords describes a live matrix in words.
type MatrixWords struct {
	Caption string // the kind of matrix and its step
	Left    string // how many features are not shown, and their mass
	Act     string // what the contest exchanged; "" before it
	Summary string // a description for readers who do not see the matrix
	Again   []bool // for each row, whether a row with a larger value has the same leader
}

// WordsOf describes a matrix in words. It panics if a row has no columns.
func WordsOf(m session.Matrix) MatrixWords {
	d := heatOf(m)
	w := MatrixWords{Caption: d.subtitle[0], Left: d.subtitle[1], Act: strings.Join(d.subtitle[2:], ""), Again: make([]bool, len(m.Values))}
	duplicates, surest, led := 0, map[string]int{}, min(len(m.Values), len(m.Leaders))

	for i := range led {
		if best, known := surest[m.Leaders[i]]; !known || d.best(i) > d.best(best) {
			surest[m.Leaders[i]] = i
		}
	}

	for i := range led {
		if w.Again[i] = surest[m.Leaders[i]] != i; w.Again[i] {
			duplicates++
		}
	}

	w.Summary = fmt.Sprintf("%s: %s, in %d of them one feature has at least %g; %d have the leader of a surer row", w.Caption,
		phrase.Count(len(m.Values), "row"), d.certain(), settledFrom, duplicates)
	return w
}

// columnLabels returns short, unique labels of the columns. If a name isn't
// unique after shortening, its label gets the number of its column in the file.
func columnLabels(m session.Matrix) []string {
	labels, count := make([]string, len(m.Names)), map[string]int{}
	for j, name := range m.Names {
		labels[j] = words.Shorten(words.Plain(name), labelLength)
		count[labels[j]]++
	}

	used := map[string]bool{}
	for j, name := range m.Names {
		ending := func(s string) string {
			return words.Shorten(words.Plain(name), max(2, labelLength-utf8.RuneCountInString(s))) + s
		}

		if labels[j] == "" || count[labels[j]] > 1 {
			labels[j] = ending(fmt.Sprintf("#%d", m.Index[j]))
		}

		for n := 2; used[labels[j]]; n++ { // the same column twice
			labels[j] = ending(fmt.Sprintf("#%d/%d", m.Index[j], n))
		}
		used[labels[j]] = true
	}

	return labels
}

// leaderColumn returns the column of a row's largest value, or -1 if that
// column isn't shown.
func leaderColumn(m session.Matrix, row int) int {
	values := m.Values[row]
	shown := slices.Index(values, slices.Max(values))
	if row >= len(m.Leaders) || m.Names[shown] == m.Leaders[row] {
		return shown
	}

	leader := -1
	for j, name := range m.Names { // among equal values the leader may not be the first
		if name == m.Leaders[row] && (leader < 0 || values[j] > values[leader]) {
			leader = j
		}
	}
	return leader
}

// describe sets the title and the caption: the kind of matrix, its step, and
// what isn't shown.
func (d *heat) describe() {
	letter, what := "P", "P: probability, no temperature or noise"
	switch d.Of {
	case "sample":
		letter, what, d.quantity = "M", "M: sample at τ = "+words.Number(d.Tau)+", with noise", "weight"
	case "soft":
		letter, what, d.quantity = "soft", "soft: softmax at τ = "+words.Number(d.Tau)+", no noise", "weight"
	}

	d.title = fmt.Sprintf("Selection matrix %s of %s", letter, words.Plain(d.Session))

	when := fmt.Sprintf("step %d · epoch %s", d.Step, words.Number(d.Epoch))
	if letter == "P" {
		when += " · τ = " + words.Number(d.Tau)
	}

	shown := fmt.Sprintf("%d of %s", len(d.Names), phrase.Count(d.D, "feature"))

	if d.LeftOut != nil {
		sum := 0.0
		for _, mass := range d.LeftOut {
			sum += mass
		}
		shown += fmt.Sprintf(" shown; the others hold %s of the mass", words.Percent(sum/float64(len(d.LeftOut))))
		if len(d.LeftOut) > 1 {
			shown += fmt.Sprintf(", %s in the row where they hold most", words.Percent(slices.Max(d.LeftOut)))
		}
	}
	d.subtitle = append([]string{what + " · " + when, shown}, act(d.Contest, len(d.Values))...)
}

// best returns a row's largest value, even if its column isn't shown.
func (d heat) best(row int) float64 {
	if row < len(d.LeaderValues) {
		return d.LeaderValues[row]
	}
	return slices.Max(d.Values[row])
}

// notShown follows the name of a leader whose column isn't shown.
const notShown = ", not shown"

// assigned returns the column of the feature that a row's selector gets. It
// returns a negative number if the column isn't shown.
func (d heat) assigned(row int) int {
	if row < len(d.Selected) && d.Selected[row] < len(d.labels) {
		return d.Selected[row]
	}
	return -1
}

// certain counts the rows whose largest value is at least settledFrom.
func (d heat) certain() (n int) {
	for i := range d.Values {
		if d.best(i) >= settledFrom {
			n++
		}
	}
	return n
}

// alt describes the picture in one sentence.
func (d heat) alt() string {
	return fmt.Sprintf("%s, %s: %s, in %d of them one feature has at least 0.9.", d.title, d.subtitle[0], phrase.Count(len(d.Values), "row"),
		d.certain())
}

// text lists each selector with a bar, its largest value, and its leader. The
// leader's name has at most letters characters.
func (d heat) text(letters int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", d.title, strings.Join(d.subtitle, "\n"))
	for i, selector := range d.Selectors {
		fmt.Fprintf(&b, "selector %3d  %s %s  %s\n", selector, words.Bar(d.best(i), 10), words.Chance(d.best(i)), d.leaderText(i, letters))
	}
	return b.String()
}

// leaderText names a row's leader. If its selector gets another feature, it
// also names that.
func (d heat) leaderText(row, letters int) string {
	leader, assigned := d.leaders[row], d.assigned(row)
	clip := func(name string, letters int) string { return words.Shorten(words.Plain(name), max(letters, 3)) }

	gets := ""
	if assigned >= 0 && assigned != leader {
		gets = " → " + clip(d.Names[assigned], letters/2-2)
	}

	switch {
	case leader < 0:
		return clip(d.Leaders[row], letters-len(notShown)) + notShown + gets
	case gets == "":
		return clip(d.Names[leader]+replacing(d.Contest, d.Selectors[row]), letters)
	}
	return clip(d.Names[leader], letters/2-2) + gets
}

// spec draws the cells with dots on the assigned features, and next to them the
// mass in other features and the leaders.
func (d heat) spec() spec.Spec {
	rows, columns := float64(len(d.Values)), float64(len(d.Names))
	cells := spec.Panel{Width: min(widestColumn*columns, heatWidth), Height: rows * max(smallestRow, min(tallestRow, heatHeight/rows)),
		X: spec.Axis{Bands: d.labels, Title: "feature"}, Y: spec.Axis{Title: "selector"}}

	g := &spec.Grid{Values: d.Values, Quantity: d.quantity, Names: [2]string{"feature", "selector"}, Title: "column",
		Colours: spec.Probabilities()}

	for j, index := range d.Index {
		about := any(index)
		if name := words.Plain(d.Names[j]); name != d.labels[j] {
			about = fmt.Sprintf("%d, %s", index, name)
		}
		g.About = append(g.About, about)
	}

	for _, selector := range d.Selectors {
		cells.Y.Bands = append(cells.Y.Bands, strconv.Itoa(selector))
	}
	cells.Layers = append([]spec.Layer{{Grid: g}}, d.chosen()...)

	subtitle := slices.Clone(d.subtitle)
	if len(d.Selected) > 0 {
		subtitle = append(subtitle, "a dot: what the selector gets")
	}

	return spec.Spec{Title: d.title, Subtitle: subtitle, Alt: d.alt(), Rows: [][]spec.Panel{{cells, d.beside(cells)}}}
}

// chosen returns dots in the cells of the assigned features, dark on bright
// cells.
func (d heat) chosen() []spec.Layer {
	light := spec.Layer{Mark: spec.Point, Colour: spec.Paper, Size: 2.4, Tips: []string{"selector", "gets", d.quantity}}
	dark := light
	dark.Colour = spec.Black
	for i := range d.Values {
		j := d.assigned(i)
		if j < 0 {
			continue
		}
		on := &light
		if d.Values[i][j] > 0.02 { // cells are bright from there on
			on = &dark
		}
		on.Data = append(on.Data, spec.Datum{X: float64(j), Y: float64(i),
			Tips: []any{d.Selectors[i], words.Plain(d.Names[j]), spec.Round(d.Values[i][j])}})
	}
	return []spec.Layer{light, dark}
}

// beside returns the panel to the right of the cells. It has bars for the mass
// in all other features, if that is known, and each row's largest value with
// its leader. If the assigned feature is another one, its name follows.
func (d heat) beside(cells spec.Panel) spec.Panel {
	p := spec.Panel{Width: othersWidth, Height: cells.Height, X: spec.Axis{Low: 0, High: 1, Hidden: true}, Title: "in others · leader",
		Y: spec.Axis{Bands: cells.Y.Bands, Hidden: true}}

	tracks := spec.Layer{Mark: spec.Bar, Colour: spec.Faint, Size: 0.5, Tips: []string{"selector", "mass in all other features"}}
	bars := tracks
	bars.Colour = spec.Pale
	leaders := spec.Layer{Mark: spec.Text, Colour: spec.Soft, Shift: 10}

	if d.LeftOut == nil {
		p.Width, p.Title = 1, "leader"
	}

	for i, selector := range d.Selectors {
		y, leader := float64(i), d.leaders[i]
		name := ""
		if leader >= 0 {
			name = d.labels[leader]
		} else {
			name = words.Shorten(words.Plain(d.Leaders[i]), labelLength) + notShown
		}

		if assigned := d.assigned(i); assigned >= 0 && assigned != leader {
			name += " → " + d.labels[assigned]
		}
		name += replacing(d.Contest, selector)
		leaders.Data = append(leaders.Data, spec.Datum{X: 1, Y: y, Text: words.Chance(d.best(i)) + "  " + name})
		if d.LeftOut != nil {
			tips := []any{selector, spec.Round(d.LeftOut[i])}
			tracks.Data = append(tracks.Data, spec.Datum{X2: 1, Y: y, Y2: y, Tips: tips})
			bars.Data = append(bars.Data, spec.Datum{X2: d.LeftOut[i], Y: y, Y2: y, Tips: tips})
		}
	}

	p.Layers = []spec.Layer{tracks, bars, leaders}
	return p
}
