package main

import (
	"cmp"
	"fmt"
	"strconv"

	"fsnetlab/fsnet/study"
	"fsnetlab/widgets/chart"
)

// tableOf makes a table of titles; those with a ">" are set to the right.
func tableOf(titles ...string) chart.Table {
	var t chart.Table
	for _, title := range titles {
		c := chart.Column{Title: title}
		if title[0] == '>' {
			c.Title, c.Right = title[1:], true
		}
		t = append(t, c)
	}
	return t
}

// noFigure stands where there is no figure.
const noFigure = "–"

// figureText is a figure of the paper.
func figureText(f *paperFigure, decimals int) string {
	switch {
	case f == nil:
		return noFigure
	case f.Value == nil:
		return "N/A"
	case f.SD != nil:
		return fmt.Sprintf("%.*f ± %.*f", decimals, *f.Value, decimals, *f.SD)
	}
	return strconv.FormatFloat(*f.Value, 'f', decimals, 64)
}

func meanText(s *study.Spread, splits int) string {
	switch {
	case s == nil:
		return noFigure
	case splits < 2:
		return fmt.Sprintf("%.3f", s.Mean)
	}
	return fmt.Sprintf("%.3f ± %.3f", s.Mean, s.SD)
}

// intervalText is that of a mean of shares.
func (m measuredCell) intervalText() string {
	low, high, ok := m.ours.Interval()
	if !ok {
		return noFigure
	}
	return fmt.Sprintf("%.3f to %.3f", max(low, 0), min(high, 1))
}

func (m measuredCell) both() bool { return m.ours != nil && m.paper != nil && m.paper.Value != nil }

func (m measuredCell) difference() string {
	if !m.both() {
		return noFigure
	}
	return fmt.Sprintf("%+.3f", m.ours.Mean-*m.paper.Value)
}

// verdict says where the paper's figure lies, and else why nobody can say.
func (m measuredCell) verdict() string {
	text := ""
	low, high, interval := m.ours.Interval()
	switch {
	case m.ours == nil:
		text = cmp.Or(m.remark, "not made")
		if m.failed > 0 {
			text = fmt.Sprintf("%d failed", m.failed)
		}
		return text
	case m.paper == nil:
		text = "not in the paper"
	case m.paper.Value == nil:
		text = "the paper's authors could not run it"
	case !interval:
		text = "one split has no interval"
	case *m.paper.Value < low:
		text = "below our interval"
	case *m.paper.Value > high:
		text = "above our interval"
	default:
		text = "inside our interval"
	}
	if m.failed > 0 {
		text += fmt.Sprintf("; %d failed", m.failed)
	}
	if m.remark != "" {
		text += "; " + m.remark
	}
	return text
}

// kText is K, or that all features are used.
func kText(k int) string {
	if k == 0 {
		return "all"
	}
	return strconv.Itoa(k)
}

func accuracyTable(list []measuredCell) chart.Table {
	t := tableOf("data", ">K", "the paper's column", "method", ">splits", ">accuracy", ">95 %", ">SVM on the selected", ">paper",
		">difference", "the paper's figure is")
	for _, m := range list {
		svm := noFigure
		if m.svm != nil {
			svm = fmt.Sprintf("%.3f", m.svm.Mean)
		}
		t.Add(m.row, kText(m.k), cmp.Or(m.column, noFigure), m.method, strconv.Itoa(m.splits), meanText(m.ours, m.splits), m.intervalText(), svm,
			figureText(m.paper, 3), m.difference(), m.verdict())
	}
	return t
}

func sizeTable(list []modelSize) chart.Table {
	t := tableOf("data", "the paper's column", "method", ">parameters", ">on disk, KiB", ">paper, KB", ">difference", "remark")
	for _, m := range list {
		cells := []string{m.row, m.column, m.method, noFigure, noFigure, figureText(m.paper, 0), noFigure, m.remark}
		if m.parameters > 0 {
			cells[3], cells[4] = strconv.Itoa(m.parameters), fmt.Sprintf("%.1f", m.disk)
			if m.paper != nil {
				cells[6] = fmt.Sprintf("%+.1f", m.disk-*m.paper.Value)
			}
		} else if m.remark == "" {
			cells[7] = "not made"
		}
		t.Add(cells...)
	}
	return t
}

func compressionTable(list []compressedModel) chart.Table {
	t := tableOf("data", "method", ">by parameters", ">by size on disk", ">paper")
	for _, c := range list {
		cells := []string{c.row, c.method, noFigure, noFigure, figureText(c.paper, 1)}
		if c.byParameters > 0 {
			cells[2], cells[3] = fmt.Sprintf("%.1f", c.byParameters), fmt.Sprintf("%.1f", c.byDisk)
		}
		t.Add(cells...)
	}
	return t
}

func informationTable(list []measuredCell) chart.Table {
	t := tableOf("data", "the paper's column", "method", ">splits", ">mutual information, bits", ">95 %")
	for _, m := range list {
		interval := noFigure
		if low, high, ok := m.ours.Interval(); ok {
			interval = fmt.Sprintf("%.3f to %.3f", max(low, 0), high)
		}
		t.Add(m.row, cmp.Or(m.column, noFigure), m.method, strconv.Itoa(m.splits), meanText(m.ours, m.splits), interval)
	}
	return t
}

// curveTable is what the curves end with, a mean over splits.
func curveTable(of func(string) string, list []averagedCurve) chart.Table {
	t := tableOf("data", "method", ">splits", ">epochs", ">training accuracy", ">test accuracy", ">reconstruction error of the test rows")
	for _, c := range list {
		last := len(c.x) - 1
		t.Add(of(c.data), c.method, strconv.Itoa(c.splits), fmt.Sprintf("%g", c.x[last]), c.train.end(), c.test.end(), c.reconstruction.end())
	}
	return t
}
