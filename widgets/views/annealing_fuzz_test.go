package views

import (
	"encoding/json"
	"math"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// Whatever a browser sends, what is set is a schedule that keeps the temperature of now and goes through the points ahead.
func FuzzAnnealingPoints(f *testing.F) {
	for _, seed := range []string{
		`{"drawn":"sharpness","points":[[20,1],[100,20]]}`, `{"points":[[20,1],[100,0.5]]}`, `{"points":[[5,9],[20,1]]}`,
		`{"points":[]}`, `{"points":[[20,1e-6],[20.000001,1e6]]}`, `{"points":[[20]]}`, `null`, `{"points":[[1e999,1]]}`,
	} {
		f.Add(seed, 50, false)
		f.Add(seed, 0, false)
		f.Add(seed, 52, true)
	}
	f.Fuzz(func(t *testing.T, content string, step int, byEpoch bool) {
		drawn, points, err := readPoints(json.RawMessage(content))
		if err != nil {
			return
		}
		s := session.Status{Step: max(0, step%500), Tau: 2, Sharpness: 2}
		s.Epoch = float64(s.Step) / 5
		s.Config.Live = config.Live{
			Epochs: 100, Tau0: 2, TauEnd: 2, Sharpness: 2, Schedule: "points:0=8,5=4", SharpnessSchedule: "points:0=8,5=4",
		}
		if byEpoch {
			s.Config.TauEvery = config.TauEpoch
		}
		text, passed, err := drawn.Compose(s, points)
		if err != nil {
			return
		}
		of := drawn.drawing()
		*of.schedule(&s.Config.Live) = text
		course, err := s.Config.Course()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := of.at(course, s.Epoch); s.Step > 0 && math.Abs(got-2) > 1e-3*2 {
			t.Errorf("%s: %g now, was 2", text, got)
		}
		s.Config.TauEvery = config.TauStep // points lie on the line, whatever steps make of it
		if course, err = s.Config.Course(); err != nil {
			t.Fatal(err)
		}
		for _, p := range points[passed:] {
			got := of.at(course, p.Epoch)
			if close := math.Abs(math.Log(got/p.Value)) < 1e-2; !close && len(points) == passed+1 {
				t.Errorf("%s: %g at epoch %g, drawn was %g", text, got, p.Epoch, p.Value)
			}
		}
	})
}
