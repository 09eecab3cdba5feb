package chart_test

import (
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
)

// A line a session, with the settings in which they differ and no others.
func TestSessions(t *testing.T) {
	of := func(name string, c config.Config) session.Status {
		settings, err := c.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		return session.Status{Session: name, State: session.Paused, Step: 5, Steps: 60, Config: settings, Trained: true, TrainScore: session.Score{Value: 0.75}}
	}
	p := chart.Sessions([]session.Status{
		of("one", config.Config{Data: "ALLAML", K: 10}), of("<two>", config.Config{Data: "ALLAML", K: 10, Lambda: new(0.5), Seed: 3}),
	})
	head, _, _ := strings.Cut(p.Text, "\n")
	if got := strings.Fields(head); strings.Join(got, " ") != "session state step settled training accuracy lambda seed" {
		t.Errorf("columns %q", got)
	}
	if !strings.Contains(p.Text, "5 of 60") || !strings.Contains(p.Text, "0.750") || strings.Contains(p.HTML, "<two>") ||
		!strings.Contains(p.HTML, "0.5") {
		t.Errorf("%s\n%s", p.Text, p.HTML)
	}
}
