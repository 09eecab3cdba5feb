package panel_test

import (
	"testing"
	"testing/synctest"

	"fsnetlab/fsnet/config"
)

// Every live key has a control: what a person does to it is set, and what is in force is shown.
func TestKnobs(t *testing.T) {
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
			b := newBench(t)
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

func TestEveryLiveKeyHasAKnob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for _, key := range config.Keys() {
			if key.Live && b.value(key.Name) == nil {
				t.Errorf("%s has none", key.Name)
			}
		}
	})
}

func TestClassWeight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.put("class_weight", `"balanced"`)
		b.shows("class_weight is other")
		if asked := b.asked(); asked != "set class_weight=balanced" {
			t.Errorf("asked %q", asked)
		}
	})
}

// A value that a key does not take is explained, asks for nothing, and what is in force is shown again.
func TestWrongValues(t *testing.T) {
	for _, c := range []struct {
		key, put, says string
		before         any
	}{
		{"schedule", `"quadratic"`, "not a schedule", "exponential"},
		{"stop", `"patience:-1"`, "settled · never · patience:N", "settled"},
		{"learning_rate", "0", "must be above 0", 0.001},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
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
