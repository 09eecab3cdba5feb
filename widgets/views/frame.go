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
// it. Most messages hold only what is new since the last one, which frontend/tracks.js appends.
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
	Column      int   `json:"column"`
	Probability short `json:"probability"` // before the contest
	Pair        bool  `json:"pair"`        // it gave way to one of a pair that tells more together
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

// shortened appends values for a message.
func shortened(list []short, values []float64) []short {
	for _, v := range values {
		list = append(list, short(v))
	}
	return list
}

// drawing is what the page has of a track, and what that was computed from. It grows with the track,
// so that a frame costs what is new in it.
type drawing struct {
	piece    piece
	kept     map[string]int               // points of curves that have changed since, up to the first that has
	from     *session.Selectors           // that the looks are of
	averages map[string]*session.Averages // by metric
	over     float64                      // steps that they average over
	anew     []int                        // steps at which they begin again
}

// epochs returns the number of epochs that noisy curves are averaged over, 0 for none. The caller
// holds the lock.
func (c *liveCurves) epochs() int {
	if c.smooth != bySpan {
		return c.smooth
	}
	span := 0.0
	for _, t := range c.tracks {
		for _, curve := range t.curves {
			if n := len(curve.Steps); n > 0 {
				span = max(span, float64(curve.Steps[n-1])/float64(max(t.history.PerEpoch, 1)))
			}
		}
	}
	return session.SmoothEpochs(span)
}

// news brings the drawing of each track up to date, and returns what the page does not have yet: a
// piece for each track, none for tracks that are gone. The caller holds the lock.
func (c *liveCurves) news() frame {
	f := frame{Kind: "add", Number: c.number, Smooth: c.epochs(), Tracks: []piece{}}
	for _, t := range c.tracks {
		f.Tracks = append(f.Tracks, t.draw(f.Smooth, c.palette))
	}
	return f
}

// all returns everything that is drawn. The caller holds the lock.
func (c *liveCurves) all() frame {
	f := c.news()
	f.Kind = "all"
	for i, t := range c.tracks {
		f.Tracks[i] = t.drawn.piece
	}
	return f
}

// changed notes that only the first kept points of a curve are as they were drawn.
func (d *drawing) changed(metric string, kept int) {
	if d.kept == nil {
		d.kept = map[string]int{}
	}
	if before, has := d.kept[metric]; has {
		kept = min(kept, before)
	}
	d.kept[metric] = kept
}

// draw brings the drawing up to date and returns the difference to the one before: of curves and
// looks the elements after the first equal ones, of the features formed the new and changed ones,
// and all events if one changed. What did not change is left out; curves that are gone become empty.
// smooth counts the epochs of averages, 0 for none.
func (t *track) draw(smooth int, palette *chart.Palette) (fresh piece) {
	h, d := t.history, &t.drawn
	if d.averages == nil {
		d.averages, d.piece.Curves = map[string]*session.Averages{}, map[string]curvePiece{}
	}
	d.piece.Name, d.piece.PerEpoch = t.name, max(h.PerEpoch, 1)
	fresh = piece{Name: d.piece.Name, PerEpoch: d.piece.PerEpoch, Curves: map[string]curvePiece{}}

	if over, anew := float64(smooth*d.piece.PerEpoch), h.LossChanges(); over != d.over || !slices.Equal(anew, d.anew) {
		d.over, d.anew = over, anew
		clear(d.averages)
	}
	for metric := range d.piece.Curves {
		if t.curves[metric] == nil {
			delete(d.piece.Curves, metric)
			delete(d.averages, metric)
			fresh.Curves[metric] = curvePiece{Steps: []int{}, Values: []short{}}
		}
	}
	for metric, curve := range t.curves {
		if c, changed := d.curve(metric, curve.Curve); changed {
			fresh.Curves[metric] = c
		}
	}
	clear(d.kept)

	events := []eventPiece{}
	for i, e := range h.Events {
		if e.Kind != "open" { // the axis begins with it
			events = append(events, eventPiece{Step: e.Step, Text: e.Text, Number: i, Undo: e.Kind == "set"})
		}
	}
	if d.piece.Events == nil || !slices.Equal(d.piece.Events, events) {
		d.piece.Events, fresh.Events = events, events
	}
	fresh.Looks, fresh.Formed = d.selectors(h.Selectors, palette)
	return fresh
}

// curve brings the drawing of a curve up to date, and returns the points that are new.
func (d *drawing) curve(metric string, curve session.Curve) (fresh curvePiece, changed bool) {
	c := d.piece.Curves[metric]
	keep := len(c.Steps)
	if kept, has := d.kept[metric]; has {
		keep = min(keep, kept)
	}
	averaged := d.over > 0 && session.Noisy(metric) && len(curve.Values) >= session.LeastSmoothed
	if averaged && (d.averages[metric] == nil || keep < 2) || !averaged && c.Smooth != nil { // two points weigh the first
		keep = 0
	}
	if keep == len(curve.Steps) && keep == len(c.Steps) {
		return fresh, false
	}

	c.Steps, c.Values = append(c.Steps[:keep], curve.Steps[keep:]...), shortened(c.Values[:keep], curve.Values[keep:])
	if averaged {
		a := d.averages[metric]
		if a == nil {
			a = new(session.Averages)
			d.averages[metric] = a
		}
		a.Extend(curve, keep, d.over, d.anew...)
		c.Smooth = shortened(c.Smooth[:min(keep, len(c.Smooth))], a.Values[keep:])
	} else {
		delete(d.averages, metric)
		c.Smooth = nil
	}
	d.piece.Curves[metric] = c
	return curvePiece{Keep: keep, Steps: c.Steps[keep:], Values: c.Values[keep:], Smooth: c.Smooth[min(keep, len(c.Smooth)):]}, true
}

// selectors brings the drawing of the looks at P up to date, and returns the looks that are new and,
// if there are any or a contest was held, how the selection formed. nil stands for no change.
func (d *drawing) selectors(s *session.Selectors, palette *chart.Palette) (*looksPiece, *formedPiece) {
	s, before := cmp.Or(s, new(session.Selectors)), cmp.Or(d.from, new(session.Selectors))
	keep := alike(len(s.Looks), len(before.Looks), func(i int) bool { return sameLook(s.Looks[i], before.Looks[i]) })
	held := s.Contest != nil && before.Contest == nil
	if keep == len(s.Looks) && keep == len(before.Looks) && !held {
		return nil, nil
	}
	d.from = s
	if len(s.Looks) == 0 {
		d.piece.Looks, d.piece.Formed = nil, nil
		return &looksPiece{0, []int{}, [][]int{}, [][]short{}}, nil
	}

	looks := cmp.Or(d.piece.Looks, &looksPiece{0, []int{}, [][]int{}, [][]short{}})
	looks.Steps, looks.Leaders, looks.Values = looks.Steps[:keep], looks.Leaders[:keep], looks.Values[:keep]
	for _, l := range s.Looks[keep:] {
		looks.Steps, looks.Leaders = append(looks.Steps, l.Step), append(looks.Leaders, l.Leaders)
		looks.Values = append(looks.Values, shortened([]short{}, l.Probability))
	}
	formed := formedBy(s, palette)
	fresh := *formed
	fresh.Features = maps.Clone(formed.Features)
	if old := d.piece.Formed; old != nil {
		maps.DeleteFunc(fresh.Features, func(j int, key featureKey) bool { return old.Features[j] == key })
	}
	d.piece.Looks, d.piece.Formed = looks, formed
	if keep == len(s.Looks) && keep == len(before.Looks) {
		return nil, &fresh
	}
	return &looksPiece{keep, looks.Steps[keep:], looks.Leaders[keep:], looks.Values[keep:]}, &fresh
}

// formedBy describes how the selection of these looks formed.
func formedBy(s *session.Selectors, palette *chart.Palette) *formedPiece {
	formed := palette.Formation(s)
	p := &formedPiece{Order: formed.Order, Settled: formed.Settled, Full: formed.Full, Summary: formed.Summary, Features: map[int]featureKey{}}
	add := func(column int, name string) {
		if _, has := p.Features[column]; has {
			return
		}
		key := featureKey{Name: cmp.Or(name, "#"+strconv.Itoa(column))}
		if c, has := formed.Colours[column]; has {
			key.Colour, key.From = c.Colour.CSS(), c.Step
		}
		p.Features[column] = key
	}
	if c := s.Contest; c != nil {
		p.Contest = &contestPiece{Step: c.Step, Sentence: c.Sentence(len(formed.Settled)), Replaced: map[int]replacedPiece{}}
		for _, x := range c.Exchanges {
			p.Contest.Replaced[x.Selector] = replacedPiece{x.From.Index, short(x.From.Probability), x.By == session.ByPair}
			add(x.From.Index, x.From.Name)
		}
	}
	for _, l := range s.Looks {
		for _, j := range l.Leaders {
			add(j, s.Names[j])
		}
	}
	return p
}

// sameLook reports whether two looks are equal. Most share their lists.
func sameLook(a, b session.Look) bool {
	if a.Step != b.Step || len(a.Leaders) == 0 || len(b.Leaders) == 0 {
		return a.Step == b.Step && len(a.Leaders) == len(b.Leaders)
	}
	return &a.Leaders[0] == &b.Leaders[0] || slices.Equal(a.Leaders, b.Leaders) && slices.Equal(a.Probability, b.Probability)
}

// alike counts the equal elements at the beginning of two lists of lengths a and b.
func alike(a, b int, equal func(i int) bool) (n int) {
	for n < a && n < b && equal(n) {
		n++
	}
	return n
}
