package magic

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// shown remembers what a cell was shown.
type shown struct {
	updates, displays   []string
	onUpdate, onDisplay func()
}

func (s *shown) Display(p chart.Picture) {
	if s.displays = append(s.displays, p.Text); s.onDisplay != nil {
		s.onDisplay()
	}
}
func (s *shown) Update(_ string, p chart.Picture) {
	if s.updates = append(s.updates, p.Text); s.onUpdate != nil {
		s.onUpdate()
	}
}
func (s *shown) Result(chart.Picture) {}
func (s *shown) Page(chart.Picture)   {}
func (s *shown) Clear(bool)           {}
func (s *shown) Live(ipywidgets.View) {}
func (s *shown) Silent() bool         { return false }

// program is an executable that stands for fsnet.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fsnet")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return path
}

// comparing runs a line of the language with a program in place of fsnet.
func comparing(t *testing.T, ctx context.Context, //nolint:revive // t comes first, as in all helpers here
	line, script string, out *shown) (directory string, err error) {
	t.Helper()
	directory = t.TempDir()
	i := New(Options{Directory: in(directory), NewID: func() string { return "id" }})
	c, err := parse(line)
	if err != nil {
		t.Fatal(err)
	}
	v, err := findVerb(c.Verb)
	if err != nil {
		t.Fatal(err)
	}
	r, err := i.understand(v, c)
	if err != nil {
		return directory, err
	}
	r.out = out
	r.program = program(t, script)
	return directory, r.compare(ctx)
}

const printed = `echo '{"planned": 4, "rows": [{}, {}], "summary": [{"dataset": "a", "k": 3, "methods": [
{"method": "svm", "splits": 2, "accuracy_svm": {"mean": 0.75, "low": 0.5, "high": 1}, "seconds": {"mean": 1}}]}]}'
`

// The line's words are the command's, progress is drawn in place, then a table and a chart.
func TestCompareRunsTheCommand(t *testing.T) {
	var out shown
	script := `for word in "$@"; do echo "$word"; done > words
echo '{"note": "rows.csv ended in the middle of a row"}' >&2
echo '{"done": 1, "total": 4, "method": "svm", "k": 3, "split": 0, "what": "svm, K = 3, split 0", "left": 61}' >&2
` + printed
	directory, err := comparing(t, t.Context(),
		`%fsnet compare ALLAML "my cohort.csv" methods=svm,mrmr:criterion=miq,rf=./RF.py k=3,5 splits=2 test_fraction=0.3`, script, &out)
	if err != nil {
		t.Fatal(err)
	}
	words, err := os.ReadFile(filepath.Join(directory, "words"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(words)), "\n")
	var kept string
	for i, l := range lines {
		if file, ok := strings.CutPrefix(l, "--output="); ok {
			kept, lines[i] = file, "--output=FILE"
		}
	}
	if got := strings.Join(lines, " "); got != "compare --json --progress=json --test-fraction=0.3 "+
		"--k=3,5 --methods=svm,mrmr:criterion=miq,rf=./RF.py --splits=2 --output=FILE -- ALLAML my cohort.csv" {
		t.Errorf("%s", got)
	}
	if !strings.HasPrefix(kept, filepath.Join(".fsnet", "compare")+"/") || !strings.HasSuffix(kept, ".jsonl") {
		t.Errorf("rows are kept in %q", kept)
	}
	if ignored, err := os.ReadFile(filepath.Join(directory, ".fsnet", ".gitignore")); err != nil || string(ignored) != "*\n" {
		t.Errorf("%q, %v", ignored, err)
	}
	if info, err := os.Stat(filepath.Join(directory, kept)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the rows are in %v, %v", info, err)
	}
	if len(out.updates) != 2 || !strings.HasPrefix(out.updates[0], "1 of 4 fits · svm, K = 3, split 0 · 1 min 1 s left · as of 2") ||
		out.updates[1] != "2 of 4 fits" {
		t.Errorf("%q", out.updates)
	}
	if len(out.displays) != 3 || !strings.Contains(out.displays[0], "rows.csv ended in the middle") ||
		!strings.Contains(out.displays[1], "0.750 ± 0.000") || !strings.Contains(out.displays[2], "Comparison on a, K = 3") {
		t.Errorf("%q", out.displays)
	}
}

// However long a line of the command is, the cell ends when the command does, and not before.
func TestCompareSurvivesALongLine(t *testing.T) {
	var out shown
	script := `head -c 3000000 /dev/zero | tr '\0' x >&2
echo >&2
echo '{"done": 1, "total": 4, "method": "svm", "k": 3, "split": 0, "what": "svm, K = 3, split 0", "left": 61}' >&2
` + printed
	if _, err := comparing(t, t.Context(), "%fsnet compare ALLAML", script, &out); err != nil {
		t.Fatal(err)
	}
	if len(out.updates) != 2 || out.updates[1] != "2 of 4 fits" || len(out.displays) != 2 {
		t.Errorf("%q, %q", out.updates, out.displays)
	}
	// The last one may be that long, too: it is the error.
	_, err := comparing(t, t.Context(), "%fsnet compare ALLAML", "head -c 100000 /dev/zero | tr '\\0' x >&2\nexit 1", &out)
	if err == nil || len(err.Error()) != 100_000 {
		t.Errorf("an error of 100,000 bytes is %.40v", err)
	}
}

// Interrupted, the command is asked to end; what it then prints is shown, and the line says how it goes on.
func TestCompareIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := shown{onUpdate: cancel}
	script := `trap 'echo "fsnet: interrupted" >&2; ` + strings.ReplaceAll(strings.TrimSpace(printed), "'", `'"'"'`) + `; exit 130' INT
echo '{"done": 0, "total": 4, "method": "svm", "k": 3, "split": 0, "left": 0}' >&2
while :; do sleep 0.01; done
`
	_, err := comparing(t, ctx, "%fsnet compare a.csv output=mine.csv", script, &out)
	if !fault.Is(err, fault.Interrupted) ||
		err.Error() != "interrupted with 2 of 4 fits done - run the same line again to continue with mine.csv" {
		t.Errorf("%v", err)
	}
	if len(out.displays) != 2 {
		t.Errorf("%q", out.displays)
	}
}

// A command that does not end, as one in a long call of its device or one that was stopped, ends by a second interrupt,
// of which it is told.
func TestCompareThatHangs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	insisted := make(chan struct{})
	out := shown{onUpdate: cancel, onDisplay: sync.OnceFunc(func() { close(insisted) })}
	script := `trap '' INT
echo '{"done": 0, "total": 4, "method": "svm", "k": 3, "split": 0, "left": 0}' >&2
while :; do sleep 0.01; done
`
	_, err := comparing(t, process.WithInsistence(ctx, insisted), "%fsnet compare a.csv output=mine.csv", script, &out)
	if !fault.Is(err, fault.Interrupted) || !strings.Contains(err.Error(), "run the same line again to continue with mine.csv") {
		t.Errorf("%v", err)
	}
	if len(out.displays) == 0 ||
		out.displays[0] != "interrupted: fsnet compare finishes what it has begun; interrupt again to end it at once" {
		t.Errorf("%q", out.displays)
	}
}

func TestCompareRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"%fsnet compare":                   "compare on which data?",
		"%fsnet compare ALLAML method=svm": `unknown key "method"`,
		"%fsnet compare ALLAML epochs=0":   "epochs",
	} {
		var out shown
		if _, err := comparing(t, t.Context(), line, "exit 3", &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
	var out shown
	_, err := comparing(t, t.Context(), "%fsnet compare ALLAML", `echo 'fsnet: k = 0 is not a valid number - give others' >&2; exit 2`, &out)
	if err == nil || err.Error() != "k = 0 is not a valid number - give others" || len(out.displays) != 0 {
		t.Errorf("%v, %q", err, out.displays)
	}
}
