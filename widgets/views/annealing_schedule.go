package views

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
)

// The limits of what a person may draw.
const (
	mostDrawn = 64
	stretches = 200 // stretches of the curve
)

// Drawn is what a person may draw, by the name of its metric.
type Drawn string

// What can be drawn: the temperature τ, by the key schedule, and the sharpness σ, by the key sharpness_schedule.
const (
	Temperature Drawn = "tau"
	Sharpness   Drawn = "sharpness"
)

// both in the order in which they are offered.
func both() []Drawn { return []Drawn{Temperature, Sharpness} }

func (d Drawn) known() bool { return slices.Contains(both(), d) }

// drawing is what differs between what can be drawn.
type drawing struct {
	key, word   string  // of its schedule, and what it is called in an error
	least, most float64 // limits of its values
	now         func(session.Status) float64
	at          func(c config.Course, epoch float64) float64
	place       func(l config.Live, epoch float64) float64 // where on its schedule a step at an epoch stands: τ may move by epoch
	schedule    func(*config.Live) *string
	change      func(schedule string) session.Config // puts a schedule into force
}

func (d Drawn) drawing() drawing {
	if d == Sharpness {
		return drawing{
			"sharpness_schedule", "sharpness", 1, 1e6,
			func(s session.Status) float64 { return s.Sharpness }, config.Course.Sharpness,
			func(_ config.Live, epoch float64) float64 { return epoch },
			func(l *config.Live) *string { return &l.SharpnessSchedule },
			func(schedule string) session.Config { return session.Config{SharpnessSchedule: schedule} },
		}
	}
	return drawing{
		"schedule", "temperature", 1e-6, 1e6,
		func(s session.Status) float64 { return s.Tau }, config.Course.Tau, config.Live.Place,
		func(l *config.Live) *string { return &l.Schedule },
		func(schedule string) session.Config { return session.Config{Schedule: schedule} },
	}
}

// idle says why the choice would not depend on a schedule that is drawn; "" where it would.
func (d Drawn) idle(c config.Settings) string {
	of := d.drawing()
	*of.schedule(&c.Live) = "points:0=1" // what it is now matters no more
	why, _ := c.Idle(of.key)
	return why
}

// pace is how many times as far as the epochs it goes on its schedule.
func (d drawing) pace(l config.Live) float64 {
	l.TauEvery = config.TauStep
	return d.place(l, 1)
}

// Point is a value at an epoch.
type Point struct{ Epoch, Value float64 }

// Points are those by which a schedule is shown and edited: the points themselves where it has such, else some of the curve.
func (d Drawn) Points(s session.Status) ([]Point, error) {
	of := d.drawing()
	schedule := *of.schedule(&s.Config.Live)
	if rest, ok := strings.CutPrefix(schedule, "points:"); ok {
		var points []Point
		for pair := range strings.SplitSeq(rest, ",") {
			left, right, _ := strings.Cut(pair, "=")
			epoch, err := strconv.ParseFloat(strings.TrimSpace(left), 64)
			value, err2 := strconv.ParseFloat(strings.TrimSpace(right), 64)
			if err != nil || err2 != nil {
				return nil, fault.New(fault.Request, "see %fsnet help "+of.key, "%s %q has no points", of.key, schedule)
			}
			points = append(points, Point{epoch / of.pace(s.Config.Live), value})
		}
		return points, nil
	}
	if schedule == "linear" || schedule == "cosine" { // between points a value goes log-linearly, as only the others do
		return d.along(s, 12, false)
	}
	return d.along(s, 4, false)
}

// along is the value at n+1 epochs from the first to the last: as steps have it, or as the line through its points goes.
func (d Drawn) along(s session.Status, n int, steps bool) ([]Point, error) {
	live, of := s.Config.Live, d.drawing()
	if !steps {
		live.TauEvery = config.TauStep
	}
	course, err := live.Course()
	if err != nil {
		return nil, fault.Wrap(err, fault.Request, "see %fsnet help "+of.key, "%s %q", of.key, *of.schedule(&live))
	}
	points := make([]Point, n+1)
	for i := range points {
		e := float64(live.Epochs) * float64(i) / float64(n)
		points[i] = Point{e, of.at(course, e)}
	}
	return points, nil
}

// Compose is the schedule that goes through ahead from the present step of s on, as its key takes it. Points behind stay; points that were
// passed meanwhile are left out and counted. Without one ahead the value stays as it is.
//
// Errors: kind Request for points that are not in order, too many, beyond the last epoch, or of values that cannot be.
func (d Drawn) Compose(s session.Status, ahead []Point) (schedule string, passed int, err error) {
	const remedy = "nothing changed; draw it again"
	if len(ahead) > mostDrawn {
		return "", 0, fault.New(fault.Request, remedy, "%s; %d are the most", count.Of(len(ahead), "point"), mostDrawn)
	}
	last, of := math.Inf(-1), d.drawing()
	for _, p := range ahead {
		switch {
		case !(p.Epoch >= 0 && p.Epoch <= float64(s.Config.Epochs)):
			return "", 0, fault.New(fault.Request, remedy, "a point at epoch %.6g is not from 0 to %d", p.Epoch, s.Config.Epochs)
		case !(p.Value >= of.least && p.Value <= of.most):
			return "", 0, fault.New(fault.Request, remedy, "a %s of %.4g is not from %g to %g", of.word, p.Value, of.least, of.most)
		case !(p.Epoch > last):
			return "", 0, fault.New(fault.Request, remedy, "the point at epoch %.6g does not come after %.6g", p.Epoch, last)
		}
		last = p.Epoch
	}
	var points []Point
	if s.Step > 0 {
		now := of.place(s.Config.Live, s.Epoch) / of.pace(s.Config.Live)
		if strings.HasPrefix(*of.schedule(&s.Config.Live), "points:") {
			if points, err = d.Points(s); err != nil {
				return "", 0, err
			}
			points = slices.DeleteFunc(points, func(p Point) bool { return p.Epoch >= now })
			points = points[max(0, len(points)-mostDrawn):]
		}
		points = append(points, Point{now, of.now(s)})
		for len(ahead) > 0 && ahead[0].Epoch <= now {
			ahead, passed = ahead[1:], passed+1
		}
	}
	points = append(points, ahead...)
	if len(points) == 0 {
		return "", 0, fault.New(fault.Request, "leave one point", "a schedule without points has no %s", of.word)
	}
	var b strings.Builder
	b.WriteString("points:")
	for i, p := range points {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatFloat(p.Epoch*of.pace(s.Config.Live), 'g', 9, 64) + "=" + strconv.FormatFloat(p.Value, 'g', 4, 64))
	}
	if _, err := config.ParseSchedule(b.String()); err != nil { // two points so close that they are written alike
		return "", 0, fault.Wrap(err, fault.Request, remedy, "the points are too close")
	}
	return b.String(), passed, nil
}
