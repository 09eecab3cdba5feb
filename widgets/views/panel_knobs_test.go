package views

import (
	"testing"
	"testing/synctest"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// Every live key has a control: what a person does to it is set, and what is in force is shown.
func TestPanelKnobs(t *testing.T) {
	for _, c := range []struct{ key, put, asked, shown string }{
		{"lambda", "10", "lambda=10", "10"},
		{"lambda", "0", "lambda=0", "0"},
		{"learning_rate", "0.00316", "learning_rate=0.00316", "0.00316"},
		{"selector_learning_rate", "0.1", "selector_learning_rate=0.1", "0.1"},
		{"tau0", "1", "tau0=1", "1"},
		{"tau_end", "0.1", "tau_end=0.1", "0.1"},
		{"dropout", "0.35", "dropout=0.35", "0.35"},
		{"epochs", "50", "epochs=50", "50"},
		{"schedule", `"hold:2"`, "schedule=hold:2", "hold:2"},
		{"stop", `"patience:7"`, "stop=patience:7", "patience:7"},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newPanelBench(t)
			b.put(c.key, c.put)
			b.shows(c.key + " is other")
			if asked := b.asked(); asked != "set "+c.asked {
				t.Errorf("asked %q, want %q", asked, c.asked)
			}
			if got := b.status.Config.Text(c.key); got != c.shown {
				t.Errorf("%s = %s is in force, want %s", c.key, got, c.shown)
			}
		})
	}
}

func TestPanelEveryLiveKeyHasAKnob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newPanelBench(t)
		for _, key := range config.Keys() {
			if key.Live && b.value(key.Name) == nil {
				t.Errorf("%s has none", key.Name)
			}
		}
	})
}

// A key on which the choice does not depend has no control but the reason, as config gives it, and has one again when it acts.
func TestPanelIdleKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newPanelBench(t)
		why := func(key string) any { return b.value("idle").(map[string]any)[key] }
		if idle := b.value("idle").(map[string]any); len(idle) > 0 {
			t.Errorf("under fsnet every live key acts, not %v", idle)
		}
		b.put("schedule", `"hold:2"`)
		b.settle()
		if why("tau0") != "schedule=hold has values of its own" || why("schedule") != nil {
			t.Errorf("of a temperature that is held it says %v", b.value("idle"))
		}
		b.put("schedule", `"linear"`)
		b.settle()
		if why("tau0") != nil {
			t.Errorf("tau0 acts again, and it says %v", why("tau0"))
		}
		now := b.status
		var err error
		if now.Config, err = (config.Config{Data: "ALLAML", K: 3, Protocol: config.Stepwise}).Resolve(); err != nil {
			t.Fatal(err)
		}
		b.tell(session.Update{Progress: session.Progress{Status: now}})
		b.settle()
		for _, key := range config.Keys() {
			idle, _ := now.Config.Idle(key.Name)
			if said, _ := why(key.Name).(string); key.Live && said != idle {
				t.Errorf("under stepwise it says of %s %q", key.Name, said)
			}
		}
		if why("selector_learning_rate") == nil {
			t.Error("under stepwise no gradient reaches the selectors, and their rate has a control")
		}
	})
}

func TestPanelClassWeight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newPanelBench(t)
		b.put("class_weight", `"balanced"`)
		b.shows("class_weight is other")
		if asked := b.asked(); asked != "set class_weight=balanced" {
			t.Errorf("asked %q", asked)
		}
	})
}

// A value that a key does not take is explained, asks for nothing, and what is in force is shown again.
func TestPanelWrongValues(t *testing.T) {
	for _, c := range []struct {
		key, put, says string
		before         any
	}{
		{"schedule", `"quadratic"`, "not a schedule", "exponential"},
		{"stop", `"patience:-1"`, "settled · never · patience:N", "settled"},
		{"learning_rate", "0", "must be above 0", 0.001},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newPanelBench(t)
			b.put(c.key, c.put)
			b.shows(c.says)
			if asked := b.asked(); asked != "" {
				t.Errorf("asked %q", asked)
			}
			if b.value(c.key) != c.before {
				t.Errorf("shows %v", b.value(c.key))
			}
		})
	}
}
