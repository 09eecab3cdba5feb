package views

import (
	"maps"
	"slices"
	"strconv"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
)

// frame is what the page draws: every line with its average, every lane with its colour. It is a function of what was recorded, of the
// smoothing and of the colours of genes; the page computes nothing of it.
type frame struct {
	smooth int // epochs; 0 is not at all
	tracks []trackFrame
}

// trackFrame is one course of a training, as it is drawn.
type trackFrame struct {
	name     string
	perEpoch int
	curves   map[string]line
	events   []eventPiece
	looks    []session.Look
	formed   formedPiece
}

// line is a curve: its points, and of a noisy one the average at each.
type line struct {
	steps          []int
	values, smooth []float64
}

// frame returns what is to be drawn now. The caller holds the lock.
func (c *liveCurves) frame() frame {
	f := frame{smooth: c.smooth}
	if c.smooth == bySpan {
		span := 0.0
		for _, t := range c.tracks {
			for _, curve := range t.history.Curves {
				if n := len(curve.Steps); n > 0 {
					span = max(span, float64(curve.Steps[n-1])/float64(max(t.history.PerEpoch, 1)))
				}
			}
		}
		f.smooth = session.SmoothEpochs(span)
	}
	for _, t := range c.tracks {
		f.tracks = append(f.tracks, t.frame(f.smooth, c.colours))
	}
	return f
}

func (t *track) frame(smooth int, colours *chart.Colours) trackFrame {
	h := t.history
	f := trackFrame{name: t.name, perEpoch: max(h.PerEpoch, 1), curves: map[string]line{}, events: []eventPiece{}}
	for metric, curve := range h.Curves {
		l := line{steps: curve.Steps, values: curve.Values}
		if smooth > 0 && session.Noisy(metric) && len(curve.Values) >= session.LeastSmoothed {
			l.smooth = curve.Smooth(float64(smooth*f.perEpoch), h.LossMadeOtherwise()...)
		}
		f.curves[metric] = l
	}
	for i, e := range h.Events {
		if e.Kind != "open" { // where the axis begins
			f.events = append(f.events, eventPiece{Step: e.Step, Text: e.Text, Number: i, Undo: e.Kind == "set"})
		}
	}
	if s := h.Selectors; s != nil && len(s.Looks) > 0 {
		f.looks, f.formed = s.Looks, formedOf(s, colours)
	}
	return f
}

// curvesMessage goes to the browser: what a frame has that the last one had not. frontend/tracks.js puts it behind what is there.
type curvesMessage struct {
	Kind   string  `json:"kind"`
	Number int     `json:"number"` // rises by 1 with each "add", so that a page knows when it missed one
	Smooth int     `json:"smooth"` // epochs
	Tracks []piece `json:"tracks"` // all of them, each with what is new in it
}

type piece struct {
	Name     string                `json:"name"`
	PerEpoch int                   `json:"per_epoch"`
	Curves   map[string]curvePiece `json:"curves"`
	Events   []eventPiece          `json:"events"` // all of them, or null where they are the same
	Looks    *looksPiece           `json:"looks,omitempty"`
	Formed   *formedPiece          `json:"formed,omitempty"`
}

// curvePiece is the points behind the first Keep ones.
type curvePiece struct {
	Keep   int     `json:"keep"`
	Steps  []int   `json:"steps"`
	Values []short `json:"values"`
	Smooth []short `json:"smooth,omitempty"`
}

// looksPiece is the looks at P behind the first Keep ones: a look a row, a selector a column.
type looksPiece struct {
	Keep    int       `json:"keep"`
	Steps   []int     `json:"steps"`
	Leaders [][]int   `json:"leaders"`
	Values  [][]short `json:"values"`
}

// formedPiece is how a selection formed.
type formedPiece struct {
	Order    []int              `json:"order"`   // selectors as lanes, from the top
	Settled  []int              `json:"settled"` // of each selector, the look from which it is settled, or -1
	Full     float64            `json:"full"`    // the probability of full strength
	Summary  string             `json:"summary"`
	Features map[int]featureKey `json:"features"` // by column
}

// featureKey is a gene's name, and the number of its colour or -1.
type featureKey struct {
	Name   string `json:"name"`
	Colour int    `json:"colour"`
}

type eventPiece struct {
	Step   int    `json:"step"`
	Text   string `json:"text"`
	Number int    `json:"number"` // among the session's events
	Undo   bool   `json:"undo"`   // a change that the session can run on without
}

// short is a number of five digits: more cannot be seen.
type short float64

// MarshalJSON writes it; what is not finite is a gap.
func (s short) MarshalJSON() ([]byte, error) {
	if s != s || s-s != 0 {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(s), 'g', 5, 64), nil
}

func shortened(values []float64) []short {
	list := make([]short, len(values))
	for i, v := range values {
		list[i] = short(v)
	}
	return list
}

func formedOf(s *session.Selectors, colours *chart.Colours) formedPiece {
	formed := colours.Formation(s)
	p := formedPiece{Order: formed.Order, Settled: formed.Settled, Full: formed.Full, Summary: formed.Summary, Features: map[int]featureKey{}}
	for _, l := range s.Looks {
		for _, j := range l.Leaders {
			if _, has := p.Features[j]; has {
				continue
			}
			key := featureKey{Name: s.Names[j], Colour: -1}
			if colour, has := formed.Colours[j]; has {
				key.Colour = colour
			}
			if key.Name == "" {
				key.Name = "#" + strconv.Itoa(j)
			}
			p.Features[j] = key
		}
	}
	return p
}

// since returns what f has that an earlier frame had not.
func (f frame) since(before frame) curvesMessage {
	m := curvesMessage{Smooth: f.smooth, Tracks: []piece{}}
	for _, t := range f.tracks {
		var old trackFrame
		if i := slices.IndexFunc(before.tracks, func(b trackFrame) bool { return b.name == t.name }); i >= 0 {
			old = before.tracks[i]
		}
		m.Tracks = append(m.Tracks, t.since(old))
	}
	return m
}

func (t trackFrame) since(old trackFrame) piece {
	p := piece{Name: t.name, PerEpoch: t.perEpoch, Curves: map[string]curvePiece{}}
	for metric := range old.curves {
		if _, still := t.curves[metric]; !still {
			p.Curves[metric] = curvePiece{Steps: []int{}, Values: []short{}}
		}
	}
	for metric, l := range t.curves {
		keep := l.shared(old.curves[metric])
		if keep == len(l.steps) && keep == len(old.curves[metric].steps) {
			continue
		}
		c := curvePiece{Keep: keep, Steps: append([]int{}, l.steps[keep:]...), Values: shortened(l.values[keep:])}
		if l.smooth != nil {
			c.Smooth = shortened(l.smooth[keep:])
		}
		p.Curves[metric] = c
	}
	if old.events == nil || !slices.Equal(old.events, t.events) {
		p.Events = t.events
	}
	keep := 0
	for keep < len(t.looks) && keep < len(old.looks) && sameLook(t.looks[keep], old.looks[keep]) {
		keep++
	}
	if keep < len(t.looks) || keep < len(old.looks) {
		p.Looks = &looksPiece{Keep: keep, Steps: []int{}, Leaders: [][]int{}, Values: [][]short{}}
		for _, l := range t.looks[keep:] {
			p.Looks.Steps, p.Looks.Leaders = append(p.Looks.Steps, l.Step), append(p.Looks.Leaders, l.Leaders)
			p.Looks.Values = append(p.Looks.Values, shortened(l.Probability))
		}
		formed := t.formed
		formed.Features = maps.Clone(formed.Features)
		maps.DeleteFunc(formed.Features, func(j int, key featureKey) bool { return old.formed.Features[j] == key })
		p.Formed = &formed
	}
	return p
}

func sameLook(a, b session.Look) bool {
	return a.Step == b.Step && slices.Equal(a.Leaders, b.Leaders) && slices.Equal(a.Probability, b.Probability)
}

// shared returns how many points of a line are those of another from the first one on.
func (l line) shared(old line) (n int) {
	if (l.smooth == nil) != (old.smooth == nil) {
		return 0
	}
	for n < len(l.steps) && n < len(old.steps) && l.steps[n] == old.steps[n] && same(l.values[n], old.values[n]) &&
		(l.smooth == nil || same(l.smooth[n], old.smooth[n])) {
		n++
	}
	return n
}

func same(a, b float64) bool { return a == b || a != a && b != b }
