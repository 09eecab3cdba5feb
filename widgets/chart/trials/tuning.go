package trials

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/axis"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/table"
	"fsnetlab/widgets/chart/words"
)

// Tuning draws the mean accuracy, or of a quantity R², of every combination of a grid with one standard error to both sides. The best and
// the chosen one are marked, and a line stands one standard error below the best. Of very many the best are drawn.
func Tuning(t Tuned) (chart.Picture, error) {
	return chart.Drawn(tuningScene(t), true, t.bars(t.title("Tuning")), t.alt(t.title("Tuning")))
}

// bars is the picture for a terminal.
func (t Tuned) bars(title string) string {
	list := table.Table{{}, {}, {Right: true}, {}}
	shown, _ := t.inOrder()
	for _, i := range shown {
		p := t.Points[i]
		list.Add(p.name(), words.Bar(max(p.figure().Mean, 0), 20), p.spread(), t.mark(i))
	}
	text := title + "\n" + t.how() + "\n"
	if len(list[0].Cells) > 0 {
		text += list.Text(0, 0)
	}
	return text + words.Plain(t.outcome()) + "\n"
}

// mostTuned is how many combinations a picture has room for.
const mostTuned = 60

// shown are the points that are drawn: those with figures, in their order.
func (t Tuned) shown() []int {
	var list []int
	for i, p := range t.Points {
		if p.figure() != nil {
			list = append(list, i)
		}
	}
	if len(list) > mostTuned {
		slices.SortStableFunc(list, func(a, b int) int {
			return cmp.Or(-cmp.Compare(len(t.mark(a)), len(t.mark(b))), -cmp.Compare(t.Points[a].figure().Mean, t.Points[b].figure().Mean))
		})
		list = slices.Sorted(slices.Values(list[:mostTuned]))
	}
	return list
}

// scale is an axis for the figures with their errors, which ends at 1, and begins at 0 or higher where they are accuracies.
func (t Tuned) scale(shown []int, ticks int) axis.Axis {
	low, high := 1.0, 0.0
	for _, i := range shown {
		b := t.Points[i].bar()
		low, high = min(low, b.low), max(high, b.high)
		for _, s := range t.Points[i].BySeed {
			low, high = min(low, s.figure()), max(high, s.figure())
		}
	}
	if !t.quantity() {
		low = max(low, 0)
	}
	low, high = math.Floor(20*low)/20, math.Ceil(20*min(high, 1))/20
	if !(high > low) {
		low, high = 0, 1
	}
	return axis.Linear(low, high, ticks)
}

// colour tells the chosen from the others.
func (t Tuned) colour(i int) scene.RGB {
	if t.Chosen != nil && *t.Chosen == i {
		return scene.Vermillion
	}
	return scene.Blue
}

func (t Tuned) facts(i int) []scene.Fact {
	p := t.Points[i]
	if p.Interval != nil {
		low, high := p.within()
		return scene.About("settings", p.name(), t.measure(), scene.Rounded(p.bar().mean), "from", scene.Rounded(low), "to", scene.Rounded(high),
			"standard error over folds", scene.Rounded(p.figure().SE), "mark", cmp.Or(t.mark(i), "-"))
	}
	return scene.About("settings", p.name(), t.measure(), scene.Rounded(p.figure().Mean), "standard error", scene.Rounded(p.figure().SE),
		"to the best", p.Difference.text("%+.3f"), "mark", cmp.Or(t.mark(i), "-"))
}

// The geometry of the picture, in points.
const (
	tunedRow  = 20.0
	tunedWide = 340.0
	tunedTop  = 92.0
)

func tuningScene(t Tuned) *scene.Scene {
	shown, left := t.shown(), 80.0
	labels := map[int]string{}
	for _, i := range shown {
		labels[i] = words.Shorten(t.Points[i].name(), 60)
		left = max(left, scene.TextWidth(labels[i], scene.SmallText, false)+scene.Margin+12)
	}
	s := &scene.Scene{Width: left + tunedWide + 100}
	t.head(s, t.title("Tuning"), shown)
	x := t.scale(shown, 6)
	below := tunedTop + tunedRow*float64(max(len(shown), 1))
	t.caption(s, left, "mean ± one standard error")
	for _, v := range x.Ticks {
		at := left + tunedWide*x.At(v)
		s.Line(at, tunedTop, at, below, scene.Faint, 0.5, 0)
		s.Text(at, below+14, axis.Label(v), scene.Small(0.5, 0))
	}
	if t.Threshold != nil {
		at := left + tunedWide*x.Within(*t.Threshold)
		s.Line(at, tunedTop, at, below, scene.Grey, 1, 4, scene.About("one standard error below the best", scene.Rounded(*t.Threshold))...)
	}
	for row, i := range shown {
		y, a := tunedTop+tunedRow*(float64(row)+0.5), t.Points[i].figure()
		s.Text(left-8, y, labels[i], scene.Lettering{Size: scene.SmallText, Colour: scene.Ink, H: 1, V: 0.5})
		s.Line(left+tunedWide*x.Within(a.Mean-a.SE), y, left+tunedWide*x.Within(a.Mean+a.SE), y, t.colour(i), 1.5, 0, t.facts(i)...)
		cutRight(s, x, a.Mean+a.SE, left+tunedWide, y, t.colour(i))
		s.Dot(left+tunedWide*x.Within(a.Mean), y, 4, t.colour(i), t.facts(i)...)
		s.Text(left+tunedWide+10, y, t.mark(i), scene.Lettering{Size: scene.SmallText, Bold: true, Colour: scene.Ink, V: 0.5})
	}
	s.Height = below + 24
	return s
}

// cutRight marks an interval that goes on beyond the end of an axis: accuracies and R² end at 1.
func cutRight(s *scene.Scene, a axis.Axis, upTo, right, y float64, colour scene.RGB) {
	if upTo > a.High {
		s.Add(scene.Stroke{Points: [][2]float64{{right + 1, y - 4}, {right + 5, y}, {right + 1, y + 4}}, Colour: colour, Width: 1.5})
	}
}

// caption says above a plot what is drawn in it.
func (t Tuned) caption(s *scene.Scene, left float64, what string) {
	text := t.judged() + ": " + what
	if t.Threshold != nil {
		text += "; dashed: the best less one standard error"
	}
	s.Text(left, tunedTop-10, text, scene.Small(0, 0))
	s.Widen(left + scene.TextWidth(text, scene.SmallText, false))
}

// head sets title and subtitles.
func (t Tuned) head(s *scene.Scene, title string, shown []int) {
	how := t.how()
	if n := len(t.Points); len(shown) < n {
		how += "; " + strconv.Itoa(len(shown)) + " of " + count.Of(n, "combination") + " are drawn"
	}
	s.Heading(title, how, t.outcome())
}
