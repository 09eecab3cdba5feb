package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// comparison draws the result of a comparison.
type comparison struct{ results.Table }

// ComparisonTable draws the scores of a comparison as a table.
func ComparisonTable(result results.Table) Picture {
	c := comparison{result}
	t := words.Table{{Title: "method"}}
	figure, figures := c.judgeNames()
	for _, title := range []string{"splits", figure, "95 %", "own " + c.Metric.Name(), "seconds", "against " + cmp.Or(c.Reference, "fsnet"), "p"} {
		t = append(t, words.Column{Title: title, Right: true})
	}
	about := "p: Wilcoxon's signed-rank test of the " + figures + ", split by split. Splits share rows: it is too small."

	for _, m := range c.Entries {
		splits := strconv.Itoa(m.Splits)
		if m.Failed > 0 {
			splits += fmt.Sprintf(" (%d failed)", m.Failed)
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
		t.Add(m.Method, splits, spreadText(m.Score), intervalText(m.Score, c.Metric), spreadText(m.Own), seconds, against, p)
	}

	html := "<div><b>" + words.Escape(c.title()) + "</b>" + t.HTML(0) + "<small>" + about + "</small></div>"
	return Picture{HTML: html, Text: c.title() + "\n" + t.Text(0, 0) + about + "\n", Alt: c.alt()}
}

func (c comparison) title() string {
	return fmt.Sprintf("Comparison on %s, K = %d", words.Plain(c.Dataset), c.K)
}

func (c comparison) alt() string { return c.title() + ": " + c.summary() + "." }

// summary counts the methods and names the one with the highest mean score. If
// several have it, it names the first. It returns "no figures yet" if there is
// no score.
func (c comparison) summary() string {
	best, mean := "", math.Inf(-1)
	for _, m := range c.Entries {
		if s := m.Score; s != nil && s.Mean > mean {
			best, mean = words.Plain(m.Method), s.Mean
		}
	}

	if best == "" {
		return "no figures yet"
	}

	figure, _ := c.judgeNames()
	return fmt.Sprintf("%s; the highest %s is %s's, %s", phrase.Count(len(c.Entries), "method"), figure, best, words.Fixed(mean, 3))
}

// judgeNames returns what judges the selected features, in the singular and the
// plural: a support vector machine's accuracy or, for a quantity, kernel ridge
// regression's R².
func (c comparison) judgeNames() (figure, figures string) {
	if c.Metric.Quantity() {
		return "R²", "kernel ridge's R²"
	}
	return "SVM accuracy", "SVM accuracies"
}

// scoreFloor returns the lower limit of a score: 0, or −∞ for R².
func scoreFloor(m session.Metric) float64 {
	if m.Quantity() {
		return math.Inf(-1)
	}
	return 0
}

// labels returns the names of the methods, shortened for a picture. A shortened
// name is followed by its number in the table. So names that start alike, such
// as FsNet with different settings, remain distinguishable.
func (c comparison) labels() map[string]string {
	const most = 48
	labels := map[string]string{}
	for i, m := range c.Entries {
		label := words.Plain(m.Method)
		if number := fmt.Sprintf(" (%d.)", i+1); utf8.RuneCountInString(label) > most {
			label = words.Shorten(label, most-len(number)) + number
		}
		labels[m.Method] = label
	}
	return labels
}

// secondsText formats a time that was measured to the millisecond.
func secondsText(v float64) string {
	if v < 0.001 {
		return "<0.001"
	}
	return words.Number(v)
}

// Comparison draws a comparison. For each method, it shows the mean accuracy
// with its interval, and the seconds of a fit. Below is the critical-difference
// diagram: mean ranks, with bars over the methods that Nemenyi's test can't
// distinguish.
func Comparison(c results.Table) (Picture, error) { return draw(comparisonSpec(c), true, 0, nil), nil }

// comparisonWidth is the width of the accuracies, in points.
const comparisonWidth = 420.0

// comparisonSpec draws a band for each method, in the order of the result. It
// shows the score with its interval, and next to it the seconds of a fit. If
// the result has a ranking, the mean ranks are below.
func comparisonSpec(result results.Table) spec.Spec {
	c := comparison{result}
	names, from0 := c.labels(), scoreFloor(c.Metric)
	figure, _ := c.judgeNames()
	var bands []string
	var list []estimate
	low, high := math.Inf(1), math.Inf(-1)
	seconds := spec.Layer{Mark: spec.Point, Colour: spec.Vermillion, Tips: []string{"method", "seconds"}}

	for i, m := range c.Entries {
		bands = append(bands, names[m.Method])
		if m.Score != nil {
			e := spreadEstimate(m.Score, i, words.Plain(m.Method), from0, 1)
			low, high, list = min(low, e.low), max(high, e.high), append(list, e)
		}
		if m.Seconds != nil {
			seconds.Data = append(seconds.Data, spec.Datum{X: max(m.Seconds.Mean, 1e-3), Y: float64(i),
				Tips: []any{words.Plain(m.Method), secondsText(m.Seconds.Mean)}})
		}
	}

	p := spec.Panel{Title: figure, Width: comparisonWidth, X: scoreAxis("mean and 95 % interval", low, high, from0),
		Y: spec.Axis{Bands: append([]string{}, bands...)}}
	p.Layers = estimates(list, p.X, false, "method", "mean", "from", "to")

	s := spec.Spec{Title: c.title(), Subtitle: []string{c.summary()}, Alt: c.alt(), Rows: [][]spec.Panel{{p, {Title: "seconds a fit", Width: 130,
		X: spec.Axis{Log: true}, Y: spec.Axis{Bands: p.Y.Bands, Hidden: true}, Layers: []spec.Layer{seconds}}}}}

	if c.Ranking != nil {
		s.Rows = append(s.Rows, rankPanels(c.Ranking, names))
	}
	return s
}

// rankPanels returns Demšar's critical-difference diagram (2006), the best
// method first. It shows mean ranks, and next to them bars over neighbours that
// Nemenyi's test can't distinguish.
func rankPanels(r *results.Ranking, labels map[string]string) []spec.Panel {
	points := spec.Layer{Mark: spec.Point, Colour: spec.Blue, Tips: []string{"method", "mean rank", "not told apart in group"}}
	var bands []string
	place := map[string]int{}

	for i, m := range r.Ranks {
		var groups []string
		for g, group := range r.Groups {
			if slices.Contains(group, m.Method) {
				groups = append(groups, strconv.Itoa(g+1))
			}
		}
		bands = append(bands, fmt.Sprintf("%s (%s)", cmp.Or(labels[m.Method], words.Plain(m.Method)), words.Fixed(m.Rank, 2)))
		points.Data = append(points.Data, spec.Datum{X: m.Rank, Y: float64(i),
			Tips: []any{words.Plain(m.Method), words.Fixed(m.Rank, 2), strings.Join(groups, ", ")}})
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
			bars.Data = append(bars.Data, spec.Datum{X: float64(lane), Y: float64(at), Course: i, Tips: []any{strconv.Itoa(i + 1)}})
		}
	}

	lanes := float64(max(len(ends), 1))
	return []spec.Panel{
		{Title: fmt.Sprintf("Mean ranks over %s (critical difference %s, Friedman's p = %s)", phrase.Count(r.Splits, "split"),
			words.Fixed(r.CriticalDifference, 2), words.Number(r.P)), Width: comparisonWidth, Y: spec.Axis{Bands: bands}, Layers: layers,
			X: spec.Axis{Title: "mean rank; bars join methods closer than the critical difference", Low: 0.8,
				High: float64(max(len(r.Ranks), 2)) + 0.2, Whole: true}},
		{Width: 10 * lanes, X: spec.Axis{Low: -0.5, High: lanes - 0.5, Hidden: true}, Y: spec.Axis{Bands: bands, Hidden: true},
			Layers: []spec.Layer{bars}},
	}
}

// spreadText formats a mean with its standard deviation. It returns "-" for
// nil.
func spreadText(s *metric.Spread) string {
	if s == nil {
		return "-"
	}
	return words.Fixed(s.Mean, 3) + " ± " + words.Fixed(s.SD, 3)
}

// intervalText formats the 95 % interval of a mean, limited to 1 and, for
// accuracies, to 0. It returns "-" if there is no interval.
func intervalText(s *metric.Spread, m session.Metric) string {
	low, high, ok := s.Interval()
	if !ok {
		return "-"
	}
	return words.Fixed(max(low, scoreFloor(m)), 3) + " to " + words.Fixed(min(high, 1), 3)
}

// spreadEstimate returns the mark of a spread in a band. Without an interval it
// is only the mean. The mark has the whole interval, but its tooltip is limited
// to least and most.
func spreadEstimate(s *metric.Spread, band int, name string, least, most float64) estimate {
	e := estimate{band: band, mean: s.Mean, low: s.Mean, high: s.Mean, tips: []any{name, words.Fixed(s.Mean, 3), "–", "–"}}
	if low, high, ok := s.Interval(); ok {
		e.low, e.high, e.tips[2], e.tips[3] = low, high, words.Fixed(max(low, least), 3), words.Fixed(min(high, most), 3)
	}
	return e
}

// estimate is a mean with its interval, drawn in a band of one axis and along
// the other axis.
type estimate struct {
	band            int
	mean, low, high float64
	series          string
	tips            []any
}

// estimates draws a point for each mean, over a line for its interval.
// Accuracies and R² end at 1, so a line that continues beyond it gets an arrow
// there. along is the axis of the scores, and upright says that it is vertical.
// tips are the headings of the tooltips.
func estimates(list []estimate, along spec.Axis, upright bool, tips ...string) []spec.Layer {
	rules := spec.Layer{Mark: spec.Rule, Colour: spec.Blue, Tips: tips}
	points := spec.Layer{Mark: spec.Point, Colour: spec.Blue, Tips: tips}
	cut, arrow := spec.Layer{Mark: spec.Text, Colour: spec.Blue, Bold: true, Shift: -2}, "►"
	if upright {
		arrow, cut.Shift = "▲", -4
	}

	add := func(l *spec.Layer, d spec.Datum) {
		if upright {
			d.X, d.Y, d.X2, d.Y2 = d.Y, d.X, d.Y2, d.X2
		}
		l.Data = append(l.Data, d)
	}

	for _, e := range list {
		band := float64(e.band)
		inside := func(v float64) float64 { return min(max(v, along.Low), 1) }
		if e.high > e.low {
			add(&rules, spec.Datum{X: inside(e.low), Y: band, X2: inside(e.high), Y2: band, Series: e.series, Tips: e.tips})
		}

		add(&points, spec.Datum{X: inside(e.mean), Y: band, Series: e.series, Tips: e.tips})
		if e.high > 1 {
			add(&cut, spec.Datum{X: 1, Y: band, Text: arrow, Series: e.series})
		}
	}
	return []spec.Layer{rules, points, cut}
}

// scoreAxis returns an axis from low to high. It limits the range to [least, 1]
// and then adds room for points at both ends. If low exceeds high, because there
// are no scores, the range is 0 to 1.
func scoreAxis(title string, low, high, least float64) spec.Axis {
	if low > high {
		low, high = 0, 1
	}
	low, high = max(low, least), min(high, 1)
	room := max(0.04*(high-low), 0.01)
	return spec.Axis{Title: title, Low: low - room, High: high + room}
}
