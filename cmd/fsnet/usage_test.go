package main

import (
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
)

// Every key stands in one group of the help, and nothing else does.
func TestEveryKeyHasAGroup(t *testing.T) {
	in := map[string]int{}
	for _, g := range flagGroups() {
		for _, name := range g.names {
			in[name]++
		}
	}
	for _, key := range config.Keys() {
		name := strings.ReplaceAll(key.Name, "_", "-")
		if n := in[name]; n != 1 && !key.Session {
			t.Errorf("%s is in %d groups", name, n)
		}
		delete(in, name)
	}
	if len(in) > 0 {
		t.Errorf("no keys: %v", in)
	}
}
