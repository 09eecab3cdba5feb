package main

import (
	"strings"
	"testing"
)

// A command looks once at rows that it reads with one set of settings again and
// again, as replicas on one split do. Other settings are another look.
func TestLooked_CountsOncePerCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	rows := strings.Repeat("0123456789abcdef", 2)
	var first, second looked
	for range 20 {
		first.record(rows, "k = 3")
	}
	if text := first.text(); text != "" {
		t.Errorf("a first look is called another one: %q", text)
	}
	second.record(rows, "k = 3")
	second.record(rows, "k = 4")
	if text := second.text(); !strings.HasPrefix(text, "the test rows were looked at 3 times, with 2 settings") {
		t.Errorf("after three looks with two settings: %q", text)
	}
}
