package views

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/pagetest"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// The table of sessions shows each where it stands, with the settings in which they differ and what it chose, follows them, opens a panel and
// compares; it refuses what a page cannot ask, and a session that is gone is said to be.
func TestRuns_Table(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(paused())
		s.status.Trained, s.status.TrainScore = true, session.Score{Metric: session.Accuracy, Value: 0.875}
		s.curves = map[string]session.Curve{"loss_class": {Steps: []int{5, 10}, Values: []float64{1, 0.5}}}
		other := s.status
		other.Session = "light"
		var err error
		if other.Config, _, err = other.Config.Apply(config.Config{Lambda: new(0.5)}); err != nil {
			t.Fatal(err)
		}
		other.Trained = false
		closed := false // held by s.mu
		on(s, session.VerbSessions, func(session.None) ([]session.Status, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if closed {
				return []session.Status{other}, nil
			}
			return []session.Status{s.status, other}, nil
		})
		page := &pagetest.Page{}
		m := ipywidgets.NewManager(page, ipywidgets.Options{})
		v := NewRuns(t.Context(), m, s, func() string { return "light" })
		v.draw = func() ipywidgets.Bundle { return ipywidgets.Bundle{Data: map[string]any{chart.MIMEPNG: ""}} }
		v.Follow([]session.Status{s.now(), other})
		shows := func(entry, want string) {
			t.Helper()
			settle()
			text, err := json.Marshal(v.Get(entry))
			if err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s is %.600s, want %s", entry, text, want)
			}
		}
		shows("columns", `["lambda"]`)
		shows("rows", `"settings":["0.5"]`)
		shows("rows", fmt.Sprintf(`"features":[["g",%q],["\u003cf\u003e",`, sharedBy(m).palette.Of("g").CSS()))
		shows("rows", `[0.875,"accuracy of the trained network on the training batches"]`)
		shows("rows", `"current":true`)
		s.mu.Lock()
		s.status.Step, s.status.Moves = 70, 1
		s.mu.Unlock()
		shows("rows", `"step":70`)

		send := func(content string) {
			m.Receive(ipywidgets.Message{Kind: ipywidgets.Tell, Comm: v.ID(), Data: json.RawMessage(`{"method":"custom","content":` + content + `}`)})
		}
		send(`{"do":"compare","sessions":["leukemia"]}`)
		shows("picture", "svg xmlns=")
		shows("picture", "Training of leukemia")
		shows("about", "Training of leukemia")
		send(`{"do":"compare","sessions":[]}`)
		shows("picture", `""`)
		send(`{"do":"open","session":"leukemia"}`)
		settle()
		id, _ := v.Get("panel").(string)
		if !strings.Contains(fmt.Sprint(page.Value(id, "head")), "leukemia") {
			t.Errorf("the open panel is %q", id)
		}
		send(`{"do":"open","session":""}`)
		shows("panel", `""`)
		s.mu.Lock()
		closed = true
		s.mu.Unlock()
		settle()
		v.mu.Lock()
		if len(v.chosen) > 0 {
			t.Errorf("the choice of a closed session stays: %+v", v.chosen)
		}
		v.mu.Unlock()
		send(`{"do":"sell"}`)
		shows("message", "asks for something it cannot do")
		shows("failed", "true")
	})
}
