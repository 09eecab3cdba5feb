package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/internal/num"
)

// done runs a command that must succeed and returns its output.
func done(t *testing.T, args ...string) string {
	t.Helper()
	out, messages, status := command(t, args...)
	if status != 0 {
		t.Fatalf("%v: status %d: %s", args, status, messages)
	}
	return out
}

// ages is a table of 40 people whose age follows from two of six genes.
func ages() string {
	r := num.RNG(5, "ages")
	text := "id,g0,g1,g2,g3,g4,g5,age\n"
	for i := range 40 {
		x := make([]float64, 6)
		text += fmt.Sprintf("p%d", i)
		for j := range x {
			x[j] = r.NormFloat64()
			text += fmt.Sprintf(",%.4f", 7+x[j])
		}
		text += fmt.Sprintf(",%.2f\n", 50+8*(2*x[2]-x[4])+r.NormFloat64())
	}
	return text
}

const (
	ofCohort   = " cohort.csv --label=diagnosis --samples=sample --backend=go --hidden=4 --epochs=4 --seed=4 -q"
	ofAges     = " ages.csv --label=age --task=regression --samples=id --backend=go --hidden=4 --epochs=4 -q"
	fourOnHalf = "compare" + ofCohort + " --methods=fsnet,anova,mrmr,svm --splits=2"
)

// inCohort makes a directory with both tables and works there.
func inCohort(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"cohort.csv": smallTable(), "ages.csv": ages(), "panel.txt": "g1\ng4\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Every report for people says what it must, in the words of its label. Figures are tested below,
// objects by TestSchemas_ObjectsConform.
func TestReports_ForPeople(t *testing.T) {
	inCohort(t)
	done(t, strings.Fields("fit"+ofCohort+" --k=3 --save=m.safetensors")...)
	done(t, strings.Fields("fit"+ofAges+" --k=2 --save=age.safetensors")...)
	for line, wants := range map[string]string{
		"fit ALLAML --epochs 2 --learning_rate 1e-4": "72 rows × 7129 features | fsnet protocol (the gradient of the network's loss " +
			"trains the selectors), K = 10 | _at | of 36 unseen rows right",
		"fit" + ofCohort + " --k=3 --must=g4 --never=g1 --split-seed=0 --validation-fraction=0.3": "1.000 must\n | seed 4 (of the split 0) | on the validation rows",
		"fit" + ofCohort + " --k=3 --replicas=2 --picture=g.svg":                                  "seeds 4 to 5 | selected in | of 2 | █ | ± | on the test rows | two replicas share | stability | 2 replicas",
		"fit" + ofAges + " --k=2":                  "a quantity (below  | goes with it | R² ",
		"data" + strings.TrimSuffix(ofAges, " -q"): "40 rows × 6 features, a quantity: below  | at the peak",
		"data":                                   "ALLAML  72 rows × 7129 features  classes ",
		"data ALLAML --k=50 --backend=go":        "72 rows × 7129 features | ALL (47), AML (25) | K = 50, on go | the data as read | at the peak",
		"predict m.safetensors cohort.csv":       "12 rows, 3 features | P(sick) | of 12 rows with a label | data called cohort, too",
		"predict m.safetensors cohort.csv --csv": "row,sample,predicted,label,P(sick),P(well)\n | 12,sl,",
		"predict age.safetensors ages.csv":       "over the 40 rows with a label, root mean squared error ",
		fourOnHalf + " --k=2,3 --report=c.html": "cohort: 12 rows × 5 features | 2 splits, seeds 4 to 5 | cohort, K = 2 | cohort, K = 3 | SVM accuracy | ± | * | anova | " +
			"stability | better/equal/worse",
		fourOnHalf + " --k=2 --csv":                                                                            "dataset,method,k,split,seed,metric,score,own, | \ncohort,svm,5,1,5,accuracy,",
		"compare" + ofAges + " --methods=anova --k=2 --splits=2":                                               "own R² | R²: of a kernel ridge regression",
		"judge" + ofCohort + " --features=panel.txt --splits=2":                                                "a panel of 2: g1, g4 | 2 of 2 splits | the panel  | as many at random | as many by ANOVA | recall sick | recall well",
		"judge" + ofAges + " --features=g2,g4 --splits=2":                                                      "a quantity (below  | always the mean: R² 0 | own head R²",
		"planted" + ofCohort + " --methods=anova,random,svm --kinds=linear,xor --causal=2 --k=2,3 --repeats=2": "linear, K = 2 | xor, K = 3 | AUPRC+ | 2 repeats",
		"stability" + ofCohort + " --k=2 --pairs=2 --decoys=false --evaluate --html=s.html": "Which features to trust: cohort, K = 2 | on 4 half-samples of 2 of the " +
			"6 training rows | with look-alikes | 2 rows of 2 classes, too few for words | No decoys took part | at which this was a look",
		"tune" + ofCohort + " --grid=k=1,2 --folds=2 --test-fraction=0.3 --picture=t.svg": "fsnet fit cohort.csv --label diagnosis | %fsnet open tuned ",
		"path" + ofCohort + " --k=1,2 --folds=2 --test-fraction=0.3":                      "enters | g",
	} {
		out := done(t, strings.Fields(line)...)
		for want := range strings.SplitSeq(wants, " | ") {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", line, want, out)
			}
		}
		if strings.Contains(line, "regression") && (strings.Contains(out, "ccuracy") || strings.Contains(out, "recall")) {
			t.Errorf("%s speaks of classes:\n%s", line, out)
		}
	}
	for name, wants := range map[string]string{
		"c.html": "cohort, K = 2 | cohort, K = 3 | critical difference | How often features are chosen | seconds a fit | mean and 95 % interval | <svg | default-src 'none'",
		"s.html": "<svg | <table", "g.svg": "How often features are chosen | seeds 4 to 5 | of 2", "t.svg": "Tuning on cohort",
	} {
		text, err := os.ReadFile(name)
		for want := range strings.SplitSeq(wants, " | ") {
			if err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s: no %q, %v", name, want, err)
			}
		}
		if strings.Contains(string(text), "<script") || strings.Contains(string(text), "src=") {
			t.Errorf("%s needs something else", name)
		}
	}
}

// The command at the end of tune's output can be run.
func TestTune_ProposedCommandRuns(t *testing.T) {
	inCohort(t)
	out := done(t, strings.Fields("tune"+ofCohort+" --folds=2 --test-fraction=0.3 --grid k=1,2")...)
	line, _, _ := strings.Cut(out[strings.Index(out, "fsnet fit ")+len("fsnet "):], "\n")
	done(t, append(strings.Fields(line), "-q")...)
}

// If a comparison is planned, made in parts and merged, its tables are to the
// byte those of one process, even from another directory than the plan's.
func TestCompare_Parts(t *testing.T) {
	inCohort(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("plans", 0o700); err != nil {
		t.Fatal(err)
	}
	what := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(fourOnHalf, "compare"), " -q") + " --k=2,3")
	what = strings.Fields(strings.ReplaceAll(strings.Join(what, " "), " -q", ""))
	if out := done(t, append([]string{"compare", "plan", "-o", "plans/plan.json"}, what...)...); out != "plans/plan.json: 14 cells, on go\n" {
		t.Errorf("%q", out)
	}
	done(t, append([]string{"compare", "-q", "-o", "one.jsonl"}, what...)...)
	t.Chdir(t.TempDir())
	plan, one := filepath.Join(here, "plans", "plan.json"), filepath.Join(here, "one.jsonl")
	for i := 1; i <= 2; i++ {
		done(t, "compare", "run", plan, fmt.Sprintf("--part=%d/2", i), "-q", "-o", fmt.Sprintf("rows-%d.jsonl", i))
	}
	for _, form := range []string{"--csv", "--json=false"} {
		want := done(t, "compare", "merge", plan, one, "--seconds=false", form)
		if got := done(t, "compare", "merge", "rows-2.jsonl", plan, "rows-1.jsonl", "--seconds=false", form); got != want || len(got) < 500 {
			t.Errorf("%s: merged are\n%s\none process made\n%s", form, got, want)
		}
	}
	if _, messages, status := command(t, "compare", "merge", plan, "rows-1.jsonl", "--complete"); status != 1 ||
		!strings.Contains(messages, "7 of 14 rows are missing, the first is cohort, fsnet, k = 2, split 1 - make them: fsnet compare run\n") {
		t.Errorf("status %d, %s", status, messages)
	}
}
