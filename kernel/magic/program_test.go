package magic

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/widgets/chart"
)

// shown remembers the texts that a cell was shown.
type shown struct {
	recorder
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

// programs are some of the command line's, as cmd/fsnet describes them.
func programs() []Program {
	flags := func(names string, more ...Flag) (list []Flag) {
		for name := range strings.FieldsSeq(names) {
			list = append(list, Flag{Name: name})
		}
		return append(list, more...)
	}
	var keys []Flag
	for _, key := range config.Keys() {
		if !key.Session {
			keys = append(keys, Flag{Name: key.Name, Key: true})
		}
	}
	var butK []Flag
	for _, f := range keys {
		if f.Name != "k" {
			butK = append(butK, f)
		}
	}
	output := Flag{Name: "output", File: true}
	return []Program{
		{Name: "tune", Usage: "SESSION|DATA", Flags: append(flags("json progress quiet grid judge folds", output), keys...)},
		{Name: "path", Flags: append(flags("json progress k", output), butK...)},
		{Name: "compare", Flags: append(flags("json progress k", output, Flag{Name: "methods", Values: []string{"all", "anova", "mrmr"}},
			Flag{Name: "splits", Default: "20"}), butK...)},
		{Name: "stability", Flags: append(flags("json progress pairs", Flag{Name: "evaluate", Truth: true}), keys...)},
		{Name: "predict", Flags: flags("json csv")},
	}
}

// program is an executable that stands for fsnet.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fsnet")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return path
}

// running runs a line with a script in place of fsnet, in a notebook whose last session is current. words are what the script was given,
// but for the file of rows where the line names none.
func running(t *testing.T, ctx context.Context, //nolint:revive // t comes first, as in all helpers here
	line, current, script string, out *shown) (words string, i *Interpreter, h *fakeHost, err error) {
	t.Helper()
	h = newHost()
	h.only = "leukemia"
	h.config = config.Config{Data: "my cohort.csv", K: 7, Lambda: new(0.5), Seed: 3, SplitSeed: new(int64(0)), Hidden: []int{8, 4}}
	directory := t.TempDir()
	i = New(Options{
		Directory: in(directory), NewID: func() string { return "id" }, Programs: programs(),
		Host: func(context.Context) (session.Caller, error) { return h, nil },
	})
	i.Use(current)
	i.program = program(t, `for word in "$@"; do echo "$word"; done > words
`+script)
	c, err := parse(line)
	if err != nil {
		t.Fatal(err)
	}
	err = i.Run(ctx, c, out)
	text, _ := os.ReadFile(filepath.Join(directory, "words")) // none where it was refused
	list := strings.Split(strings.TrimSpace(string(text)), "\n")
	for at, word := range list {
		if file, ok := strings.CutPrefix(word, "--output=.fsnet/"+c.Verb+"/"); ok {
			info, err := os.Stat(filepath.Join(directory, ".fsnet", c.Verb, file))
			if ignored, _ := os.ReadFile(filepath.Join(directory, ".fsnet", ".gitignore")); err != nil || info.Mode().Perm() != 0o600 ||
				string(ignored) != "*\n" {
				t.Errorf("rows are in %v, %v; %q is ignored", info, err, ignored)
			}
			list[at] = "--output=FILE"
		}
	}
	return strings.Join(list, " "), i, h, err
}

const (
	tuned = `{"dataset": "a", "rows": 9, "folds": 3, "repeats": 1, "judge": "own", "planned": 6, "done": 6, "best": 1, "chosen": 0, "threshold": 0.7, ` +
		`"command": "fsnet fit a --k 2", "magic": "%fsnet open tuned data=a k=2", "points": [` +
		`{"settings": [{"key": "k", "value": "2"}], "k": 2, "folds": 3, "score": {"mean": 0.75, "se": 0.1}}, ` +
		`{"settings": [{"key": "k", "value": "5"}], "k": 5, "folds": 3, "score": {"mean": 0.8, "se": 0.1}}], ` +
		`"selected": [{"rank": 1, "name": "zyxin", "enters": 2, "probability": 0.9}]}`
	compared = `{"planned": 4, "rows": [{}, {}], "summary": [{"dataset": "a", "k": 3, "methods": [` +
		`{"method": "svm", "splits": 2, "score": {"mean": 0.75, "low": 0.5, "high": 1}, "seconds": {"mean": 1}}]}]}`
	halved = `{"dataset": "cohort", "k": 7, "n": 20, "half": 10, "planned": 40, "done": 6, "genes": [` +
		`{"name": "zyxin", "rank": 1, "seen": 5, "group": 6, "look_alikes": []}], "about": ["what it means"], "test": {"rows": 9}}`
	fits   = `echo '{"done": 1, "total": 6, "what": "k=2", "left": 61}' >&2` + "\n"
	halves = `echo '{"done": 1, "planned": 40, "share": 0.05, "left": 61}' >&2` + "\n"
)

func printed(report string) string { return "echo '" + report + "'\n" }

// The words of a line are the command's. A session adds its data and settings
// where the line has none. Progress is drawn in place, with tables and charts
// below it.
func TestProgram_RunsFromALine(t *testing.T) {
	const first, firstHalf = "1 of 6 fits · k=2 · 1 min 1 s left · as of 2", "1 of 40 half-samples · 5% · 1 min 1 s left · as of 2"
	for _, c := range []struct {
		line, current, words, script string
		updates, displays            []string // their beginnings
	}{
		{"%fsnet tune ALLAML k=5,10 lambda=0,1 epochs=20 judge=svm folds=3", "",
			"tune --json --progress=json --epochs=20 --grid=k=5,10 lambda=0,1 --folds=3 --judge=svm --output=FILE -- ALLAML",
			fits + printed(tuned), []string{first, "6 of 6 fits"}, []string{"", "Tuning on a"}},
		{"%fsnet tune data=other.csv hidden=64,32 k=2,3", "leukemia",
			"tune --json --progress=json --hidden=64,32 --grid=k=2,3 --output=FILE -- other.csv",
			printed(tuned), []string{"6 of 6 fits"}, []string{"", "Tuning on a"}},
		{"%fsnet tune hidden=64,32|8 split_seed=4 output=mine.csv", "leukemia",
			"tune --json --progress=json --k=7 --lambda=0.5 --seed=3 --split-seed=4 --grid=hidden=64,32|8 --output=mine.csv -- my cohort.csv",
			printed(tuned), []string{"6 of 6 fits"}, []string{"", "Tuning on a"}},
		{"%fsnet path leukemia k=2,5", "",
			"path --json --progress=json --lambda=0.5 --hidden=8,4 --seed=3 --split-seed=0 --k=2,5 --output=FILE -- my cohort.csv",
			`echo '{"done": 4, "total": 6, "what": "k=5", "report": ` + tuned + `}' >&2` + "\n" + printed(tuned),
			[]string{"Path on a", "6 of 6 fits"}, []string{"", "Path on a"}},
		{`%fsnet compare ALLAML "my cohort.csv" methods=svm,rf=./RF.py k=3,5 splits=2 test_fraction=0.3`, "",
			"compare --json --progress=json --test-fraction=0.3 --k=3,5 --methods=svm,rf=./RF.py --splits=2 --output=FILE -- ALLAML my cohort.csv",
			`echo '{"note": "rows.csv ended in the middle of a row"}' >&2` + "\n" + fits + printed(compared),
			[]string{first, "2 of 4 fits"}, []string{"rows.csv ended", "", "Comparison on a, K = 3"}},
		{"%fsnet stability other.csv k=3 pairs=5 epochs=9", "leukemia",
			"stability --json --progress=json --k=3 --epochs=9 --pairs=5 -- other.csv",
			halves + printed(halved), []string{firstHalf, "6 of 40 half-samples"}, []string{"", ""}},
		{"%fsnet predict model.json new.csv", "", "predict -- model.json new.csv", printed("a  ALL"), nil, []string{"a  ALL"}},
	} {
		var out shown
		words, _, _, err := running(t, t.Context(), c.line, c.current, c.script, &out)
		if err != nil || words != c.words {
			t.Errorf("%s runs\n%s, %v, want\n%s", c.line, words, err, c.words)
		}
		for _, list := range [][2][]string{{out.updates, c.updates}, {out.displays, c.displays}} {
			if len(list[0]) != len(list[1]) {
				t.Errorf("%s: %q, want %q", c.line, list[0], list[1])
				continue
			}
			for at, want := range list[1] {
				if !strings.HasPrefix(list[0][at], want) {
					t.Errorf("%s: %q, want %q", c.line, list[0][at], want)
				}
			}
		}
	}
}

// A report has what was found with the session's own settings, on its own data.
func TestProgram_StabilityOfASession(t *testing.T) {
	for line, own := range map[string]bool{"%fsnet stability leukemia lambda=2 evaluate=true": false, "%fsnet stability evaluate=true": true} {
		_, i, h, err := running(t, t.Context(), line, "leukemia", printed(halved), new(shown))
		now := h.status("leukemia")
		found := i.stabilityOf(now)
		if err != nil || !slices.Equal(h.calls, []string{"status leukemia"}) || (found != nil) != own {
			t.Errorf("%s: %v, asked %q, found %v", line, err, h.calls, found)
		}
		changed := now
		changed.Config.Lambda++
		if i.stabilityOf(changed) != nil {
			t.Error("what was found is kept for a session whose settings have changed")
		}
		changed = now
		changed.DataHash = "of another table"
		if i.stabilityOf(changed) != nil {
			t.Error("what was found is kept for a session of other data")
		}
	}
}

// An interrupt asks a program to end. What it prints then is shown, and the
// line says how to continue.
func TestProgram_Interrupted(t *testing.T) {
	for line, c := range map[string]struct{ begun, report, want string }{
		"%fsnet compare a.csv output=mine.csv": {fits, compared,
			"interrupted with 2 of 4 fits done - run the same line again to continue with mine.csv"},
		"%fsnet stability leukemia": {halves, halved, "interrupted with 6 of 40 half-samples done"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		out := shown{onUpdate: cancel}
		_, _, _, err := running(t, ctx, line, "", `trap 'echo "fsnet: interrupted" >&2; cat report; exit 130' INT
cat > report <<END
`+c.report+`
END
`+c.begun+`while :; do sleep 0.01; done
`, &out)
		if !errs.Is(err, errs.Interrupted) || err.Error() != c.want || len(out.displays) != 2 {
			t.Errorf("%s: %v, %q", line, err, out.displays)
		}
	}
}

// If a program doesn't end, because it is stopped or in a long call of its
// device, a second interrupt ends it. The first one says so.
func TestProgram_Hangs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	forced := make(chan struct{})
	out := shown{onUpdate: cancel, onDisplay: sync.OnceFunc(func() { close(forced) })}
	_, _, _, err := running(t, process.WithForceInterrupt(ctx, forced), "%fsnet compare a.csv", "", "trap '' INT\n"+fits+
		"while :; do sleep 0.01; done\n", &out)
	if !errs.Is(err, errs.Interrupted) || len(out.displays) == 0 ||
		out.displays[0] != "interrupted: fsnet compare finishes its present step; interrupt again to end it at once" {
		t.Errorf("%v, %q", err, out.displays)
	}
}

// However long a program's line is, the cell ends when the program does. The
// last line is the error.
func TestProgram_LongLine(t *testing.T) {
	var out shown
	_, _, _, err := running(t, t.Context(), "%fsnet compare ALLAML", "", "head -c 3000000 /dev/zero | tr '\\0' x >&2\necho >&2\n"+fits+
		printed(compared), &out)
	if err != nil || len(out.updates) != 2 || len(out.displays) != 2 {
		t.Errorf("%v, %q, %q", err, out.updates, out.displays)
	}
	_, _, _, err = running(t, t.Context(), "%fsnet compare ALLAML", "", "echo 'fsnet: k = 0 is not valid' >&2; exit 2", &out)
	if err == nil || err.Error() != "k = 0 is not valid" {
		t.Errorf("%v", err)
	}
}

// TestRequest_ChildError ensures that a command's error keeps its kind, and that its remedy can be
// typed into the line: with keys, not with options.
func TestRequest_ChildError(t *testing.T) {
	for printed, want := range map[string]string{
		`{"kind": "request", "what": "k is 50", "remedy": "use k=40 or less"}`:                             "k is 50 - use k=40 or less",
		`{"kind": "request", "what": "--output rows.csv is an input file", "remedy": "name another file"}`: "output=rows.csv is an input file - name another file",
	} {
		_, _, _, err := running(t, t.Context(), "%fsnet compare ALLAML", "", "[ $"+ErrorsVariable+" ] && echo 'fsnet: "+printed+"' >&2; exit 2", new(shown))
		if !errs.Is(err, errs.Request) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A line with an unknown key, a missing session or wrong settings is rejected
// before the program starts.
func TestProgram_RejectsLines(t *testing.T) {
	for line, want := range map[string]string{
		"%fsnet tune k=5,10":                  "tune of which session or data?",
		"%fsnet tune ALLAML":                  "nothing to choose from",
		"%fsnet tune ALLAML kk=5,10":          "did you mean k?",
		"%fsnet tune ALLAML epochs=0 k=1,2":   "epochs",
		"%fsnet stability a.csv evaluate=so":  "true or false",
		"%fsnet compare ALLAML method=svm":    `unknown key "method"`,
		"%fsnet predict a b lambda=3":         `no option lambda`,
		"%fsnet stability leukemia epochs=no": "epochs",
	} {
		if words, _, _, err := running(t, t.Context(), line, "", "exit 3", new(shown)); err == nil || !strings.Contains(err.Error(), want) ||
			words != "" {
			t.Errorf("%s: %v, %s", line, err, words)
		}
	}
}
