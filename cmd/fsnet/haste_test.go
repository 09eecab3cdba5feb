package main

import (
	"strings"
	"testing"
)

func TestHaste(t *testing.T) {
	for text, want := range map[string]float64{"": 1, "1": 1, "10": 10, "2.5": 2.5, "100": 100} {
		t.Setenv(hasteVariable, text)
		if got, err := haste(); err != nil || got != want {
			t.Errorf("%q: %g, %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "0.5", "101", "-3", "NaN", "fast"} {
		t.Setenv(hasteVariable, text)
		if _, messages, status := command(t, "host", "--socket", "x", "--parent", "1"); status != 2 ||
			!strings.Contains(messages, hasteVariable) {
			t.Errorf("%q: status %d, %q", text, status, messages)
		}
	}
}
