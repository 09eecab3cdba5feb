package chart

import (
	"strings"
	"testing"

	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/charttest"
	"fsnetlab/widgets/chart/spec"
)

// Each training is a line in each panel, in a colour of its own, at its values; steps are the axis where epochs are of different length.
func TestOverlay(t *testing.T) {
	one, two := histories()["run"], histories()["run"]
	one.Session, two.Session = "one", "<two>"
	for perEpoch, unit := range map[int]string{one.PerEpoch: "epoch", one.PerEpoch + 1: "step"} {
		two.PerEpoch = perEpoch
		p, err := Overlay([]session.History{one, two})
		if err != nil {
			t.Fatal(err)
		}
		charttest.Conforms(t, "overlay "+unit, *p.spec)
		last := p.spec.Rows[len(p.spec.Rows)-1][0]
		if len(p.spec.Rows) != 3 || last.X.Title != unit {
			t.Errorf("%d panels over %q, want 3 over %q", len(p.spec.Rows), last.X.Title, unit)
		}
		for _, row := range p.spec.Rows {
			series := row[0].Series
			if len(series) != 2 || series[0].Name != "one" || series[1].Name != "<two>" || series[0].Colour == series[1].Colour {
				t.Errorf("%s: series %v", row[0].Title, series)
			}
			points := 0
			for _, d := range marksIn(row[0], spec.Line) {
				if d.Series == "one" && len(d.Tips) > 0 {
					points++
				}
			}
			if points < 10 {
				t.Errorf("%s: %d points of one", row[0].Title, points)
			}
		}
		if !strings.Contains(p.Text, "<two>") || !strings.Contains(p.Text, "loss of one") {
			t.Errorf("%s", p.Text)
		}
	}
}
