package magic

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// tuningHost has one session open.
type tuningHost struct {
	session.Handlers
	settings config.Settings
}

func newTuningHost(settings config.Settings) tuningHost {
	h := tuningHost{session.Handlers{}, settings}
	session.Handle(h.Handlers, session.VerbSessions, h.sessions)
	session.Handle(h.Handlers, session.VerbStatus, h.status)
	return h
}

// Watch is not asked for.
func (h tuningHost) Watch(context.Context, session.WatchRequest, func(session.Update)) error {
	return nil
}

func (h tuningHost) sessions(_ context.Context, _ session.None) ([]session.Status, error) {
	return []session.Status{{Session: "leukemia", Config: h.settings}}, nil
}

func (h tuningHost) status(_ context.Context, r session.NameRequest) (session.Status, error) {
	name := r.Session
	if name != "leukemia" {
		return session.Status{}, fault.New(fault.NotFound, "", "no session %q is open", name)
	}
	return session.Status{Session: name, Config: h.settings}, nil
}

// tuning runs a line with a program in place of fsnet, in a notebook whose last session is current.
func tuning(t *testing.T, ctx context.Context, //nolint:revive // t comes first, as in all helpers here
	line, current, script string, out *shown) (directory string, err error) {
	t.Helper()
	settings, err := config.Config{
		Data: "my cohort.csv", K: 7, Lambda: new(0.5), Seed: 3, SplitSeed: new(int64(0)), Hidden: []int{8, 4},
	}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	directory = t.TempDir()
	i := New(Options{
		Directory: in(directory), NewID: func() string { return "id" },
		Host: func(context.Context) (session.Caller, error) { return newTuningHost(settings), nil },
	})
	if current != "" {
		i.Use(current)
	}
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
	return directory, r.tune(ctx)
}

const tuned = `echo '{"dataset": "a", "rows": 9, "folds": 3, "repeats": 1, "judge": "own",
"planned": 6, "done": 6, "best": 1, "chosen": 0, "threshold": 0.7,
"command": "fsnet fit a --k 2", "magic": "%fsnet open tuned data=a k=2", "points": [
{"settings": [{"key": "k", "value": "2"}], "k": 2, "folds": 3, "accuracy": {"mean": 0.75, "se": 0.1}},
{"settings": [{"key": "k", "value": "5"}], "k": 5, "folds": 3, "accuracy": {"mean": 0.8, "se": 0.1}}],
"selected": [{"rank": 1, "name": "zyxin", "enters": 2, "probability": 0.9}]}'
`

// The line's words are the command's: keys with several values are the grid, and a session brings its own settings where the line has none.
func TestTuneRunsTheCommand(t *testing.T) {
	for _, c := range []struct{ line, current, words string }{
		{"%fsnet tune ALLAML k=5,10 lambda=0,1 epochs=20 judge=svm folds=3", "",
			"tune --json --progress=json --epochs=20 --grid=k=5,10 lambda=0,1 --folds=3 --judge=svm --output=FILE -- ALLAML"},
		{"%fsnet tune data=other.csv hidden=64,32 k=2,3", "leukemia",
			"tune --json --progress=json --hidden=64,32 --grid=k=2,3 --output=FILE -- other.csv"},
		{"%fsnet tune hidden=64,32|8 split_seed=4", "leukemia",
			"tune --json --progress=json --k=7 --lambda=0.5 --seed=3 --split-seed=4 --grid=hidden=64,32|8 --output=FILE -- my cohort.csv"},
		{"%fsnet tune leukemia k=1,2 output=mine.csv", "",
			"tune --json --progress=json --lambda=0.5 --hidden=8,4 --seed=3 --split-seed=0 --grid=k=1,2 --output=mine.csv -- my cohort.csv"},
		{"%fsnet path leukemia k=2,5", "",
			"path --json --progress=json --lambda=0.5 --hidden=8,4 --seed=3 --split-seed=0 --k=2,5 --output=FILE -- my cohort.csv"},
		{"%fsnet sweep leukemia lambda=0,1 seeds=3", "",
			"sweep --json --progress=json --k=7 --hidden=8,4 --seed=3 --split-seed=0 --grid=lambda=0,1 --seeds=3 --output=FILE -- my cohort.csv"},
		{"%fsnet path", "leukemia",
			"path --json --progress=json --lambda=0.5 --hidden=8,4 --seed=3 --split-seed=0 --output=FILE -- my cohort.csv"},
	} {
		var out shown
		directory, err := tuning(t, t.Context(), c.line, c.current, `for word in "$@"; do echo "$word"; done > words
echo '{"done": 1, "total": 6, "what": "k=2, a, fold 1 of 3", "left": 61}' >&2
`+tuned, &out)
		if err != nil {
			t.Fatalf("%s: %v", c.line, err)
		}
		words, err := os.ReadFile(filepath.Join(directory, "words"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(words)), "\n")
		for i, l := range lines {
			if verb, _, _ := strings.Cut(c.words, " "); strings.HasPrefix(l, "--output="+filepath.Join(".fsnet", verb)+"/") {
				lines[i] = "--output=FILE"
			}
		}
		if got := strings.Join(lines, " "); got != c.words {
			t.Errorf("%s runs\n%s, want\n%s", c.line, got, c.words)
		}
		if len(out.updates) != 2 || !strings.HasPrefix(out.updates[0], "1 of 6 fits · k=2, a, fold 1 of 3 · 1 min 1 s left · as of 2") ||
			out.updates[1] != "6 of 6 fits" {
			t.Errorf("%q", out.updates)
		}
		want := []string{"Tuning on a", "%fsnet open tuned data=a k=2"}
		if strings.HasPrefix(c.words, "path") {
			want = []string{"Path on a", "zyxin"}
		} else if strings.HasPrefix(c.words, "sweep") {
			want[0] = "Sweep of k on a"
		}
		if len(out.displays) != 2 || !strings.Contains(out.displays[1], want[0]) || !strings.Contains(out.displays[0], want[1]) {
			t.Errorf("%q", out.displays)
		}
	}
}

// Of a quantity the pictures of all three have R².
func TestTuneShowsAQuantity(t *testing.T) {
	script := strings.NewReplacer(`"judge": "own"`, `"judge": "own", "task": "regression"`, `"accuracy"`, `"r2"`).Replace(tuned)
	for _, line := range []string{
		"%fsnet tune a.csv task=regression k=2,5", "%fsnet sweep a.csv task=regression k=2,5", "%fsnet path a.csv task=regression k=2,5",
	} {
		var out shown
		if _, err := tuning(t, t.Context(), line, "", script, &out); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if text := strings.Join(out.displays, "\n"); !strings.Contains(text, "R² of the own network") ||
			!strings.Contains(text, "0.800") || strings.Contains(text, "ccuracy") {
			t.Errorf("%s: %s", line, text)
		}
	}
}

func TestTuneIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := shown{onUpdate: cancel}
	half := strings.ReplaceAll(strings.TrimSpace(tuned), `"done": 6, "best": 1, "chosen": 0, `, `"done": 4, `)
	half = strings.ReplaceAll(half, "'", `'"'"'`)
	_, err := tuning(t, ctx, "%fsnet tune a.csv k=2,5 output=mine.csv", "", `trap 'echo "fsnet: interrupted" >&2; `+half+`; exit 130' INT
echo '{"done": 0, "total": 6, "what": "k=2", "left": 0}' >&2
while :; do sleep 0.01; done
`, &out)
	if !fault.Is(err, fault.Interrupted) ||
		err.Error() != "interrupted with 4 of 6 fits done - run the same line again to continue with mine.csv" {
		t.Errorf("%v", err)
	}
	if len(out.displays) != 2 || !strings.Contains(out.displays[0], "4 of 6 fits are done: nothing is chosen yet") {
		t.Errorf("%q", out.displays)
	}
}

// Once there is a report of what is done, its picture takes the place of the line, and keeps it.
func TestSweepGrows(t *testing.T) {
	var out shown
	half := strings.ReplaceAll(strings.TrimPrefix(strings.TrimSuffix(strings.TrimSpace(tuned), "'"), "echo '"), "\n", " ")
	_, err := tuning(t, t.Context(), "%fsnet sweep a.csv k=2,5", "", `echo '{"done": 0, "total": 6, "what": "k=2"}' >&2
echo '{"done": 4, "total": 6, "what": "k=5", "report": `+half+`}' >&2
echo '{"done": 5, "total": 6, "what": "k=5"}' >&2
`+tuned, &out)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.updates) != 3 || !strings.HasPrefix(out.updates[0], "0 of 6 fits") ||
		!strings.HasPrefix(out.updates[1], "Sweep of k on a") || out.updates[2] != "6 of 6 fits" {
		t.Errorf("%q", out.updates)
	}
}

func TestTuneRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"%fsnet tune k=5,10":               "tune of which session or data?",
		"%fsnet tune ALLAML":               "nothing to choose from",
		"%fsnet tune ALLAML kk=5,10":       "did you mean k?",
		"%fsnet tune ALLAML k=0":           "below 1",
		"%fsnet tune ALLAML k=5,9 folds=1": "from 2",
		"%fsnet tune a k=5,9 judge=svn":    "did you mean svm?",
		"%fsnet tune a data=b k=5,9":       "both a and data=b",
		"%fsnet tune a b k=5,9":            `does not know what to do with "b"`,
		"%fsnet sweep ALLAML":              "nothing to choose from",
		"%fsnet path":                      "path of which session or data?",
	} {
		var out shown
		if _, err := tuning(t, t.Context(), line, "", "exit 3", &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

// Completion knows the verb's options, the keys, the open sessions and the data; help says what the verb takes.
func TestTuneIsCompleted(t *testing.T) {
	i := New(Options{Directory: in(t.TempDir()), Host: func(context.Context) (session.Caller, error) { return newTuningHost(config.Settings{}), nil }})
	for line, want := range map[string][]string{
		"%fsnet tu":                      {"tune"},
		"%fsnet tune ":                   {"leukemia", "ALLAML", "judge=", "folds=", "k=", "lambda=", "split_seed="},
		"%fsnet tune leukemia judge=":    {"judge=own", "judge=svm", "judge=kernel-ridge"},
		"%fsnet path leukemia ":          {"k=", "folds=", "output="},
		"%fsnet evaluate leukemia val":   {"validation"},
		"%fsnet open leukemia split_s":   {"split_seed="},
		"%fsnet tune leukemia protocol=": {"protocol=paper"},
	} {
		matches, _, _, _ := i.Complete(t.Context(), line, len(line))
		for _, w := range want {
			if !slices.Contains(matches, w) {
				t.Errorf("%s: no %s in %v", line, w, matches)
			}
		}
	}
	for _, word := range []string{"tune", "sweep", "path", "split_seed"} {
		if p, err := explain(word, ""); err != nil || !strings.Contains(p.Text, word) {
			t.Errorf("%s: %q, %v", word, p.Text, err)
		}
	}
}
