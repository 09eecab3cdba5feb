package replica_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
)

// A plan knows what a file said that names features, and not only what it is called: neither are replicas of another content merged with its
// own, nor are its own trained with another content.
func TestReplicasKnowWhatFilesSaid(t *testing.T) {
	settings := quick(t)
	file := filepath.Join(t.TempDir(), "genes.txt")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	never := func(c *config.Config) { c.Never = []string{file} }
	write("a\n")
	then := listed(t, never)
	write("# a comment\na\n")
	if same := listed(t, never); same.Cells[0] != then.Cells[0] || !strings.Contains(same.Cells[0].Settings, ";never_hash=") {
		t.Errorf("%+v\n%+v", same.Cells[0], then.Cells[0])
	}
	text, err := then.JSON()
	if err != nil {
		t.Fatal(err)
	}
	_, plan, err := replica.ReadListing(text)
	if err != nil || plan.CheckFiles() != nil {
		t.Fatal(err, plan.CheckFiles())
	}
	write("b\n")
	_, err = listed(t, never).Merge([]replica.File{{Name: "rows", Rows: []replica.Row{madeUp(t, then, 2)}}})
	if !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "rows made with another content of "+file+" (never)") {
		t.Error(err)
	}
	if err := plan.CheckFiles(); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), file+" (never) has changed: its hash was ") {
		t.Error(err)
	}

	settings.Never = []string{file}
	write("g4\n")
	p := replica.Plan{Settings: settings, Replicas: 1, Files: plan.Files}
	replicas, err := (&replica.Workers{Count: 1, Command: (&fleet{}).command}).Run(t.Context(), p, nil)
	if err != nil || replicas[0].Err == nil || !strings.Contains(replicas[0].Err.Error(), "has changed") {
		t.Errorf("%v, %+v", err, replicas)
	}
}

// Replicas without a plan know their files, too: the ones after an edit are refused, so that no run mixes two contents.
func TestReplicasWithoutAPlanWatchTheirFiles(t *testing.T) {
	settings := quick(t)
	file := filepath.Join(t.TempDir(), "genes.txt")
	settings.Never = []string{file}
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	write("g4\n")
	replicas, err := (&replica.Workers{Count: 1, Command: (&fleet{}).command}).Run(t.Context(), replica.Plan{Settings: settings, Replicas: 3}, func(p replica.Progress) {
		if p.Finished != nil && p.Done == 1 {
			write("g5\n")
		}
	})
	last := replicas[len(replicas)-1]
	if err != nil || replicas[0].Err != nil || last.Err == nil || !strings.Contains(last.Err.Error(), file+" (never) has changed") ||
		!strings.Contains(last.Err.Error(), "leave it alone while replicas are trained") {
		t.Errorf("%v, %+v", err, replicas)
	}
}
