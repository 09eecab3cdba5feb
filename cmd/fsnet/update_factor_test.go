package main

import (
	"strings"
	"testing"
)

func TestUpdateFactor(t *testing.T) {
	for text, want := range map[string]float64{"": 1, "1": 1, "10": 10, "2.5": 2.5, "100": 100} {
		t.Setenv(updateFactorVariable, text)
		if got, err := updateFactor(); err != nil || got != want {
			t.Errorf("%q: %g, %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "0.5", "101", "-3", "NaN", "fast"} {
		t.Setenv(updateFactorVariable, text)
		if _, messages, status := command(t, "host", "--socket", "x", "--parent", "1"); status != 2 ||
			!strings.Contains(messages, updateFactorVariable) {
			t.Errorf("%q: status %d, %q", text, status, messages)
		}
	}
}
