package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"fsnetlab/fsnet"
)

// program is this program as a process, with the processes that it starts.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// cohort asks for a fit that compiles nothing.
func cohort(t *testing.T) []string {
	t.Helper()
	return []string{"fit", write(t, "cohort.csv", smallTable()), "--label=diagnosis", "--samples=sample", "--k=3", "--epochs=20", "--seed=4",
		"--backend=go"}
}

func replicasOf(t *testing.T, text []byte) replicasReport {
	t.Helper()
	var r replicasReport
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return r
}

// long are the epochs of a replica that is to be in the making when something happens to it. The race detector's build makes fewer in the
// same time.
func long() string {
	if testing.Short() {
		return "--epochs=100"
	}
	return "--epochs=500"
}

// singleFit is what fsnet fit --json prints, without what differs between two processes.
func singleFit(t *testing.T, args ...string) fsnet.Result {
	t.Helper()
	var r fsnet.Result
	if err := json.Unmarshal([]byte(done(t, args...)), &r); err != nil {
		t.Fatal(err)
	}
	return r.Timeless()
}

// Replicas side by side are the fits of their seeds, in the report and in the files of the models.
func TestReplicasAreSingleFits(t *testing.T) {
	dir := t.TempDir()
	args, output := append(cohort(t), "--json"), filepath.Join(dir, "out.json")
	out, messages, status := command(t, append(args, "--replicas=2", "--workers=2", "--output", output, "--save",
		filepath.Join(dir, "many.safetensors"))...)
	if status != 0 || !strings.Contains(messages, "2 of 2 replicas") {
		t.Fatalf("status %d: %s", status, messages)
	}
	if written, err := os.ReadFile(output); err != nil || string(written) != out {
		t.Errorf("the output file is not what was printed: %v", err)
	}
	r := replicasOf(t, []byte(out))
	if len(r.Replicas) != 2 || len(r.Failed) != 0 || r.Workers != 2 || r.Seed != 4 || r.Steps == 0 || r.Summary.Agreement == nil {
		t.Errorf("%+v", r)
	}
	file := filepath.Join(dir, "single.safetensors")
	if want := singleFit(t, append(args, "--seed=5", "--save", file)...); !reflect.DeepEqual(r.Replicas[1].Timeless(), want) {
		t.Errorf("the second replica is %+v\nthe single fit %+v", r.Replicas[1], want)
	}
	a, errA := os.ReadFile(file)
	b, errB := os.ReadFile(filepath.Join(dir, "many-seed5.safetensors"))
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("the models differ: %v, %v", errA, errB)
	}
	if _, err := os.Stat(filepath.Join(dir, "many.safetensors")); !os.IsNotExist(err) {
		t.Error("it wrote a model without a seed in its name")
	}
}

// The same with seven thousand genes: XLA gives the same bits, whatever it computes beside.
func TestReplicasOfManyGenesAreSingleFits(t *testing.T) {
	if testing.Short() {
		t.Skip("replicas of few genes do all that those of many do beside each other")
	}
	args := []string{"fit", "ALLAML", "--epochs=10", "--json", "-q"}
	out := done(t, append(args, "--replicas=2", "--seed=1")...)
	want := singleFit(t, append(args, "--seed=2")...)
	if got := replicasOf(t, []byte(out)).Replicas[1].Timeless(); !reflect.DeepEqual(got, want) {
		t.Errorf("the replica is %+v\nthe single fit %+v", got, want)
	}
}

func TestReplicasPrintATableForPeople(t *testing.T) {
	file := filepath.Join(t.TempDir(), "genes.svg")
	out, messages, status := command(t, append(cohort(t), "--replicas=2", "-q", "--picture", file)...)
	if status != 0 || messages != "" {
		t.Fatalf("status %d: %s", status, messages)
	}
	drawn, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(out, "\n") { // what the table says of each feature, the picture says too
		if words := strings.Fields(line); strings.Contains(line, " of 2 ") && (!strings.Contains(string(drawn), ">"+words[0]+"<") ||
			!strings.Contains(string(drawn), words[2]+" of 2")) {
			t.Errorf("the picture does not have %q", line)
		}
	}
	if !strings.Contains(string(drawn), "How often features are chosen") || !strings.Contains(string(drawn), "seeds 4 to 5") {
		t.Errorf("the picture is %.300s", drawn)
	}
	for _, want := range []string{"seeds 4 to 5", "selected in", "of 2", "█", "±", "on the test rows", "two replicas share", "stability",
		"2 replicas"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

// Where some seeds cannot be trained the others are reported, the failures are named, and the exit status says that something failed.
func TestFailedReplicasAreReported(t *testing.T) {
	text := "a,b,class\n"
	for i := range 20 {
		text += fmt.Sprintf("%d.%d,%d,%s\n", i%2, i*7%10, map[int]int{4: 1, 9: 1}[i], []string{"sick", "well"}[i%2])
	}
	args := []string{"fit", write(t, "rare.csv", text), "--label=class", "--k=2", "--epochs=3", "--backend=go", "--replicas=8", "-q"}
	out, messages, status := command(t, append(args, "--json")...)
	r := replicasOf(t, []byte(out))
	if status != 1 || len(r.Replicas) == 0 || len(r.Failed) == 0 || len(r.Replicas)+len(r.Failed) != 8 {
		t.Fatalf("status %d, %d replicas, %d failed: %s", status, len(r.Replicas), len(r.Failed), messages)
	}
	want := fmt.Sprintf("%d of 8 replicas failed", len(r.Failed))
	if strings.Count(messages, "\n") != 1 || !strings.Contains(messages, want) || !strings.Contains(r.Failed[0].Error, "k = 2") {
		t.Errorf("%q, %+v", messages, r.Failed)
	}
	out, messages, status = command(t, append(args, "--k=3")...)
	if status != 2 || out != "" || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, "k = 3") {
		t.Errorf("none possible: status %d, %q, %q", status, out, messages)
	}
}

func TestReplicasRefuse(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "m-seed1.safetensors")
	if err := os.Mkdir(taken, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--replicas=0"}, "replicas = 0"},
		{[]string{"--replicas=-1"}, "replicas = -1"},
		{[]string{"--replicas=100001"}, "choose 1 to 100000"},
		{[]string{"--replicas=many"}, "replicas = many"},
		{[]string{"--replicas=2", "--workers=0"}, "workers = 0"},
		{[]string{"--replicas=2", "--workers=-3"}, "workers = -3"},
		{[]string{"--workers=2"}, "add --replicas R"},
		{[]string{"--replicas=2", "--seed=9223372036854775807"}, "choose a smaller seed"},
		{[]string{"--replicas=2", "--save", filepath.Join(dir, "m.safetensors")}, "m-seed1.safetensors is a directory"},
		{[]string{"--replicas=2", "--save", filepath.Join(dir, "x.json"), "--output", filepath.Join(dir, "x-seed0.json")},
			"is the file of --output"},
		{[]string{"--picture=a.svg"}, "add --replicas R"},
		{[]string{"--replicas=2", "--picture=a.gif"}, "a.gif"},
		{[]string{"--replicas=2", "--picture", filepath.Join(dir, "x.json"), "--output", filepath.Join(dir, "x.json")},
			"is the file of --output"},
		{[]string{"--replicas=2", "--output", "/nonexistent/out.json"}, "/nonexistent/out.json"},
	} {
		out, messages, status := command(t, append([]string{"fit", "ALLAML"}, c.args...)...)
		if status != 2 || out != "" || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, c.want) {
			t.Errorf("%v: status %d, %q does not say %q", c.args, status, messages, c.want)
		}
	}
}

// A fit with replicas that is interrupted shows what is done, prints no result, and ends with 130.
func TestInterruptedReplicas(t *testing.T) {
	c := program(t, append(cohort(t), long(), "--stop=never", "--replicas=50", "--workers=2", "--json")...)
	var out bytes.Buffer
	c.Stdout = &out
	messages, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer messages.Close()
	c.Stderr = theirs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	text := bufio.NewReader(messages)
	if line, err := text.ReadString('\n'); err != nil || !strings.Contains(line, " of 50 replicas") { // a tenth of the way
		t.Fatalf("%q: %v", line, err)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(text)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("it ended with %v", err)
	}
	if out.Len() > 0 {
		t.Errorf("it printed %q as a result", out.String())
	}
	for _, want := range []string{"selected in", "stability", "fsnet: interrupted with ", " of 50 replicas done"} {
		if !strings.Contains(string(rest), want) {
			t.Errorf("it does not say %q: %s", want, rest)
		}
	}
}
