package chart

import (
	"cmp"
	"slices"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/words"
)

// rawWidth is that of the line of values below their average.
const rawWidth = 1.0

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
			if smooth > 0 && session.Noisy(cmp.Or(c.of, c.metric)) && len(c.values) >= session.LeastSmoothed {
				anew := slices.Concat(h.LossMadeOtherwise(), c.anew)
				c.smooth, f.smooth = h.Curves[c.metric].Smooth(float64(smooth)*f.perEpoch, anew...), smooth
			}
		}
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
