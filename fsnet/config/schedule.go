package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Schedule is the course of the temperature τ, or of the sharpness σ, over
// the epochs.
type Schedule struct {
	kind   string
	hold   float64
	points []point
}

type point struct{ epoch, value float64 }

// inverse is the sharpness schedule of protocol=stepwise: 1/τ, so that only
// the temperature decides how sharp P is.
const inverse = "inverse"

// ParseSchedule parses exponential, linear, cosine, late, hold:τ or
// points:e1=τ1,e2=τ2,…. Epochs must rise, and values must be above 0.
func ParseSchedule(text string) (Schedule, error) {
	kind, rest, _ := strings.Cut(text, ":")
	switch kind {
	case "exponential", "linear", "cosine", "late", inverse:
		if rest == "" {
			return Schedule{kind: kind}, nil
		}
	case "hold":
		value, err := parsePositive(rest)
		return Schedule{kind: kind, hold: value}, err
	case "points":
		return parsePoints(rest)
	}
	return Schedule{}, errors.New("not a schedule")
}

// parsePoints parses e1=τ1,e2=τ2,…, at least one point, with rising epochs.
func parsePoints(text string) (Schedule, error) {
	s := Schedule{kind: "points"}
	for pair := range strings.SplitSeq(text, ",") {
		left, right, ok := strings.Cut(pair, "=")
		epoch, err := strconv.ParseFloat(strings.TrimSpace(left), 64)
		if !ok || err != nil || !(epoch >= 0 && epoch <= maxNumber) {
			return s, fmt.Errorf("%q is not of the form epoch=value", pair)
		}
		value, err := parsePositive(right)
		if err != nil {
			return s, err
		}
		if n := len(s.points); n > 0 && epoch <= s.points[n-1].epoch {
			return s, fmt.Errorf("epoch %g does not come after %g", epoch, s.points[n-1].epoch)
		}
		s.points = append(s.points, point{epoch, value})
	}
	return s, nil
}

// parsePositive parses a number above 0 and at most maxNumber.
func parsePositive(text string) (float64, error) {
	value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(value > 0 && value <= maxNumber) {
		return 0, fmt.Errorf("%q is not a number above 0", text)
	}
	return value, nil
}

// Place returns the place e of a step on the schedule τ(e). epoch is the epoch
// of the step, with fractions. With tau_every=epoch, e is the number of that
// epoch, from 1 to E as in Algorithm 2. Otherwise it is the epoch itself.
// tau_pace multiplies it.
func (l Live) Place(epoch float64) float64 {
	if l.TauEvery == TauEpoch {
		epoch = min(math.Floor(epoch)+1, float64(l.Epochs))
	}
	if pace, err := parsePositive(l.TauPace); err == nil {
		epoch *= pace
	}
	return epoch
}

// Paced replaces tau_pace=auto by the pace of the authors' program, given
// the numbers of training and test rows. In that program τ falls by a factor
// with every batch, including the batches of test rows after each epoch. The
// factor is chosen for E ⌈n/8⌉ batches.
func (s Settings) Paced(train, test int) Settings {
	if s.TauPace != auto {
		return s
	}

	batches := func(rows, size int) int { return (rows + size - 1) / size }
	size := s.BatchRows(train)
	const assumed = 8
	made := float64(batches(train, size)+batches(test, size)) / float64(batches(train, assumed))
	s.TauPace = strconv.FormatFloat(made, 'g', -1, 64)
	return s
}

// Tau returns the temperature of a step at an epoch.
func (s Schedule) Tau(epoch float64, live Live) float64 { return s.At(live.Place(epoch), live) }

// At returns the temperature at a place on the schedule, from tau0 to
// tau_end.
func (s Schedule) At(place float64, live Live) float64 {
	return s.between(place, live.Epochs, live.Tau0, live.TauEnd)
}

// between returns the value at a place on the schedule, from a to b over E
// epochs:
//
//	exponential  a (b/a)^(e/E)        the paper's
//	linear       a + (b − a) e/E
//	cosine       b + (a − b) (1 + cos(π e/E))/2
//	late         a over the first half, then exponential
//	hold:v       v
//	points       log-linear between the points, constant outside
//
// Beyond the last epoch the value stays at b.
func (s Schedule) between(place float64, epochs int, a, b float64) float64 {
	t := min(max(place/float64(epochs), 0), 1)
	switch s.kind {
	case "linear":
		return a + (b-a)*t
	case "cosine":
		return b + (a-b)*(1+math.Cos(math.Pi*t))/2
	case "hold":
		return s.hold
	case "points":
		return s.interpolate(place)
	case "late":
		return a * math.Pow(b/a, secondHalf(t))
	default:
		return a * math.Pow(b/a, t)
	}
}

// secondHalf rises from 0 to 1 while t rises from ½ to 1.
func secondHalf(t float64) float64 { return max(2*t-1, 0) }

// interpolate returns the value at place, in epochs: the logarithm of the value
// is linear between two points. Before the first point and after the last, it
// returns that point's value.
func (s Schedule) interpolate(place float64) float64 {
	if place <= s.points[0].epoch {
		return s.points[0].value
	}
	for i := 1; i < len(s.points); i++ {
		a, b := s.points[i-1], s.points[i]
		if place <= b.epoch {
			t := (place - a.epoch) / (b.epoch - a.epoch)
			return a.value * math.Pow(b.value/a.value, t)
		}
	}
	return s.points[len(s.points)-1].value
}

// Course computes the values that change from step to step by themselves:
// temperature, sharpness, learning rate of the selectors, and repulsion.
type Course struct {
	live           Live
	tau, sharpness Schedule
}

// Course parses the schedules. It never fails for settings that Resolve has
// checked.
func (l Live) Course() (Course, error) {
	tau, err := ParseSchedule(l.Schedule)
	if err != nil {
		return Course{}, err
	}
	sharpness, err := ParseSchedule(l.SharpnessSchedule)
	return Course{l, tau, sharpness}, err
}

// Tau returns the temperature τ at an epoch. The epoch may be a fraction.
func (c Course) Tau(epoch float64) float64 { return c.tau.Tau(epoch, c.live) }

// Sharpness returns σ at an epoch. It rises from 1 to the value of the key
// sharpness.
func (c Course) Sharpness(epoch float64) float64 {
	if c.sharpness.kind == inverse {
		return 1 / c.Tau(epoch)
	}
	return c.sharpness.between(epoch, c.live.Epochs, 1, c.live.Sharpness)
}

// SelectorRate returns the learning rate of the selectors at an epoch, η
// (growth)^(e/E).
func (c Course) SelectorRate(epoch float64) float64 {
	return Schedule{}.between(epoch, c.live.Epochs, c.live.SelectorLearningRate, c.live.SelectorLearningRate*c.live.SelectorGrowth)
}

// Slowing returns the divisor of both learning rates at a step, 1 + c t/E
// with c = learning_rate_decay.
func (l Live) Slowing(step int) float64 {
	return 1 + l.LearningRateDecay*float64(step)/float64(l.Epochs)
}

// Repulsion returns the weight of Σ_{k≠l} ⟨P_k, P_l⟩/K at an epoch. It is 0
// over the first half and then rises to the value of the key repulsion.
func (c Course) Repulsion(epoch float64) float64 {
	return c.live.Repulsion * secondHalf(min(epoch/float64(c.live.Epochs), 1))
}

// Stop determines when a run ends before its last epoch. The zero value never
// ends it early.
type Stop struct {
	Settled  bool // end when every selector is settled
	Patience int  // The training stops after this many epochs without a better training loss. 0 means never.
}

// ParseStop parses settled, never or patience:N.
func ParseStop(text string) (Stop, error) {
	switch kind, rest, _ := strings.Cut(text, ":"); {
	case text == "settled":
		return Stop{Settled: true}, nil
	case text == "never":
		return Stop{}, nil
	case kind == "patience":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 {
			return Stop{}, fmt.Errorf("%q is not a number of epochs, 1 or more", rest)
		}
		return Stop{Patience: n}, nil
	}
	return Stop{}, errors.New("not a way to stop")
}
