package config

import (
	"encoding/json"
	"strings"
	"testing"
)

// Without a split_seed the rows follow the seed, also where a program changes it in settings, and files have the bits that they had before
// the key was there. With one they do not.
func TestSplitSeed(t *testing.T) {
	follows, err := Config{Seed: 7}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	follows.Seed = 8
	given, err := Config{Seed: 7, SplitSeed: new(int64(0))}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	given.Seed = 8
	if follows.RowsSeed() != 8 || follows.Text("split_seed") != "8" || given.RowsSeed() != 0 || given.Text("split_seed") != "0" {
		t.Errorf("%d %q, %d %q", follows.RowsSeed(), follows.Text("split_seed"), given.RowsSeed(), given.Text("split_seed"))
	}
	text, err := json.Marshal(follows)
	if err != nil || strings.Contains(string(text), "split_seed") {
		t.Errorf("%s, %v", text, err)
	}
	again, err := given.Config().Resolve()
	if err != nil || again.RowsSeed() != 0 {
		t.Errorf("%d, %v", again.RowsSeed(), err)
	}
	for _, c := range []struct {
		name string
		a, b Config
		want string
	}{
		{"another seed", Config{Seed: 1}, Config{Seed: 2}, "seed"},
		{"the seed, given", Config{Seed: 1}, Config{Seed: 1, SplitSeed: new(int64(1))}, ""},
		{"another split", Config{Seed: 1}, Config{Seed: 1, SplitSeed: new(int64(2))}, "split_seed"},
		{"another training on one split", Config{Seed: 1, SplitSeed: new(int64(3))}, Config{Seed: 2, SplitSeed: new(int64(3))}, "seed"},
	} {
		a, errA := c.a.Resolve()
		b, errB := c.b.Resolve()
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		var keys []string
		for _, d := range a.Differences(b) {
			keys = append(keys, d.Key)
		}
		if got := strings.Join(keys, " "); got != c.want {
			t.Errorf("%s: %q differ, not %q", c.name, got, c.want)
		}
	}
	if next, list, err := given.Apply(Config{SplitSeed: new(int64(0)), Lambda: new(0.5)}); err != nil || len(list) != 1 ||
		next.RowsSeed() != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if next, _, err := follows.Apply(Config{Lambda: new(0.5)}); err != nil || next.SplitSeed != nil {
		t.Errorf("%v, %v", next.SplitSeed, err)
	}
}
