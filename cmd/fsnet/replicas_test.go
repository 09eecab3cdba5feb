package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// planned writes a plan of five replicas of a small table, with more options.
func planned(t *testing.T, more ...string) (plan string, fit []string) {
	t.Helper()
	t.Setenv(asProgram, "1")
	fit = append(cohort(t), more...)
	plan = filepath.Join(t.TempDir(), "plan.json")
	done(t, slices.Concat([]string{"replicas", "plan"}, fit[1:], []string{"--replicas=5", "-o", plan})...)
	return plan, fit
}

// done runs a command that is to succeed.
func done(t *testing.T, args ...string) string {
	t.Helper()
	out, messages, status := command(t, args...)
	if status != 0 {
		t.Fatalf("%v: status %d: %s", args, status, messages)
	}
	return out
}

// bare is a report without what its machine has to do with.
func bare(r replicasReport) replicasReport {
	r.Workers, r.Seconds, r.StepsPerSecond, r.Device = 0, 0, 0, ""
	for i := range r.Replicas {
		r.Replicas[i] = timeless(r.Replicas[i])
	}
	return r
}

// Parts in any grouping, merged in any order, are to the bit what one process makes, and what fit --replicas does.
func TestReplicasInPartsAreThoseOfOneProcess(t *testing.T) {
	plan, fit := planned(t)
	dir := filepath.Dir(plan)
	file := func(name string) string { return filepath.Join(dir, name) }
	want := replicasOf(t, []byte(done(t, append(fit, "--replicas=5", "--json", "-q")...)))
	if len(want.Replicas) != 5 {
		t.Fatal(want)
	}
	var texts []string
	for n, groups := range map[int][]string{1: {"one"}, 3: {"b", "c", "a"}, 5: {"5", "1", "4", "2", "3"}} {
		merge := []string{"replicas", "merge", "--seconds=false", "--json"}
		for i, name := range groups {
			path := file(fmt.Sprintf("%d-%s.jsonl", n, name))
			done(t, "replicas", "run", plan, "--part", fmt.Sprintf("%d/%d", i+1, n), "-o", path, "-q")
			merge = append(merge, path)
		}
		slices.Sort(merge[4:])
		texts = append(texts, done(t, slices.Insert(merge, 5, plan)...))
	}
	for _, text := range texts {
		if got := replicasOf(t, []byte(text)); text != texts[0] || !reflect.DeepEqual(got, bare(want)) {
			t.Errorf("%+v\nfit --replicas: %+v", got, bare(want))
		}
	}
	forPeople := done(t, "replicas", "merge", plan, file("1-one.jsonl"), "--seconds=false")
	lines := strings.Split(strings.TrimSpace(done(t, append(fit, "--replicas=5", "-q")...)), "\n")
	if merged := strings.Split(strings.TrimSpace(forPeople), "\n"); !slices.Equal(merged[2:len(merged)-1], lines[2:len(lines)-1]) {
		t.Errorf("merged:\n%s\nfit --replicas:\n%s", forPeople, strings.Join(lines, "\n"))
	}
}

// A cell by its id is the replica, files that miss some say so, and what is there already is not trained again.
func TestReplicasGoOn(t *testing.T) {
	plan, _ := planned(t)
	text, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), `"seed":6,`) // the third one
	before, _, _ := strings.Cut(string(text), `"seed":6,`)
	id := before[strings.LastIndex(before, `"id":"`)+6:][:16]
	rows := filepath.Join(filepath.Dir(plan), "rows.jsonl")
	if out := done(t, "replicas", "run", plan, "--cell", id, "-o", rows, "-q"); out != rows+": 1 replica\n" || after == "" {
		t.Errorf("%q", out)
	}
	one, err := os.ReadFile(rows)
	if err != nil || !strings.Contains(string(one), `"seed":6,`) {
		t.Fatalf("%s, %v", one, err)
	}
	out, messages, status := command(t, "replicas", "merge", plan, rows)
	if status != 0 || !strings.Contains(messages, "4 of 5 replicas are missing, the first with seed 4") || !strings.Contains(out, "seed 6") {
		t.Errorf("status %d: %s\n%s", status, messages, out)
	}
	if out, messages, status = command(t, "replicas", "merge", plan, rows, "--complete"); status != 1 || out != "" ||
		messages != "4 of 5 replicas are missing, the first with seed 4 - make them: fsnet replicas run\n" {
		t.Errorf("status %d: %s\n%s", status, messages, out)
	}
	// Half a row of a process that was killed is cut away, and the whole one stays to the byte, with its seconds.
	if err := os.WriteFile(rows, append(slices.Clone(one), one[:50]...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, messages, status := command(t, "replicas", "merge", plan, rows); status != 2 ||
		!strings.Contains(messages, "ends in the middle of a row") {
		t.Errorf("status %d: %s", status, messages)
	}
	if _, messages, status := command(t, "replicas", "run", plan, "-o", rows, "-q"); status != 0 ||
		!strings.Contains(messages, "which is cut away") {
		t.Errorf("status %d: %s", status, messages)
	}
	all, err := os.ReadFile(rows)
	if err != nil || bytes.Count(all, []byte("\n")) != 5 || !bytes.Contains(all, one) {
		t.Errorf("%v: %s", err, all)
	}
}

// Killed in the middle, a run loses no replica that it had made, and makes none twice.
func TestKilledReplicasGoOn(t *testing.T) {
	plan, _ := planned(t, long(), "--stop=never")
	rows := filepath.Join(filepath.Dir(plan), "rows.jsonl")
	c := program(t, "replicas", "run", plan, "-o", rows, "--workers=1")
	messages, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(messages); lines.Scan(); {
		if strings.Contains(lines.Text(), " 2 of 5 replicas") || strings.HasPrefix(lines.Text(), "2 of 5 replicas") {
			break
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("it ended with %v", err)
	}
	before, err := os.ReadFile(rows)
	if err != nil || bytes.Count(before, []byte("\n")) < 2 {
		t.Fatalf("%v: %s", err, before)
	}
	whole := before[:bytes.LastIndexByte(before, '\n')+1]
	done(t, "replicas", "run", plan, "-o", rows, "-q")
	after, err := os.ReadFile(rows)
	if err != nil || !bytes.HasPrefix(after, whole) || bytes.Count(after, []byte("\n")) != 5 {
		t.Errorf("%v: before the kill\n%safterwards\n%s", err, whole, after)
	}
}

func TestReplicasPlansRefuse(t *testing.T) {
	plan, fit := planned(t)
	dir := filepath.Dir(plan)
	rows := filepath.Join(dir, "rows.jsonl")
	done(t, "replicas", "run", plan, "--part", "1/5", "-o", rows, "-q")
	others := filepath.Join(dir, "others.json")
	done(t, slices.Concat([]string{"replicas", "plan"}, fit[1:], []string{"--replicas=5", "--lambda=0.5", "-o", others})...)
	changed := filepath.Join(dir, "changed.json")
	text, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(changed, bytes.Replace(text, []byte(`"seed":5,`), []byte(`"seed":55,`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"no data set", []string{"plan", "--replicas=3"}},
		{"no --replicas", []string{"plan", "ALLAML"}},
		{"k = 9", append([]string{"plan"}, append(fit[1:], "--replicas=2", "--k=9")...)},
		{"no --output", []string{"run", plan}},
		{"is the plan", []string{"run", plan, "-o", plan}},
		{"part 6/5", []string{"run", plan, "-o", rows, "--part=6/5"}},
		{"part = 5", []string{"run", plan, "-o", rows, "--part=5"}},
		{"no replica \"abc\"", []string{"run", plan, "-o", rows, "--cell=abc"}},
		{"both --part and --cell", []string{"run", plan, "-o", rows, "--cell=abc", "--part=1/2"}},
		{"rows of other settings", []string{"run", others, "-o", rows}},
		{"does not match its id", []string{"run", changed, "-o", rows}},
		{"rows of other settings", []string{"merge", others, rows}},
		{"no plan among 1 file", []string{"merge", rows}},
		{"two plans", []string{"merge", plan, others, rows}},
		{"cannot be read", []string{"merge", plan, filepath.Join(dir, "nothing.jsonl")}},
		{"no replicas in 0 files", []string{"merge", plan}},
	} {
		out, messages, status := command(t, append([]string{"replicas"}, c.args...)...)
		if status != 2 && status != 1 || out != "" || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, c.want) {
			t.Errorf("%v: status %d, %q does not say %q", c.args, status, messages, c.want)
		}
	}
	// Data that were changed since.
	if err := os.WriteFile(fit[1], []byte(strings.Replace(smallTable(), "1", "2", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, messages, status := command(t, "replicas", "run", plan, "-o", rows, "-q"); status != 2 ||
		!strings.Contains(messages, "is not the data set of the plan") {
		t.Errorf("status %d: %s", status, messages)
	}
}

// Where a seed cannot be trained its row says so, the others are merged, and it is tried again.
func TestReplicasThatFailAreNamed(t *testing.T) {
	t.Setenv(asProgram, "1")
	text := "a,b,class\n"
	for i := range 20 {
		text += fmt.Sprintf("%d.%d,%d,%s\n", i%2, i*7%10, map[int]int{4: 1, 9: 1}[i], []string{"sick", "well"}[i%2])
	}
	dir := t.TempDir()
	plan, rows := filepath.Join(dir, "plan.json"), filepath.Join(dir, "rows.jsonl")
	args := []string{write(t, "rare.csv", text), "--label=class", "--k=2", "--epochs=3", "--backend=go", "--replicas=8"}
	done(t, slices.Concat([]string{"replicas", "plan"}, args, []string{"-o", plan})...)
	for range 2 {
		_, messages, status := command(t, "replicas", "run", plan, "-o", rows, "-q")
		if status != 1 || !strings.Contains(messages, "of 8 replicas failed, the first with: ") || !strings.Contains(messages, "k = 2") {
			t.Fatalf("status %d: %s", status, messages)
		}
	}
	want, _, _ := command(t, slices.Concat([]string{"fit"}, args, []string{"--json", "-q"})...)
	got, messages, status := command(t, "replicas", "merge", plan, rows, "--json")
	if w, g := replicasOf(t, []byte(want)), replicasOf(t, []byte(got)); status != 1 || len(w.Failed) == 0 ||
		!reflect.DeepEqual(bare(g), bare(w)) ||
		!strings.Contains(messages, fmt.Sprintf("%d of 8 replicas failed", len(w.Failed))) {
		t.Errorf("status %d: %s\n%+v\n%+v", status, messages, g, w)
	}
}
