package views

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
)

// frame holds all that the page draws: every line with its average, every lane with its colour. It
// depends on the record, the smoothing and the colours of genes alone; the page computes nothing of
// it. A message holds the difference to an earlier frame, which frontend/tracks.js appends.
type frame struct {
	Kind   string  `json:"kind"`
	Number int     `json:"number"` // increases by 1 with each "add", so that a page knows when it missed one
	Smooth int     `json:"smooth"` // epochs; 0 for raw curves
	Tracks []piece `json:"tracks"` // all of them, each with its new parts
}

// piece is one course of a training.
type piece struct {
	Name     string                `json:"name"`
	PerEpoch int                   `json:"per_epoch"`
	Curves   map[string]curvePiece `json:"curves"`
	Events   []eventPiece          `json:"events"` // all of them; in a message nil if unchanged
	Looks    *looksPiece           `json:"looks,omitempty"`
	Formed   *formedPiece          `json:"formed,omitempty"`
}

// curvePiece holds the points of a curve after the first Keep, and for a noisy curve the averages.
type curvePiece struct {
	Keep   int     `json:"keep"`
	Steps  []int   `json:"steps"`
	Values []short `json:"values"`
	Smooth []short `json:"smooth,omitempty"`
}

// looksPiece holds the looks at P after the first Keep, a row per look and a column per selector.
type looksPiece struct {
	Keep    int       `json:"keep"`
	Steps   []int     `json:"steps"`
	Leaders [][]int   `json:"leaders"`
	Values  [][]short `json:"values"`
}

// formedPiece describes how a selection formed.
type formedPiece struct {
	Order    []int              `json:"order"`   // selectors as lanes, from the top
	Settled  []int              `json:"settled"` // for each selector, the look from which it is settled, or -1
	Full     float64            `json:"full"`    // the probability at full strength
	Summary  string             `json:"summary"`
	Features map[int]featureKey `json:"features"` // by column
	Contest  *contestPiece      `json:"contest,omitempty"`
}

// contestPiece describes the exchanges after the training, which the look at their step shows.
type contestPiece struct {
	Step     int                   `json:"step"`
	Sentence string                `json:"sentence"`
	Replaced map[int]replacedPiece `json:"replaced"` // by selector
}

// replacedPiece is the gene that had a selector's place before an exchange.
type replacedPiece struct {
	Column int  `json:"column"`
	Pair   bool `json:"pair"` // it gave way to one of a pair that tells more together
}

// featureKey is a gene's name, and its colour from a step on; "" is grey.
type featureKey struct {
	Name   string `json:"name"`
	Colour string `json:"colour,omitempty"`
	From   int    `json:"from,omitempty"`
}

type eventPiece struct {
	Step   int    `json:"step"`
	Text   string `json:"text"`
	Number int    `json:"number"` // index in the session's events
	Undo   bool   `json:"undo"`   // whether the session can run on without it
}

// short is a number that is sent with five digits: more are not visible.
type short float64

// MarshalJSON formats a number; a number that is not finite is null, which leaves a gap.
func (s short) MarshalJSON() ([]byte, error) {
	if s-s != 0 {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(s), 'g', 5, 64), nil
}

// shortened converts values for a message.
func shortened(values []float64) []short {
	list := make([]short, len(values))
	for i, v := range values {
		list[i] = short(v)
	}
	return list
}

// frame returns what to draw now. The caller holds the lock.
func (c *liveCurves) frame() frame {
	f := frame{Smooth: c.smooth}
	if c.smooth == bySpan {
		span := 0.0
		for _, t := range c.tracks {
			for _, curve := range t.history.Curves {
				if n := len(curve.Steps); n > 0 {
					span = max(span, float64(curve.Steps[n-1])/float64(max(t.history.PerEpoch, 1)))
				}
			}
		}
		f.Smooth = session.SmoothEpochs(span)
	}
	for _, t := range c.tracks {
		f.Tracks = append(f.Tracks, t.piece(f.Smooth, c.palette))
	}
	return f
}

// piece returns all that is drawn of a track. smooth counts the epochs of averages, 0 for none.
func (t *track) piece(smooth int, palette *chart.Palette) piece {
	h := t.history
	p := piece{Name: t.name, PerEpoch: max(h.PerEpoch, 1), Curves: map[string]curvePiece{}, Events: []eventPiece{}}
	for metric, curve := range h.Curves {
		c := curvePiece{Steps: curve.Steps, Values: shortened(curve.Values)}
		if smooth > 0 && session.Noisy(metric) && len(curve.Values) >= session.LeastSmoothed {
			c.Smooth = shortened(curve.Smooth(float64(smooth*p.PerEpoch), h.LossChanges()...))
		}
		p.Curves[metric] = c
	}
	for i, e := range h.Events {
		if e.Kind != "open" { // the axis begins with it
			p.Events = append(p.Events, eventPiece{Step: e.Step, Text: e.Text, Number: i, Undo: e.Kind == "set"})
		}
	}
	if s := h.Selectors; s != nil && len(s.Looks) > 0 {
		formed := palette.Formation(s)
		p.Looks = new(looksPiece)
		p.Formed = &formedPiece{Order: formed.Order, Settled: formed.Settled, Full: formed.Full, Summary: formed.Summary, Features: map[int]featureKey{}}
		if c := s.Contest; c != nil {
			p.Formed.Contest = &contestPiece{Step: c.Step, Sentence: c.Sentence(len(formed.Settled)), Replaced: map[int]replacedPiece{}}
			for _, x := range c.Exchanges {
				p.Formed.Contest.Replaced[x.Selector] = replacedPiece{x.From.Index, x.By == session.ByPair}
				key := featureKey{Name: x.From.Name}
				if c, has := formed.Colours[x.From.Index]; has {
					key.Colour, key.From = c.Colour.CSS(), c.Step
				}
				p.Formed.Features[x.From.Index] = key
			}
		}
		for _, l := range s.Looks {
			p.Looks.Steps, p.Looks.Leaders = append(p.Looks.Steps, l.Step), append(p.Looks.Leaders, l.Leaders)
			p.Looks.Values = append(p.Looks.Values, shortened(l.Probability))
			for _, j := range l.Leaders {
				key := featureKey{Name: cmp.Or(s.Names[j], "#"+strconv.Itoa(j))}
				if c, has := formed.Colours[j]; has {
					key.Colour, key.From = c.Colour.CSS(), c.Step
				}
				p.Formed.Features[j] = key
			}
		}
	}
	return p
}

// since returns the difference between f and an earlier frame: a piece for each track of f, and
// none for tracks that are gone.
func (f frame) since(before frame) frame {
	m := frame{Smooth: f.Smooth, Tracks: []piece{}}
	for _, p := range f.Tracks {
		var old piece
		if i := slices.IndexFunc(before.Tracks, func(b piece) bool { return b.Name == p.Name }); i >= 0 {
			old = before.Tracks[i]
		}
		m.Tracks = append(m.Tracks, p.since(old))
	}
	return m
}

// since returns the difference between p and an earlier piece of the same name: of curves and looks
// the elements after the first equal ones, of the features formed the new and changed ones, and all
// events if one changed. What did not change is left out; curves that are gone become empty.
func (p piece) since(old piece) piece {
	fresh := p
	fresh.Curves, fresh.Looks, fresh.Formed = map[string]curvePiece{}, nil, nil
	for metric := range old.Curves {
		if _, still := p.Curves[metric]; !still {
			fresh.Curves[metric] = curvePiece{Steps: []int{}, Values: []short{}}
		}
	}
	for metric, c := range p.Curves {
		before := old.Curves[metric]
		keep := alike(len(c.Steps), len(before.Steps), func(i int) bool {
			return (c.Smooth == nil) == (before.Smooth == nil) && c.Steps[i] == before.Steps[i] && same(c.Values[i], before.Values[i]) &&
				(c.Smooth == nil || same(c.Smooth[i], before.Smooth[i]))
		})
		if keep < len(c.Steps) || keep < len(before.Steps) {
			fresh.Curves[metric] = curvePiece{Keep: keep, Steps: c.Steps[keep:], Values: c.Values[keep:], Smooth: c.Smooth[min(keep, len(c.Smooth)):]}
		}
	}
	if old.Events != nil && slices.Equal(old.Events, p.Events) {
		fresh.Events = nil
	}
	was, is := cmp.Or(old.Looks, new(looksPiece)), cmp.Or(p.Looks, new(looksPiece))
	keep := alike(len(is.Steps), len(was.Steps), func(i int) bool {
		return is.Steps[i] == was.Steps[i] && slices.Equal(is.Leaders[i], was.Leaders[i]) && slices.Equal(is.Values[i], was.Values[i])
	})
	if keep < len(is.Steps) || keep < len(was.Steps) {
		fresh.Looks = &looksPiece{keep, append([]int{}, is.Steps[keep:]...), append([][]int{}, is.Leaders[keep:]...), append([][]short{}, is.Values[keep:]...)}
	}
	held := p.Formed != nil && p.Formed.Contest != nil && (old.Formed == nil || old.Formed.Contest == nil)
	if (fresh.Looks != nil || held) && p.Formed != nil {
		formed := *p.Formed
		formed.Features = maps.Clone(formed.Features)
		maps.DeleteFunc(formed.Features, func(j int, key featureKey) bool { return old.Formed != nil && old.Formed.Features[j] == key })
		fresh.Formed = &formed
	}
	return fresh
}

// alike counts the equal elements at the beginning of two lists of lengths a and b.
func alike(a, b int, equal func(i int) bool) (n int) {
	for n < a && n < b && equal(n) {
		n++
	}
	return n
}

func same(a, b short) bool { return a == b || a != a && b != b }
