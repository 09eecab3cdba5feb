package samples

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/table"
	"fsnetlab/widgets/chart/words"
)

// Heatmap draws the selected features, a line each, over the training rows, a column each, grouped by class, in standard deviations from
// the mean. Features stand in the order of the classes in which they are highest. Test rows, where there are some, stand below by
// themselves. What is missing is left blank.
//
// Errors: kind Failed for rows that do not fit together.
func Heatmap(r session.Rows) (chart.Picture, error) {
	if err := check(r); err != nil {
		return chart.Picture{}, err
	}
	d := heatmapOf(r)
	p, err := chart.Drawn(d.scene(), true, d.text(table.NameLetters), d.alt())
	return p.Fitting(func(columns int, _ bool) string { return d.text(min(table.NameLetters, max(8, columns-36))) }), err
}

// heatmap describes the picture.
type heatmap struct {
	session.Rows
	title    string
	subtitle []string
	lines    []heatLine
}

// heatLine is a feature, in standard deviations.
type heatLine struct {
	name        string
	train, test []float64
	highest     int // the class with the largest mean, or −1
	means       []float64
}

func heatmapOf(r session.Rows) heatmap {
	d := heatmap{Rows: r, title: "Selected features of " + words.Plain(r.Session) + " by class"}
	classes := members(r.Train)
	for _, f := range r.Features {
		s := scaleOf(f.Train)
		l := heatLine{name: nameOf(f), train: s.of(f.Train), test: s.of(f.Test), highest: -1}
		for c, at := range classes {
			l.means = append(l.means, meanOf(l.train, at))
			if words.Finite(l.means[c]) && (l.highest < 0 || l.means[c] > l.means[l.highest]) {
				l.highest = c
			}
		}
		d.lines = append(d.lines, l)
	}
	slices.SortStableFunc(d.lines, func(a, b heatLine) int { return cmp.Compare(a.highest, b.highest) })
	facts := []string{fmt.Sprintf("step %d", r.Step), count.Of(len(d.lines), "feature"), rowsText(r.Train, "training row")}
	d.subtitle = []string{strings.Join(facts, " · ")}
	if r.Test != nil {
		d.subtitle = append(d.subtitle, fmt.Sprintf("%s · look %d at the test rows", rowsText(*r.Test, "test row"), r.TestLooks))
	}
	return d
}

// heatPart is the training or the test rows.
type heatPart struct {
	session.PartRows
	title string
	of    func(heatLine) []float64
}

func (d heatmap) parts() []heatPart {
	list := []heatPart{{d.Train, "Training rows", func(l heatLine) []float64 { return l.train }}}
	if d.Test != nil {
		list = append(list, heatPart{*d.Test, "Test rows", func(l heatLine) []float64 { return l.test }})
	}
	return list
}

// The geometry of the picture, in points.
const (
	sheetWidth   = 560.0 // of the cells at most
	widestCell   = 16.0
	tallestLine  = 18.0
	shortestLine = 12.0
	sheetHeight  = 480.0 // of the lines at most, where that leaves each shortestLine
	classGap     = 4.0
	bandHeight   = 5.0 // of a class's colour
	lane         = 13.0
	mostLanes    = 12 // of classes' names
	scaleWidth   = 180.0
)

func (d heatmap) scene() *scene.Scene {
	s := &scene.Scene{}
	s.Heading(d.title, d.subtitle...)
	left := 90.0
	for _, l := range d.lines {
		left = max(left, scene.Margin+scene.TextWidth(l.name, scene.SmallText, false)+8)
	}
	s.Height = 44 + 15*float64(len(d.subtitle)-1)
	d.drawScale(s, left)
	for _, p := range d.parts() {
		d.part(s, left, p)
	}
	return s
}

// drawScale says what the colours mean.
func (d heatmap) drawScale(s *scene.Scene, left float64) {
	const pieces = 60
	scaled := scene.Sheet{X: left, Y: s.Height + 2, StepX: scaleWidth / pieces, StepY: 8, Values: [][]float64{nil}}
	for i := range pieces {
		scaled.Values[0] = append(scaled.Values[0], scene.SheetReach*(2*(float64(i)+0.5)/pieces-1))
	}
	s.Add(scaled)
	for _, tick := range []float64{-3, -1.5, 0, 1.5, 3} {
		s.Text(left+scaleWidth*(tick/scene.SheetReach+1)/2, s.Height+21, words.Number(tick), scene.Small(0.5, 0))
	}
	const what = "standard deviations from the training mean; blank: missing"
	s.TextInside(left+scaleWidth+14, s.Height+10, what, scene.Small(0, 0))
	s.Height += 30
}

// part draws one below what is there, with its title where there are two.
func (d heatmap) part(s *scene.Scene, left float64, p heatPart) {
	if d.Test != nil {
		s.Text(scene.Margin, s.Height+12, p.title, scene.Lettering{Size: scene.SubtitleText, Bold: true, Colour: scene.Ink})
		s.Height += 16
	}
	stepX := min(widestCell, max(1, math.Floor(2*sheetWidth/float64(max(len(p.Row), 1)))/2))
	stepY := math.Floor(max(shortestLine, min(tallestLine, sheetHeight/float64(len(d.lines)))))
	classes := members(p.PartRows)
	top := s.Height + d.drawNames(s, left, stepX, p.PartRows, classes)
	x := left
	for c, at := range classes {
		if len(at) == 0 {
			continue
		}
		g := scene.Sheet{X: x, Y: top, StepX: stepX, StepY: stepY, GapY: 1, Class: words.Plain(d.Classes[c])}
		if stepX >= 6 {
			g.GapX = 1
		}
		for _, i := range at {
			g.Rows = append(g.Rows, p.Row[i])
		}
		for _, l := range d.lines {
			values := make([]float64, len(at))
			for j, i := range at {
				values[j] = p.of(l)[i]
			}
			g.Features, g.Values = append(g.Features, l.name), append(g.Values, values)
		}
		s.Add(g)
		wide := stepX*float64(len(at)) - g.GapX
		s.Rect(x, top-bandHeight-2, wide, bandHeight, scene.Category(c), scene.About("class", g.Class, "rows", len(at))...)
		s.Widen(x + wide)
		x += stepX*float64(len(at)) + classGap
	}
	for i, l := range d.lines {
		s.Text(left-8, top+stepY*(float64(i)+0.5)-0.5, l.name, scene.Lettering{Size: scene.SmallText, Colour: scene.Ink, H: 1, V: 0.5})
	}
	s.Height = top + stepY*float64(len(d.lines)) + 10
}

// drawNames sets the classes' names in lanes above the cells, so that no two overlap, and says how high that is.
func (d heatmap) drawNames(s *scene.Scene, left, stepX float64, p session.PartRows, classes [][]int) float64 {
	type name struct {
		text string
		x    float64
		lane int
	}
	var names []name
	x, lanes := left, 1
	for c, at := range classes {
		if len(at) > 0 {
			names = append(names, name{className(d.Rows, p, c, len(at)), x, mostLanes})
			x += stepX*float64(len(at)) + classGap
		}
	}
	begins := slices.Repeat([]float64{math.Inf(1)}, mostLanes)
	for i, n := range slices.Backward(names) { // from the right, so that the line below a name crosses no other
		k := slices.IndexFunc(begins, func(x float64) bool { return n.x+scene.TextWidth(n.text, scene.SmallText, false)+12 < x })
		if k >= 0 {
			names[i].lane, lanes = k, max(lanes, k+1)
			for below := range k + 1 {
				begins[below] = n.x
			}
		}
	}
	high := lane*float64(lanes) + bandHeight + 6
	foot := s.Height + high - bandHeight - 3
	for _, n := range names {
		if n.lane == mostLanes { // no room: the cells and the text name it
			continue
		}
		y := foot - lane*float64(n.lane) - 2
		if n.lane > 0 {
			s.Line(n.x+0.5, y-7, n.x+0.5, foot, scene.Pale, 0.8, 0)
			s.Text(n.x+4, y, n.text, scene.Small(0, 0))
		} else {
			s.Text(n.x, y, n.text, scene.Small(0, 0))
		}
		s.Widen(n.x + 4 + scene.TextWidth(n.text, scene.SmallText, false))
	}
	return high
}

// fewClasses is how many have room side by side in a text.
const fewClasses = 4

// text lists each feature with its mean in each class, or of many classes the highest and the lowest.
func (d heatmap) text(length int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", d.title, strings.Join(d.subtitle, "\n"))
	b.WriteString("mean of each class, in standard deviations from the training mean\n")
	for _, p := range d.parts() {
		if d.Test != nil {
			b.WriteString(strings.ToLower(p.title) + "\n")
		}
		b.WriteString(d.means(p).Text(0, length))
	}
	return b.String()
}

func (d heatmap) means(p heatPart) table.Table {
	t, classes := table.Table{{Title: "feature", Name: true}}, members(p.PartRows)
	few := len(classes) <= fewClasses
	if few {
		for _, name := range d.Classes {
			t = append(t, table.Column{Title: words.Shorten(words.Plain(name), 12), Right: true})
		}
	} else {
		t = append(t, table.Column{Title: "highest in", Name: true}, table.Column{Title: "mean", Right: true},
			table.Column{Title: "lowest in", Name: true}, table.Column{Title: "mean", Right: true})
	}
	for _, l := range d.lines {
		high, low, means := -1, -1, make([]float64, len(classes))
		for c, at := range classes {
			if means[c] = meanOf(p.of(l), at); !words.Finite(means[c]) {
				continue
			}
			if high < 0 || means[c] > means[high] {
				high = c
			}
			if low < 0 || means[c] < means[low] {
				low = c
			}
		}
		t[0].Cells = append(t[0].Cells, l.name)
		if few {
			for c, mean := range means {
				t[c+1].Cells = append(t[c+1].Cells, words.Fixed(mean, 2))
			}
			continue
		}
		for i, c := range []int{high, low} {
			name, mean := "–", math.NaN()
			if c >= 0 {
				name, mean = words.Plain(d.Classes[c]), means[c]
			}
			t[2*i+1].Cells, t[2*i+2].Cells = append(t[2*i+1].Cells, name), append(t[2*i+2].Cells, words.Fixed(mean, 2))
		}
	}
	return t
}

// alt is the picture in one sentence.
func (d heatmap) alt() string {
	var facts []string
	for _, l := range d.lines[:min(len(d.lines), 5)] {
		if l.highest >= 0 {
			facts = append(facts, fmt.Sprintf("%s is highest in %s", l.name, words.Plain(d.Classes[l.highest])))
		}
	}
	return fmt.Sprintf("%s, %s: heat map of standardised values; %s.", d.title, d.subtitle[0], strings.Join(facts, ", "))
}
