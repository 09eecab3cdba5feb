package magic

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/trials"
)

// aHost has one session, leukemia, with settings of its own; it counts the looks at the test rows.
type aHost struct {
	session.Handlers
	settings   config.Settings
	looks      int
	remembered *trials.Stability // for a report
}

// Watch is not asked for.
func (h *aHost) Watch(context.Context, session.WatchRequest, func(session.Update)) error { return nil }

func (h *aHost) status(_ context.Context, r session.NameRequest) (session.Status, error) {
	name := r.Session
	if name != "leukemia" {
		return session.Status{}, fault.New(fault.NotFound, "", "there is no session %q", name)
	}
	return session.Status{Session: name, Config: h.settings}, nil
}

func (h *aHost) evaluate(_ context.Context, r session.EvaluateRequest) (session.Evaluation, error) {
	name := r.Session
	part := r.Part
	if name == "leukemia" && part == "test" {
		h.looks++
	}
	return session.Evaluation{}, nil
}

// halving runs a line of the language with a program in place of fsnet; last is the session used last.
func halving(t *testing.T, ctx context.Context, //nolint:revive // t comes first, as in all helpers here
	line, last, script string, out *shown) (words string, h *aHost, err error) {
	t.Helper()
	settings, err := config.Config{Data: "cohort.csv", Label: "diagnosis", K: 7, Epochs: 40}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	h = &aHost{Handlers: session.Handlers{}, settings: settings}
	session.Handle(h.Handlers, session.VerbStatus, h.status)
	session.Handle(h.Handlers, session.VerbEvaluate, h.evaluate)
	directory := t.TempDir()
	i := New(Options{
		Directory: in(directory), NewID: func() string { return "id" }, Host: func(context.Context) (session.Caller, error) { return h, nil },
	})
	i.Use(last)
	c, err := parse(line)
	if err != nil {
		t.Fatal(err)
	}
	v, err := findVerb(c.Verb)
	if err != nil {
		t.Fatal(err)
	}
	r, err := i.understand(v, c)
	if err == nil {
		r.out = out
		r.program = program(t, `for word in "$@"; do echo "$word"; done > words
`+script)
		err = r.stability(ctx)
	}
	h.remembered = i.stabilityOf("leukemia", settings)
	settings.Lambda++
	if i.stabilityOf("leukemia", settings) != nil {
		t.Error("what was found is kept for a session whose settings have changed")
	}
	text, _ := os.ReadFile(filepath.Join(directory, "words")) // none where it was refused
	return strings.Join(strings.Fields(string(text)), " "), h, err
}

const found = `echo '{"dataset": "cohort", "k": 7, "n": 20, "half": 10, "planned": 40, "done": 6, "genes": [
{"name": "zyxin", "rank": 1, "seen": 5, "group": 6, "look_alikes": []}], "about": ["what it means"], "accuracy": null}'
`

// The line's words are the command's; progress is drawn in place, then the table and the chart.
func TestStabilityRunsTheCommand(t *testing.T) {
	var out shown
	script := `echo '{"done": 1, "planned": 40, "share": 0.05, "left": 61}' >&2
` + found
	words, h, err := halving(t, t.Context(), "%fsnet stability other.csv k=3 pairs=5 decoys=false epochs=9", "leukemia", script, &out)
	if err != nil {
		t.Fatal(err)
	}
	if words != "stability --json --progress=json --k=3 --epochs=9 --decoys=false --pairs=5 -- other.csv" {
		t.Errorf("%s", words)
	}
	if len(out.updates) != 2 || !strings.HasPrefix(out.updates[0], "1 of 40 half-samples · 5% · 1 min 1 s left · as of 2") ||
		out.updates[1] != "6 of 40 half-samples" {
		t.Errorf("%q", out.updates)
	}
	if len(out.displays) != 2 || !strings.Contains(out.displays[0], "what it means") ||
		!strings.Contains(out.displays[1], "* zyxin  ███") || h.looks != 0 {
		t.Errorf("%q, %d looks", out.displays, h.looks)
	}
}

// With a session, named or the one used last, it has that one's data and settings, but for what the line says; a look at the test rows is
// one of the session's.
func TestStabilityOfASession(t *testing.T) {
	for line, last := range map[string]string{
		"%fsnet stability leukemia lambda=2 evaluate=true": "", "%fsnet stability lambda=2 evaluate=true": "leukemia",
	} {
		var out shown
		words, h, err := halving(t, t.Context(), line, last, strings.Replace(found, `"accuracy": null`, `"accuracy": {"rows": 9}`, 1), &out)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"--label=diagnosis ", "--k=7 ", "--epochs=40 ", "--lambda=2 ", "--protocol=fsnet ", "--evaluate=true -- cohort.csv",
		} {
			if !strings.Contains(words, want) {
				t.Errorf("%s: %q is not in %s", line, want, words)
			}
		}
		if h.looks != 1 {
			t.Errorf("%s: %d looks are counted", line, h.looks)
		}
		if words, h, err = halving(t, t.Context(), line, last,
			strings.Replace(found, `"accuracy": null`, `"accuracy": null, "r2": {"rows": 9}`, 1), &out); err != nil || h.looks != 1 {
			t.Errorf("%s of a quantity: %v, %d looks are counted", words, err, h.looks)
		}
		if h.remembered != nil {
			t.Errorf("%s: what other settings gave is kept for a report of the session", line)
		}
	}
	_, h, err := halving(t, t.Context(), "%fsnet stability", "leukemia", found, new(shown))
	if err != nil || h.remembered == nil || h.remembered.Genes[0].Name != "zyxin" {
		t.Errorf("a report is not told what was found: %+v, %v", h.remembered, err)
	}
}

// Interrupted, the command is asked to end; what it then prints is shown.
func TestStabilityIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := shown{onUpdate: cancel}
	script := `trap 'echo "fsnet: interrupted" >&2; ` + strings.ReplaceAll(strings.TrimSpace(found), "'", `'"'"'`) + `; exit 130' INT
echo '{"done": 0, "planned": 40, "share": 0.01, "left": 0}' >&2
while :; do sleep 0.01; done
`
	_, _, err := halving(t, ctx, "%fsnet stability leukemia", "", script, &out)
	if !fault.Is(err, fault.Interrupted) || err.Error() != "interrupted with 6 of 40 half-samples done" || len(out.displays) != 2 {
		t.Errorf("%v, %q", err, out.displays)
	}
}

func TestStabilityRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"%fsnet stability":                    "stability of which data or session?",
		"%fsnet stability a.csv data=b.csv":   `what to do with "a.csv"`,
		"%fsnet stability a.csv b.csv":        `what to do with "b.csv"`,
		"%fsnet stability a.csv pairs=0":      "pairs",
		"%fsnet stability a.csv pair=3":       `unknown key "pair"`,
		"%fsnet stability leukemia epochs=no": "epochs",
	} {
		var out shown
		if words, _, err := halving(t, t.Context(), line, "", "exit 3", &out); err == nil || !strings.Contains(err.Error(), want) || words != "" {
			t.Errorf("%s: %v, %s", line, err, words)
		}
	}
	var out shown
	_, _, err := halving(t, t.Context(), "%fsnet stability ALLAML", "",
		`echo 'fsnet: k = 0 is not a valid number - give others' >&2; exit 2`, &out)
	if err == nil || err.Error() != "k = 0 is not a valid number - give others" || len(out.displays) != 0 {
		t.Errorf("%v, %q", err, out.displays)
	}
}
