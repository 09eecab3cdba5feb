package views

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
)

// mostDrawn bounds the points that the user may draw.
const mostDrawn = 64

// schedule is one of the two schedules that the user may draw.
type schedule struct {
	metric, key, word string  // the metric and the key, and the name of a value in errors
	least, most       float64 // limits of its values
	now               func(session.Status) float64
	at                func(c config.Course, epoch float64) float64
	place             func(l config.Live, epoch float64) float64 // position of an epoch on the schedule, because τ may move by epoch
	text              func(*config.Live) *string                 // the key's value
}

// temperature describes the schedule of τ.
func temperature() schedule {
	return schedule{"tau", "schedule", "temperature", 1e-6, 1e6, func(s session.Status) float64 { return s.Tau }, config.Course.Tau,
		config.Live.Place, func(l *config.Live) *string { return &l.Schedule }}
}

func sharpness() schedule {
	return schedule{"sharpness", "sharpness_schedule", "sharpness", 1, 1e6, func(s session.Status) float64 { return s.Sharpness },
		config.Course.Sharpness, func(_ config.Live, epoch float64) float64 { return epoch },
		func(l *config.Live) *string { return &l.SharpnessSchedule }}
}

// schedules returns both schedules, in the order in which the page offers them.
func schedules() []schedule { return []schedule{temperature(), sharpness()} }

// idle returns why the schedule would have no effect if the user drew points of
// it, or "".
func (d schedule) idle(c config.Settings) string {
	*d.text(&c.Live) = "points:0=1"
	why, _ := c.Idle(d.key)
	return why
}

// pace returns how far the schedule advances per epoch.
func (d schedule) pace(l config.Live) float64 {
	l.TauEvery = config.TauStep
	return d.place(l, 1)
}

// point is a value at an epoch.
type point struct{ epoch, value float64 }

// points returns the points to show and edit: the points of the schedule or, if
// it has none, some of its curve. It returns an error for a schedule that can't
// be read, as a closed session may have.
func (d schedule) points(s session.Status) ([]point, error) {
	text := *d.text(&s.Config.Live)
	rest, ok := strings.CutPrefix(text, "points:")
	if !ok {
		n := 4
		if text == "linear" || text == "cosine" { // values between points are interpolated log-linearly, which fits only the others
			n = 12
		}
		return d.along(s, n, false)
	}
	var points []point
	for pair := range strings.SplitSeq(rest, ",") {
		left, right, _ := strings.Cut(pair, "=")
		epoch, err := strconv.ParseFloat(strings.TrimSpace(left), 64)
		value, err2 := strconv.ParseFloat(strings.TrimSpace(right), 64)
		if err != nil || err2 != nil {
			return nil, errs.New(errs.Request, "see %fsnet help "+d.key, "%s %q has no points", d.key, text)
		}
		points = append(points, point{epoch / d.pace(s.Config.Live), value})
	}
	return points, nil
}

// along returns the values at n+1 epochs from the first to the last. With
// steps, they are the values that steps use. Otherwise they follow the line
// through the points.
func (d schedule) along(s session.Status, n int, steps bool) ([]point, error) {
	live := s.Config.Live
	if !steps {
		live.TauEvery = config.TauStep
	}
	course, err := live.Course()
	if err != nil {
		return nil, errs.Wrap(err, errs.Request, "see %fsnet help "+d.key, "%s %q", d.key, *d.text(&live))
	}
	points := make([]point, n+1)
	for i := range points {
		e := float64(live.Epochs) * float64(i) / float64(n)
		points[i] = point{e, d.at(course, e)}
	}
	return points, nil
}

// ahead returns the values that the schedule will set, from the current step to
// the last.
func (d schedule) ahead(s session.Status) session.Curve {
	plan, err := d.along(s, stretches, true)
	if err != nil { // not reached, because settings are checked
		return session.Curve{}
	}
	c := session.Curve{Steps: []int{s.Step}, Values: []float64{d.now(s)}}
	for _, p := range plan {
		if step := int(p.epoch * float64(max(1, s.StepsPerEpoch))); step > s.Step {
			c.Steps, c.Values = append(c.Steps, step), append(c.Values, p.value)
		}
	}
	return c
}

// past returns the values used so far, thinned to what is visible, as the page
// reads them.
func (d schedule) past(h session.History) []byte {
	c := h.Curves[d.metric].Thin(pastPoints)
	bytes := []byte{}
	for i := range min(len(c.Steps), len(c.Values)) {
		bytes = appendFloats(bytes, float64(c.Steps[i])/float64(max(1, h.PerEpoch)), c.Values[i])
	}
	return bytes
}

// compose returns, as text of its key, the schedule that passes through ahead,
// starting at the current step of s. Points before that step stay. Points of
// ahead that have passed in the meantime are dropped and counted. If there are
// no points ahead, the value stays as it is.
func (d schedule) compose(s session.Status, ahead []point) (text string, passed int, err error) {
	const remedy = "nothing changed; draw it again"
	if len(ahead) > mostDrawn {
		return "", 0, errs.New(errs.Request, remedy, "%s; %d are the most", phrase.Count(len(ahead), "point"), mostDrawn)
	}
	last := math.Inf(-1)
	for _, p := range ahead {
		switch {
		case !(p.epoch >= 0 && p.epoch <= float64(s.Config.Epochs)):
			return "", 0, errs.New(errs.Request, remedy, "a point at epoch %.6g is not from 0 to %d", p.epoch, s.Config.Epochs)
		case !(p.value >= d.least && p.value <= d.most):
			return "", 0, errs.New(errs.Request, remedy, "a %s of %.4g is not from %g to %g", d.word, p.value, d.least, d.most)
		case !(p.epoch > last):
			return "", 0, errs.New(errs.Request, remedy, "the point at epoch %.6g does not come after %.6g", p.epoch, last)
		}
		last = p.epoch
	}
	var points []point
	pace := d.pace(s.Config.Live)
	if s.Step > 0 {
		now := d.place(s.Config.Live, s.Epoch) / pace
		if strings.HasPrefix(*d.text(&s.Config.Live), "points:") {
			if points, err = d.points(s); err != nil {
				return "", 0, err
			}
			points = slices.DeleteFunc(points, func(p point) bool { return p.epoch >= now })
			points = points[max(0, len(points)-mostDrawn):]
		}
		points = append(points, point{now, d.now(s)})
		for len(ahead) > 0 && ahead[0].epoch <= now {
			ahead, passed = ahead[1:], passed+1
		}
	}
	points = append(points, ahead...)
	if len(points) == 0 { // the last one was removed
		key, err := config.Lookup(d.key)
		return key.Default(s.Config.Protocol), 0, err
	}
	written := make([]string, len(points))
	for i, p := range points {
		written[i] = strconv.FormatFloat(p.epoch*pace, 'g', 9, 64) + "=" + strconv.FormatFloat(p.value, 'g', 4, 64)
	}
	text = "points:" + strings.Join(written, ",")
	if _, err := config.ParseSchedule(text); err != nil { // two points so close that their texts are equal
		return "", 0, errs.Wrap(err, errs.Request, remedy, "the points are too close")
	}
	return text, passed, nil
}
