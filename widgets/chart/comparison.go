package chart

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/spec"
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
}

// ComparedMethod is one of them. What it has no figures of is nil.
type ComparedMethod struct {
	Method       string          `json:"method"`
	Splits       int             `json:"splits"`
	Failed       int             `json:"failed"`
	AccuracySVM  *ComparedSpread `json:"accuracy_svm"`
	AccuracyOwn  *ComparedSpread `json:"accuracy_own"`
	R2           *ComparedSpread `json:"r2"` // of a quantity, in the place of accuracies
	R2Own        *ComparedSpread `json:"r2_own"`
	Seconds      *ComparedSpread `json:"seconds"`
	AgainstFsNet *struct {
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
func ComparisonTable(c Compared) Picture {
	t, j := Table{{Title: "method"}}, c.judge()
	own := "own accuracy"
	if c.quantity() {
		own = "own R²"
	}
	for _, title := range []string{"splits", j.figure, "95 %", own, "seconds", "against " + cmp.Or(c.Reference, "fsnet"), "p"} {
		t = append(t, Column{Title: title, Right: true})
	}
	about := "p: Wilcoxon's signed-rank test of the " + j.figures + ", split by split. Splits share rows: it is too small."
	for _, m := range c.Entries {
		splits := strconv.Itoa(m.Splits)
		if m.Failed > 0 {
			splits += fmt.Sprintf(" (%d failed)", m.Failed)
		}
		interval := "-"
		if s := j.of(m); s != nil {
			if low, high, ok := s.interval(); ok {
				interval = words.Fixed(max(low, j.least), 3) + " to " + words.Fixed(min(high, 1), 3)
			}
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
		t.Add(m.Method, splits, j.of(m).text(), interval, cmp.Or(m.AccuracyOwn, m.R2Own).text(), seconds, against, p)
	}
	html := "<div><b>" + words.Escape(comparisonTitle(c)) + "</b>" + t.HTML(0) + "<small>" + about + "</small></div>"
	return Picture{HTML: html, Text: comparisonTitle(c) + "\n" + t.Text(0, 0) + about + "\n", Alt: comparisonAlt(c)}
}

func comparisonTitle(c Compared) string {
	return fmt.Sprintf("Comparison on %s, K = %d", words.Plain(c.Dataset), c.K)
}

func comparisonAlt(c Compared) string {
	return comparisonTitle(c) + ": " + comparisonSummary(c) + "."
}

func comparisonSummary(c Compared) string {
	best, mean, judge := "", math.Inf(-1), c.judge()
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
func Comparison(c Compared) (Picture, error) {
	return Drawn(comparisonSpec(c), true, "")
}

// comparisonWidth is that of the accuracies, in points.
const comparisonWidth = 420.0

func comparisonSpec(c Compared) spec.Spec {
	names, j := methodLabels(c), c.judge()
	bands := make([]string, len(c.Entries))
	low, high := math.Inf(1), math.Inf(-1)
	for i, m := range c.Entries {
		bands[i] = names[m.Method]
		if s := j.of(m); s != nil {
			from, to, _ := s.interval()
			low, high = min(low, from), max(high, to)
		}
	}
	s := spec.Spec{Title: comparisonTitle(c), Subtitle: []string{comparisonSummary(c)}, Alt: comparisonAlt(c)}
	p := spec.Panel{Title: j.figure, Width: comparisonWidth, X: within("mean and 95 % interval", low, high, j.least),
		Y: spec.Axis{Bands: bands}}
	var list []estimate
	for i, m := range c.Entries {
		if a := j.of(m); a != nil {
			list = append(list, a.estimate(i, words.Plain(m.Method), j.least, 1))
		}
	}
	p.Layers = estimates(list, p.X, false, "method", "mean", "from", "to")
	seconds := spec.Layer{Mark: spec.Point, Colour: spec.Vermillion, Tips: []string{"method", "seconds"}}
	for i, m := range c.Entries {
		if m.Seconds != nil {
			seconds.Data = append(seconds.Data, spec.Datum{X: max(m.Seconds.Mean, 1e-3), Y: float64(i),
				Tips: []any{words.Plain(m.Method), secondsText(m.Seconds.Mean)}})
		}
	}
	s.Rows = append(s.Rows, []spec.Panel{p, {Title: "seconds a fit", Width: 130, X: spec.Axis{Log: true},
		Y: spec.Axis{Bands: bands, Hidden: true}, Layers: []spec.Layer{seconds}}})
	if c.Ranking != nil {
		s.Rows = append(s.Rows, rankPanels(c.Ranking, names))
	}
	return s
}
