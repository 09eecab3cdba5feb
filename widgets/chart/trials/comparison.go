package trials

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/axis"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/table"
	"fsnetlab/widgets/chart/words"
)

// Compared is what methods of feature selection reach on one data set with one K: a table of fsnet compare.
type Compared struct {
	Dataset string           `json:"dataset"`
	K       int              `json:"k"`
	Entries []ComparedMethod `json:"methods"`
	Ranking *ComparedRanking `json:"ranking"` // nil: too few splits or methods
	// Reference is the method that AgainstFsNet is against; "" is fsnet.
	Reference string `json:"reference"`
	Judge     string `json:"judge"` // by whose accuracies methods are ranked and tested: "" is svm; or knn, logistic
}

// ComparedMethod is one of them. What it has no figures of is nil.
type ComparedMethod struct {
	Method           string          `json:"method"`
	Splits           int             `json:"splits"`
	Failed           int             `json:"failed"`
	AccuracySVM      *ComparedSpread `json:"accuracy_svm"`
	AccuracyKNN      *ComparedSpread `json:"accuracy_knn"`
	AccuracyLogistic *ComparedSpread `json:"accuracy_logistic"`
	AccuracyOwn      *ComparedSpread `json:"accuracy_own"`
	R2               *ComparedSpread `json:"r2"` // of a quantity, in the place of accuracies
	R2Own            *ComparedSpread `json:"r2_own"`
	Seconds          *ComparedSpread `json:"seconds"`
	AgainstFsNet     *struct {
		Difference float64  `json:"difference"`
		P          *float64 `json:"p"` // nil: all share one split
	} `json:"against_fsnet"`
}

// ComparedRanking is how the methods rank: what a critical-difference diagram shows.
type ComparedRanking struct {
	Splits             int            `json:"splits"`
	Ranks              []ComparedRank `json:"ranks"` // the best first
	CriticalDifference float64        `json:"critical_difference"`
	Groups             [][]string     `json:"groups"`
	P                  float64        `json:"p"`
}

// ComparedRank is the mean rank of a method.
type ComparedRank struct {
	Method string  `json:"method"`
	Rank   float64 `json:"rank"`
}

// ComparisonTable is the figures of a comparison as a table.
func ComparisonTable(c Compared) chart.Picture {
	t := table.Table{{Title: "method"}}
	titles := []string{"splits"}
	for _, j := range c.judges() {
		titles = append(titles, j.figure, "95 %")
	}
	own := "own accuracy"
	if c.quantity() {
		own = "own R²"
	}
	for _, title := range append(titles, own, "seconds", "against "+cmp.Or(c.Reference, "fsnet"), "p") {
		t = append(t, table.Column{Title: title, Right: true})
	}
	about := "p: Wilcoxon's signed-rank test of the " + c.judges()[0].figures + ", split by split. Splits share rows: it is too small."
	for _, m := range c.Entries {
		splits := strconv.Itoa(m.Splits)
		if m.Failed > 0 {
			splits += fmt.Sprintf(" (%d failed)", m.Failed)
		}
		row := []string{m.Method, splits}
		for _, j := range c.judges() {
			interval := "-"
			if s := j.of(m); s != nil {
				if low, high, ok := s.interval(); ok {
					interval = words.Fixed(max(low, j.least), 3) + " to " + words.Fixed(min(high, 1), 3)
				}
			}
			row = append(row, j.of(m).text(), interval)
		}
		seconds, against, p := "-", "-", "-"
		if s := m.Seconds; s != nil {
			seconds = secondsText(s.Mean)
		}
		if a := m.AgainstFsNet; a != nil {
			if against, p = fmt.Sprintf("%+.3f", a.Difference), words.PValue(a.P); a.P == nil {
				about = "No p: all trainings share one split."
			}
		}
		t.Add(append(row, cmp.Or(m.AccuracyOwn, m.R2Own).text(), seconds, against, p)...)
	}
	html := "<div><b>" + words.Escape(comparisonTitle(c)) + "</b>" + t.HTML(0) + "<small>" + about + "</small></div>"
	return chart.Picture{HTML: html, Text: comparisonTitle(c) + "\n" + t.Text(0, 0) + about + "\n", Alt: comparisonAlt(c)}
}

func comparisonTitle(c Compared) string {
	return fmt.Sprintf("Comparison on %s, K = %d", words.Plain(c.Dataset), c.K)
}

func comparisonAlt(c Compared) string {
	return comparisonTitle(c) + ": " + comparisonSummary(c) + "."
}

func comparisonSummary(c Compared) string {
	best, mean, judge := "", math.Inf(-1), c.judges()[0]
	for _, m := range c.Entries {
		if s := judge.of(m); s != nil && s.Mean > mean {
			best, mean = words.Plain(m.Method), s.Mean
		}
	}
	if best == "" {
		return "no figures yet"
	}
	return fmt.Sprintf("%s; the highest %s is %s's, %s", count.Of(len(c.Entries), "method"), judge.figure, best, words.Fixed(mean, 3))
}

// text is a mean of shares with its standard deviation.
func (s *ComparedSpread) text() string {
	if s == nil {
		return "-"
	}
	return words.Fixed(s.Mean, 3) + " ± " + words.Fixed(s.SD, 3)
}

// secondsText writes a time that was measured to the millisecond.
func secondsText(v float64) string {
	if v < 0.001 {
		return "<0.001"
	}
	return words.Number(v)
}

// Comparison draws a comparison: for each method the mean accuracy with its interval and the seconds of a fit, and below the
// critical-difference diagram: mean ranks on a line, with bars over the methods that Nemenyi's test does not tell apart.
func Comparison(c Compared) (chart.Picture, error) {
	return chart.Drawn(comparisonScene(c), true, comparisonText(c), comparisonAlt(c))
}

func comparisonText(c Compared) string {
	var b strings.Builder
	fmt.Fprintln(&b, comparisonTitle(c))
	t := table.Table{{}, {}, {Right: true}, {Right: true}}
	judges := c.judges()
	for _, m := range c.Entries {
		if s := judges[0].of(m); s != nil && m.Seconds != nil {
			t.Add(m.Method, words.Bar(max(s.Mean, 0), 20), words.Fixed(s.Mean, 3), secondsText(m.Seconds.Mean)+" s")
		}
	}
	b.WriteString(t.Text(0, 0))
	for _, j := range judges[1:] {
		for _, m := range c.Entries {
			if a := j.of(m); a != nil {
				fmt.Fprintf(&b, "judged by %s: %s %s\n", j.title, words.Plain(m.Method), words.Fixed(a.Mean, 3))
			}
		}
	}
	if r := c.Ranking; r != nil {
		fmt.Fprintf(&b, "mean ranks over %s, critical difference %s, Friedman's p = %s\n", count.Of(r.Splits, "split"),
			words.Fixed(r.CriticalDifference, 2), words.Number(r.P))
		t := table.Table{{}, {Right: true}}
		for _, m := range r.Ranks {
			t.Add("  "+m.Method, words.Fixed(m.Rank, 2))
		}
		b.WriteString(t.Text(0, 0))
		for _, g := range r.Groups {
			fmt.Fprintf(&b, "not told apart: %s\n", words.Plain(strings.Join(g, ", ")))
		}
	}
	return b.String()
}

// The geometry of a comparison, in points.
const (
	comparisonRow      = 20.0
	comparisonTop      = 70.0
	comparisonAccuracy = 300.0
	comparisonSeconds  = 150.0
	comparisonGap      = 44.0
)

func comparisonScene(c Compared) *scene.Scene {
	names, left := methodLabels(c), 80.0
	for _, name := range names {
		left = max(left, scene.TextWidth(name, scene.SmallText, false)+scene.Margin+12)
	}
	judges := c.judges()
	right := left + (comparisonAccuracy+comparisonGap)*float64(len(judges))
	s := &scene.Scene{Width: right + comparisonSeconds + 4*scene.Margin}
	s.Heading(comparisonTitle(c), comparisonSummary(c))
	below := comparisonTop + comparisonRow*float64(len(c.Entries))
	accuracy, seconds := c.axes()
	type plot struct {
		x, wide float64
		title   string
		axis    axis.Axis
		tick    func(float64) string
	}
	plots := []plot{{right, comparisonSeconds, "seconds a fit (logarithmic)", seconds, words.Number}}
	for at := len(judges) - 1; at >= 0; at-- {
		x := left + (comparisonAccuracy+comparisonGap)*float64(at)
		plots = slices.Insert(plots, 0, plot{x, comparisonAccuracy, judges[at].figure + ": mean and 95 % interval", accuracy,
			func(v float64) string { return words.Fixed(v, 2) }})
	}
	for _, plot := range plots {
		s.Text(plot.x, comparisonTop-8, plot.title, scene.Small(0, 0))
		for _, v := range plot.axis.Ticks {
			x := plot.x + plot.wide*plot.axis.At(v)
			s.Line(x, comparisonTop, x, below, scene.Faint, 0.5, 0)
			s.Text(x, below+14, plot.tick(v), scene.Small(0.5, 0))
		}
	}
	for i, m := range c.Entries {
		y := comparisonTop + comparisonRow*(float64(i)+0.5)
		s.Text(left-8, y, names[m.Method], scene.Lettering{Size: scene.SmallText, Colour: scene.Ink, H: 1, V: 0.5})
		for number, j := range judges {
			a, from := j.of(m), plots[number].x
			if a == nil {
				continue
			}
			at := func(v float64) float64 {
				return from + comparisonAccuracy*accuracy.At(min(max(v, accuracy.Low), accuracy.High))
			}
			facts := a.facts(j.least, 1, "method", words.Plain(m.Method))
			if number > 0 {
				facts = append(facts, scene.About("judge", j.title)...)
			}
			low, high, ok := a.interval()
			if ok {
				s.Line(at(low), y, at(high), y, scene.Blue, 1.5, 0, facts...)
			}
			cutRight(s, accuracy, high, from+comparisonAccuracy, y, scene.Blue)
			s.Dot(at(a.Mean), y, 4, scene.Blue, facts...)
		}
		if m.Seconds != nil {
			s.Dot(right+comparisonSeconds*seconds.At(max(m.Seconds.Mean, 1e-3)), y, 4, scene.Vermillion,
				scene.About("method", words.Plain(m.Method), "seconds", secondsText(m.Seconds.Mean))...)
		}
	}
	s.Height = below + 44
	if c.Ranking != nil {
		by := ""
		if judge := judges[0]; judge.name == "knn" || judge.name == "logistic" {
			by = " by the " + judge.figures
		}
		title := fmt.Sprintf("Mean ranks%s over %s; bars join methods closer than the critical difference, %s (Friedman's p = %s)",
			by, count.Of(c.Ranking.Splits, "split"), words.Fixed(c.Ranking.CriticalDifference, 2), words.Number(c.Ranking.P))
		s.Text(scene.Margin, s.Height, title, scene.Small(0, 0))
		s.Width = max(s.Width, scene.TextWidth(title, scene.SmallText, false)+2*scene.Margin)
		rankDiagramOf(c.Ranking, names).draw(s)
	}
	return s
}

// axes are those of the accuracies with their intervals, within 0 and 1, and of the seconds, between powers of ten.
func (c Compared) axes() (accuracy, seconds axis.Axis) {
	low, high, fastest, slowest := 1.0, 0.0, math.Inf(1), math.Inf(-1)
	for _, m := range c.Entries {
		for _, j := range c.judges() {
			if s := j.of(m); s != nil {
				from, to, _ := s.interval()
				low, high = min(low, from, s.Mean), max(high, to, s.Mean)
			}
		}
		if s := m.Seconds; s != nil {
			fastest, slowest = min(fastest, max(s.Mean, 1e-3)), max(slowest, max(s.Mean, 1e-3))
		}
	}
	low, high = math.Floor(20*max(low, c.judges()[0].least))/20, math.Ceil(20*min(high, 1))/20
	if !(high > low) {
		low, high = 0, 1
	}
	accuracy = axis.Linear(low, high, 5)
	if slowest < fastest { // no method has been timed
		return accuracy, axis.Axis{Low: 1, High: 10, Log: true}
	}
	first, last := math.Floor(math.Log10(fastest)), math.Ceil(math.Log10(slowest))
	last = max(last, first+1)
	seconds = axis.Axis{Low: axis.Power(1, int(first)), High: axis.Power(1, int(last)), Log: true}
	for e := int(first); e <= int(last); e++ {
		seconds.Ticks = append(seconds.Ticks, axis.Power(1, e))
	}
	return accuracy, seconds
}
