package chart

import (
	"cmp"
	"fmt"
	"slices"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/words"
)

// measuredWidth is that of the line of values below their average.
const measuredWidth = 1.0

// average gives the noisy curves that are long enough their averages, over as many epochs as the history asks for, or else as the length of
// the axis suggests. Where the steps of an epoch are not known there are none.
func (f *figure) average(h session.History) {
	smooth := session.SmoothEpochs(f.x.High - f.x.Low)
	if h.Smooth != nil {
		smooth = *h.Smooth
	}
	if f.unit != "epoch" || smooth <= 0 {
		smooth = 0
	}
	for _, p := range f.panels {
		for i := range p.curves {
			c := &p.curves[i]
			if smooth > 0 && session.Noisy(c.metric) && len(c.values) >= session.LeastSmoothed {
				c.smooth, f.smooth = h.Curves[c.metric].Smooth(float64(smooth)*f.perEpoch, h.LossMadeOtherwise()...), smooth
			}
		}
		p.annotate(smooth)
	}
}

// annotate has the legend say of each curve that it is smoothed, once where all are.
func (p panel) annotate(smooth int) {
	raw := func(c curve) bool { return c.smooth == nil }
	said := fmt.Sprintf("smoothed over %s, raw faint", count.Of(smooth, "epoch"))
	all := !slices.ContainsFunc(p.curves, raw)
	for i := range p.curves {
		c := &p.curves[i]
		switch last := i == len(p.curves)-1; {
		case raw(*c), all && !last:
		case all && i > 0:
			c.note = " (all " + said + ")"
		default:
			c.note = " (" + said + ")"
		}
	}
}

// caption is the subtitle, and that curves are smoothed, which in the picture the legend says.
func (f figure) caption() string {
	if f.smooth == 0 {
		return f.subtitle
	}
	return f.subtitle + " · smoothed over " + count.Of(f.smooth, "epoch")
}

// drawAverage draws the average of a curve that has one.
func (f figure) drawAverage(s *scene.Scene, p panel, c curve, top float64) {
	if c.smooth != nil {
		f.course(s, p, c, c.smooth, scene.Stroke{Colour: c.colour, Width: c.width}, top)
	}
}

// shown are the values to look at where there is one line for them.
func (c curve) shown() []float64 {
	if c.smooth != nil {
		return c.smooth
	}
	return c.values
}

// last is the last value in words, with its average.
func (c curve) last() string {
	text := words.Number(c.values[len(c.values)-1])
	if c.smooth != nil {
		text += " (smoothed " + words.Number(c.smooth[len(c.smooth)-1]) + ")"
	}
	return text
}

// about is what is said of a value: as it was measured, and its average.
func (f figure) about(c curve, i int) []scene.Fact {
	facts := f.facts(c.steps[i], cmp.Or(c.label, c.metric), scene.Rounded(c.values[i]))
	if c.smooth != nil {
		facts = append(facts, scene.About("smoothed", scene.Rounded(c.smooth[i]))...)
	}
	return facts
}
