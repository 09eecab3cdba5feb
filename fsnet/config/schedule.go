package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Schedule is how the temperature τ goes over the epochs.
type Schedule struct {
	kind   string
	hold   float64
	points []point
}

type point struct{ epoch, tau float64 }

// ParseSchedule reads exponential, linear, cosine, hold:τ or points:e1=τ1,e2=τ2,… with epochs rising and temperatures above 0.
func ParseSchedule(text string) (Schedule, error) {
	kind, rest, _ := strings.Cut(text, ":")
	switch kind {
	case "exponential", "linear", "cosine":
		if rest == "" {
			return Schedule{kind: kind}, nil
		}
	case "hold":
		tau, err := temperature(rest)
		return Schedule{kind: kind, hold: tau}, err
	case "points":
		return parsePoints(rest)
	}
	return Schedule{}, errors.New("not a schedule")
}

func parsePoints(text string) (Schedule, error) {
	s := Schedule{kind: "points"}
	for pair := range strings.SplitSeq(text, ",") {
		left, right, ok := strings.Cut(pair, "=")
		epoch, err := strconv.ParseFloat(strings.TrimSpace(left), 64)
		if !ok || err != nil || !(epoch >= 0 && epoch <= maxNumber) {
			return s, fmt.Errorf("%q is not epoch=τ", pair)
		}
		tau, err := temperature(right)
		if err != nil {
			return s, err
		}
		if n := len(s.points); n > 0 && epoch <= s.points[n-1].epoch {
			return s, fmt.Errorf("epoch %g does not come after %g", epoch, s.points[n-1].epoch)
		}
		s.points = append(s.points, point{epoch, tau})
	}
	return s, nil
}

func temperature(text string) (float64, error) {
	tau, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(tau > 0 && tau <= maxNumber) {
		return 0, fmt.Errorf("%q is not a temperature above 0", text)
	}
	return tau, nil
}

// Words of the key tau_every.
const (
	TauStep  = "step"
	TauEpoch = "epoch" // the paper's Algorithm 1
)

// Place is where on the schedule a step at an epoch stands, the e of τ(e). A step's epoch is a fraction, and that is its place, unless
// the temperature moves at every epoch: then it is the number of the step's epoch, from 1 to E as in Algorithm 1.
func (l Live) Place(epoch float64) float64 {
	if l.TauEvery != TauEpoch {
		return epoch
	}
	return min(math.Floor(epoch)+1, float64(l.Epochs))
}

// Tau is the temperature of a step at an epoch.
func (s Schedule) Tau(epoch float64, live Live) float64 { return s.At(live.Place(epoch), live) }

// At is the temperature at a place on the schedule:
//
//	exponential  τ(e) = τ0 (τE/τ0)^(e/E)        the paper's
//	linear       τ(e) = τ0 + (τE − τ0) e/E
//	cosine       τ(e) = τE + (τ0 − τE) (1 + cos(π e/E))/2
//	hold:τ       τ
//	points       log-linear between the points, constant outside
//
// Beyond the last epoch the temperature stays at its end.
func (s Schedule) At(place float64, live Live) float64 {
	t := min(max(place/float64(live.Epochs), 0), 1)
	switch s.kind {
	case "linear":
		return live.Tau0 + (live.TauEnd-live.Tau0)*t
	case "cosine":
		return live.TauEnd + (live.Tau0-live.TauEnd)*(1+math.Cos(math.Pi*t))/2
	case "hold":
		return s.hold
	case "points":
		return s.interpolate(place)
	default:
		return live.Tau0 * math.Pow(live.TauEnd/live.Tau0, t)
	}
}

func (s Schedule) interpolate(place float64) float64 {
	if place <= s.points[0].epoch {
		return s.points[0].tau
	}
	for i := 1; i < len(s.points); i++ {
		a, b := s.points[i-1], s.points[i]
		if place <= b.epoch {
			t := (place - a.epoch) / (b.epoch - a.epoch)
			return a.tau * math.Pow(b.tau/a.tau, t)
		}
	}
	return s.points[len(s.points)-1].tau
}

// Stop is when a run ends before its last epoch.
type Stop struct {
	Settled  bool
	Patience int // epochs without a better training loss; 0 is off
}

// ParseStop reads settled, never or patience:N.
func ParseStop(text string) (Stop, error) {
	switch kind, rest, _ := strings.Cut(text, ":"); {
	case text == "settled":
		return Stop{Settled: true}, nil
	case text == "never":
		return Stop{}, nil
	case kind == "patience":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 {
			return Stop{}, fmt.Errorf("%q is not a number of epochs from 1", rest)
		}
		return Stop{Patience: n}, nil
	}
	return Stop{}, errors.New("not a way to stop")
}
