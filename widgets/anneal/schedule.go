package anneal

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// The limits of what a person may draw.
const (
	mostPoints = 64
	leastTau   = 1e-6
	mostTau    = 1e6
	curve      = 200 // stretches of the curve
)

// Point is a temperature at an epoch.
type Point struct{ Epoch, Tau float64 }

// Points are those by which a schedule is shown and edited: the points themselves where it has such, else some of the curve.
func Points(s session.Status) ([]Point, error) {
	live := s.Config.Live
	if rest, ok := strings.CutPrefix(live.Schedule, "points:"); ok {
		var points []Point
		for pair := range strings.SplitSeq(rest, ",") {
			left, right, _ := strings.Cut(pair, "=")
			epoch, err := strconv.ParseFloat(strings.TrimSpace(left), 64)
			tau, err2 := strconv.ParseFloat(strings.TrimSpace(right), 64)
			if err != nil || err2 != nil {
				return nil, fault.New(fault.Request, "see %fsnet help schedule", "schedule %q has no points", live.Schedule)
			}
			points = append(points, Point{epoch, tau})
		}
		return points, nil
	}
	if live.Schedule == "linear" || live.Schedule == "cosine" { // between points τ goes log-linearly, as only the others do
		return along(s, 12, config.Schedule.At)
	}
	return along(s, 4, config.Schedule.At)
}

// along is a temperature of the schedule at n+1 epochs from the first to the last: At is the line through its points, Tau what steps have.
func along(s session.Status, n int, tau func(config.Schedule, float64, config.Live) float64) ([]Point, error) {
	schedule, err := config.ParseSchedule(s.Config.Schedule)
	if err != nil {
		return nil, fault.Wrap(err, fault.Request, "see %fsnet help schedule", "schedule %q", s.Config.Schedule)
	}
	points := make([]Point, n+1)
	for i := range points {
		e := float64(s.Config.Epochs) * float64(i) / float64(n)
		points[i] = Point{e, tau(schedule, e, s.Config.Live)}
	}
	return points, nil
}

// Compose is the schedule that goes through ahead from the present step of s on, as the key schedule takes it. Points behind stay; points
// that were passed meanwhile are left out and counted. Without one ahead the temperature stays as it is.
//
// Errors: kind Request for points that are not in order, too many, beyond the last epoch, or no temperatures.
func Compose(s session.Status, ahead []Point) (schedule string, passed int, err error) {
	const remedy = "nothing changed; draw it again"
	if len(ahead) > mostPoints {
		return "", 0, fault.New(fault.Request, remedy, "%d points; %d are the most", len(ahead), mostPoints)
	}
	last := math.Inf(-1)
	for _, p := range ahead {
		switch {
		case !(p.Epoch >= 0 && p.Epoch <= float64(s.Config.Epochs)):
			return "", 0, fault.New(fault.Request, remedy, "a point at epoch %.6g is not from 0 to %d", p.Epoch, s.Config.Epochs)
		case !(p.Tau >= leastTau && p.Tau <= mostTau):
			return "", 0, fault.New(fault.Request, remedy, "a temperature of %.4g is not from %g to %g", p.Tau, leastTau, mostTau)
		case !(p.Epoch > last):
			return "", 0, fault.New(fault.Request, remedy, "the point at epoch %.6g does not come after %.6g", p.Epoch, last)
		}
		last = p.Epoch
	}
	var points []Point
	if s.Step > 0 {
		now := s.Config.Place(s.Epoch)
		if strings.HasPrefix(s.Config.Schedule, "points:") {
			if points, err = Points(s); err != nil {
				return "", 0, err
			}
			points = slices.DeleteFunc(points, func(p Point) bool { return p.Epoch >= now })
			points = points[max(0, len(points)-mostPoints):]
		}
		points = append(points, Point{now, s.Tau})
		for len(ahead) > 0 && ahead[0].Epoch <= now {
			ahead, passed = ahead[1:], passed+1
		}
	}
	points = append(points, ahead...)
	if len(points) == 0 {
		return "", 0, fault.New(fault.Request, "leave one point", "a schedule without points has no temperature")
	}
	var b strings.Builder
	b.WriteString("points:")
	for i, p := range points {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatFloat(p.Epoch, 'g', 9, 64) + "=" + strconv.FormatFloat(p.Tau, 'g', 4, 64))
	}
	if _, err := config.ParseSchedule(b.String()); err != nil { // two points so close that they are written alike
		return "", 0, fault.Wrap(err, fault.Request, remedy, "the points are too close")
	}
	return b.String(), passed, nil
}
