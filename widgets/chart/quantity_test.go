package chart

import (
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// Where the label is a quantity R² stands in the place of accuracies, in every picture that has one.
func TestPicturesOfAQuantity(t *testing.T) {
	e := Evaluation(session.Evaluation{Session: "ages", Part: "test", Rows: 40, Step: 9, R2: new(-0.25), RMSE: new(12.5)})
	if !strings.Contains(e.Text, "-0.250") || !strings.Contains(e.Alt, "R² -0.250, root mean squared error 12.5") {
		t.Errorf("%s\n%s", e.Text, e.Alt)
	}
	s := Status(session.Status{Session: "ages", State: session.Paused, Trained: true, TrainScore: session.Score{Metric: "r2", Value: 0.5},
		ValidationScore: &session.Score{Metric: "r2", Value: 0.25}, Validate: 8,
		Config: config.Settings{Task: config.Regression}})
	if !strings.Contains(s.Text, "training R² 0.500, validation 0.250 of 8 rows") ||
		!strings.Contains(s.Text, "(quantity 0, reconstruction 0)") {
		t.Errorf("%s", s.Text)
	}
	h := session.History{Session: "ages", Step: 3, PerEpoch: 1, Curves: map[string]session.Curve{
		"loss": {Steps: []int{1, 2, 3}, Values: []float64{3, 2, 1}}, "loss_class": {Steps: []int{1, 2, 3}, Values: []float64{2, 1, 0.5}},
		"r2_train": {Steps: []int{1, 2, 3}, Values: []float64{-0.5, 0.1, 0.75}},
	}}
	c, err := Curves(h)
	if err != nil {
		t.Fatal(err)
	}
	if svg := string(c.SVG()); !strings.Contains(svg, ">quantity<") || strings.Contains(svg, ">class<") {
		t.Errorf("%.800s", svg)
	}
	for name, text := range map[string]string{"evaluation": e.HTML, "status": s.HTML, "curves": string(c.SVG())} {
		if strings.Contains(text, "ccuracy") || !strings.Contains(text, "R²") {
			t.Errorf("%s: %.800s", name, text)
		}
	}
	f := figureOf(h, []panel{explained()})
	if f.panels[0].y.Low > -0.5 || f.panels[0].y.High < 0.75 {
		t.Errorf("the axis of R² goes from %g to %g", f.panels[0].y.Low, f.panels[0].y.High)
	}
}
