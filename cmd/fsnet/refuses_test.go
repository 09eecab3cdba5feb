package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Whatever is wrong with a request, one line says what, where and what to do,
// nothing is written, and the status is 2. Of what a case wants, each text
// between " … " is in the line.
func TestCommands_RejectRequests(t *testing.T) {
	t.Chdir(t.TempDir())
	good := smallTable()
	third := strings.SplitAfter(good, "\n")[3]
	for name, text := range map[string]string{
		"cohort.csv": good, "nolabel.csv": strings.ReplaceAll(good, "diagnosis", "group7"), "one.csv": strings.ReplaceAll(good, "well", "sick"),
		"single.csv": good + "sx,1,2,3,4,5,odd\n", "ragged.csv": good + "sx,1,2\n",
		"text.csv":  strings.Replace(good, third, "sc,1,2,high,4,5,sick\n", 1),
		"nan.csv":   strings.Replace(good, third, "sc,1,2,NaN,4,5,sick\n", 1),
		"empty.mat": "", "random.mat": strings.Repeat("\x13\x37nonsense", 100),
		"cut.mat":     "MATLAB 5.0 MAT-file" + strings.Repeat(" ", 105) + "\x00\x01IM" + strings.Repeat("\x07", 400),
		"other.jsonl": "a,b\n1,2\n", "broken.json": "{\n", "kernel.json": "{", "lines": "# nothing\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"folder", "m-seed1.safetensors"} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("cohort.csv", "link.csv"); err != nil {
		t.Fatal(err)
	}
	const cells, replicas = "cohort.csv --label=diagnosis --samples=sample --k=2 --backend=go", " --epochs=2 --hidden=4 --replicas=2"
	for _, line := range []string{
		"compare plan " + cells + " --methods=anova --splits=2 -o plan.json", "compare run plan.json -q -o rows.jsonl",
		"replicas plan " + cells + replicas + " -o many.json", "replicas plan " + cells + replicas + " --lambda=0.5 -o others.json",
		"replicas run many.json -q -o many.jsonl",
	} {
		done(t, strings.Fields(line)...)
	}
	rows, err := os.ReadFile("rows.jsonl")
	if err == nil {
		err = os.WriteFile("half.jsonl", rows[:len(rows)-9], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	before := names(t, ".")
	for _, group := range []struct {
		with  string // the first words
		lines map[string]string
	}{
		{"", map[string]string{
			"fitt ALLAML": "fitt … did you mean fit", "fit": "no data set", "bench --step 5": "did you mean --steps",
			"kernel": "Jupyter starts the kernel", "kernel --connection-file /nonexistent/kernel.json": "/nonexistent/kernel.json",
			"kernel --conection-file x": "did you mean --connection-file?", "kernel --connection-file kernel.json": "kernel.json",
			"host --parent 7": "--socket", "host --socket s": "--parent", "host --socket /nonexistent/s --parent 7": "/nonexistent",
			"host --socket s --parent 1": "parent 1", "host now": "now", "repl lines -c help": "both a file and -c", "repl lines lines": "2 files",
			"repl absent": "the script absent cannot be read: no such file or directory - ", "repl -c steep": `line 1: unknown verb "steep" - did you mean step?`,
			"runs rm": "no run is named", "runs lst": "did you mean list?", "runs rm ../../etc": "cannot be called", "runs rm nothing-here": "there is no run",
			"report nobody": "neither a model's file nor a session", "report cohort.csv -o cohort.csv": "is an input file", "report link.csv -o ./cohort.csv": "is an input file",
			"report a -o cohort.csv":                  "cohort.csv is there already, and report did not write it - name another file",
			"report a -o no/page.html":                "directory that exists",
			"report a b -o p.html --stability s.json": "one session", "report a -o p.html --stability s.json": "--json wrote",
			"data nowhere.csv": "nowhere.csv", "data ALLAML --data ALLAML": "give one of them", "data ALLAML --k 0": "out of range",
			"data ALLAML --k=200000 --backend=go": "k = 200000 is more than the 7129 features of ALLAML - use k=7129 or less",
		}},
		{"fit", map[string]string{
			"nothing-here.mat": "nothing-here.mat", "empty.mat": "empty.mat", "random.mat": "random.mat", "cut.mat": "cut.mat", "nolabel.csv": "nolabel.csv … label",
			"ALLAML ALLAML2": "ALLAML2", "ALAML": "ALAML … ALLAML", "cohort.csv --label=diagnosys": "diagnosys … diagnosis",
		}},
		{"fit --label=diagnosis", map[string]string{
			"ragged.csv": "ragged.csv … 14", "text.csv": "text.csv … g3 … high", "nan.csv": "nan … g3 … missing", "cohort.csv --k=9": "k = 9 … 5",
			"one.csv --k=2": "one … class", "single.csv --k=2": "odd … one sample",
		}},
		{"fit ALLAML", map[string]string{
			"--k 5 --k=6": "--k is given twice - give it once", "--k 5 --k 5": "--k is given twice", "--output a.json -o b.json": "--output is given twice",
			"--k 0": "k … 0 … out of range", "--epochs=-5": "epochs … -5", "--epoch=5": "--epoch … did you mean --epochs", "-k 5": "unknown option -k - did you mean --k?",
			"--selector-growth=3": "unknown option --selector-growth - it is a rule of the protocol", "-z": "unknown option -z - fsnet fit --help lists them", "--label": "--label has no value - ", "--json=x": "--json=x is neither true nor false - ",
			"---k": `"---k" is not an option - `, "--backend=xla:gpu": "xla:gpu … did you mean xla:c", "--schedule hold:0": "schedule … hold:0",
			"--output /nonexistent/dir/out.json": "/nonexistent/dir/out.json", "--output folder": "is a directory",
			"--k=200000 --backend=go": "k = 200000 is more than the 7129 features of ALLAML - use k=7129 or less", "--picture=a.svg": "add --replicas R",
			"--workers=2": "add --replicas R", "--replicas=0": "replicas = 0", "--replicas=100001": "choose 1 to 100000", "--replicas=many": "replicas = many",
		}},
		{"fit cohort.csv --label=diagnosis --backend=go", map[string]string{
			"--save /nonexistent/dir/m.safetensors": "the output /nonexistent/dir/m.safetensors cannot be written", "--save folder": "is a directory",
			"--save /dev/null": "is not a regular file", "--save cohort.csv": "--save cohort.csv is an input file", "--save link.csv": "link.csv is an input file",
			"--output folder/a --save folder/./a": "is the file of --output", "--output cohort.csv": "--output cohort.csv is an input file",
			"--save rows.jsonl": "rows.jsonl is there already", "--output rows.jsonl": "rows.jsonl is there already",
			"--must lines --output lines": "is an input file", "--symbols lines --save lines": "is an input file",
		}},
		{"fit ALLAML --replicas=2", map[string]string{
			"--workers=0": "workers = 0", "--seed=9223372036854775807": "choose a smaller seed", "--picture=a.gif": "a.gif",
			"--save m.safetensors": "m-seed1.safetensors is a directory", "--save x.json --output x-seed0.json": "is the file of --output",
			"--picture x.json --output x.json": "is the file of --output", "--output /nonexistent/out.json": "/nonexistent/out.json",
			"--symbols genes.tsv": "--symbols names the features of one training",
		}},
		{"bench", map[string]string{
			"--steps 0": "--steps 0", "--d 3": "--d 3", "--d -1": "--d -1", "ALLAML --d 100": "--d 100", "ALLAML GLIOMA": "GLIOMA", "ALLAML --data=ALLAML": "--data",
			"nothing-here.mat": "nothing-here.mat", "--d 20 --k 21 --backend=go": "k = 21", "--backend xla:gpu": "xla:c",
			"--inputs /nonexistent/dir/file --d=20": "/nonexistent/dir",
		}},
		{"compare -q", map[string]string{
			"": "no data set", "ALLAML ALLAML": "two data sets are called ALLAML", "ALLAML ALAML": "ALLAML",
			"cohort.csv --label=diagnosis --output cohort.csv":                       "is an input file",
			"cohort.csv --label=diagnosis --report cohort.csv":                       "is an input file",
			"cohort.csv --label=diagnosis -o r.jsonl --report r.jsonl":               "is the file of --output",
			"one.csv --label=diagnosis --samples=sample --k=2 --methods=anova":       "one class",
			"ALLAML --methods=mine=./none.py":                                        "there is no program ",
			"cohort.csv --label=diagnosis --task regression --k=2 --methods=rainbow": "rainbow",
		}},
		{"compare -q ALLAML", map[string]string{
			"--methods=mrrm": "did you mean mrmr?",
			"--k=10,x":       "k = x is not a valid number", "--k=10,": "k =  is not a valid number", "--k=0": "k = 0 is not a valid number", "--splits=0": "splits = 0", "--json --csv": "both --json and --csv",
			"--progress=bar": "progress = bar - use --progress json", "--split=2": "split", "--test-fraction=1": "test_fraction", "--method=svm": "did you mean --methods?",
			"--test-fraction=0":                  "test_fraction = 0 leaves no row to test on - leave it out, or use test_fraction=0.5",
			"--output /nonexistent/dir/rows.csv": "/nonexistent/dir/rows.csv", "--output folder": "is a directory", "--splits 2 --folds=4": "both --splits 2 and --folds 4",
			"--output other.jsonl": "line 1 is not a row of fsnet",
		}},
		{"compare", map[string]string{
			"plan": "no data set", "plan cohort.csv --label=diagnosis -o cohort.csv": "--output cohort.csv is an input file",
			"plan cohort.csv --label=diagnosis -o no/plan.json": "no/plan.json",
			"run":           "run takes one plan, not 0 arguments - as in: fsnet compare run plan.json --part 3/20 -o rows-3.jsonl",
			"run plan.json": "no --output", "run plan.json -o plan.json": "--output plan.json is an input file", "run plan.json -o a.csv": "name it a.jsonl",
			"run none.json -o a.jsonl": "none.json cannot be read", "run broken.json -o a.jsonl": "broken.json: not a plan of fsnet compare",
			"run many.json -o a.jsonl": "use fsnet replicas run", "run plan.json -o a.jsonl --part=2": "part = 2 - write --part i/N",
			"run plan.json -o a.jsonl --part=3/2": "part 3/2", "run plan.json -o a.jsonl --part=1/2 --cell=0": "both --part and --cell",
			"run plan.json -o a.jsonl --cell=0": `no cell "0"`, "merge rows.jsonl": "no plan among 1 file",
			"merge plan.json plan.json":             "got two plans, plan.json and plan.json",
			"merge plan.json rows.jsonl half.jsonl": `half.jsonl ends in the middle of a row: "{\"dataset\":\"cohort\"`,
			"merge plan.json other.jsonl":           "other.jsonl: line 1 is not a row of fsnet", "merge plan.json none.jsonl": "none.jsonl cannot be read",
			"merge plan.json rows.jsonl --json --csv": "both --json and --csv",
		}},
		{"replicas", map[string]string{
			"plan --replicas=3": "no data set", "plan ALLAML": "no --replicas", "plan " + cells + " --replicas=2 --k=9": "--k is given twice",
			"run others.json -o many.jsonl": "of other settings: lambda = 1, and now 0.5", "merge others.json many.jsonl": "of other settings: lambda = ",
			"merge many.json": "no replicas in 0 files",
		}},
		{"tune cohort.csv --label=diagnosis --samples=sample --test-fraction=0.3 --backend=go -q", map[string]string{
			"": "no grid: nothing to choose from", "--grid=k=1": "nothing to choose from", "--grid=k=1,2 --k=3": "k is in the grid, but also given as 3",
			"--grid=k=1,2 --picture=x.gif": "does not say which form", "--grid=k=1,2 --picture=/nowhere/x.svg": "/nowhere",
			"--grid=k=1,2 --judge=svn": "did you mean svm?", "--grid=k=2,9": "k = 9 is more than the 5 features of cohort - give values of k up to 5", "--grid=k=1,2 --progress=yes": "use --progress json",
		}},
		{"sweep ALLAML --grid", map[string]string{"k=1,2\x00lambda=0,1": "sweep one", "\x00": "no grid"}},
		{"stability", map[string]string{
			"": "no data set", "cohort.csv --pairs=0": "pairs = 0", "cohort.csv --progress=text": "progress = text", "cohort.csv --html=cohort.csv": "is an input file",
			"cohort.csv --pair=3": "unknown option --pair", "ALLAML --evaluate --test-fraction=0": "leaves no row to test on", "cohort.csv --html=cohort.csv/x.html": "the output",
			"cohort.csv --label=diagnosis --samples=sample --k=9": "k = 9 is more than",
		}},
		{"judge cohort.csv --label=diagnosis --samples=sample --backend=go", map[string]string{
			"": "no panel", "--features=g9": `no feature "g9" - name features as`, "--features=g1 --k=3": "--k 3", "--features=g1 --splits=0": "splits = 0",
		}},
		{"predict", map[string]string{
			"m.safetensors": "takes a model and a data set, not 1 argument", "m.safetensors cohort.csv --json --csv": "both --json and --csv",
			"cohort.csv cohort.csv": "is not a saved model of fsnet: it seems to be data (table)", "nothing.safetensors cohort.csv": "no such file",
			"cohort.csv m.safetensors": "the model comes first",
		}},
		{"planted cohort.csv --label=diagnosis --samples=sample --k=2 --backend=go -q", map[string]string{
			"--kinds=linear,cubes": "cubes", "--strength=-1": "-1", "--causal=400": "400", "--kinds=linear --causal=9": "use --causal 5", "-o cohort.csv": "cohort.csv",
		}},
	} {
		for line, want := range group.lines {
			args := strings.Fields(group.with + " " + line)
			for i := range args { // \x00 is a blank in a word
				args[i] = strings.TrimSpace(strings.ReplaceAll(args[i], "\x00", " "))
			}
			out, messages, status := command(t, args...)
			messages = strings.TrimPrefix(messages, "2 of 2 rows are missing, the first is cohort, k = 2, seed 0\n")
			if status != 2 || out != "" || strings.Count(messages, "\n") != 1 || strings.Contains(messages, "goroutine") {
				t.Errorf("%q: status %d, output %q, not one line: %q", args, status, out, messages)
			}
			for part := range strings.SplitSeq(want, " … ") {
				if !strings.Contains(messages, part) {
					t.Errorf("%q: %q does not say %q", args, messages, part)
				}
			}
		}
	}
	// .fsnet holds looks, and report looks for a session in it.
	visible := func(list []string) []string {
		return slices.DeleteFunc(list, func(name string) bool { return name == ".fsnet" })
	}
	if after := names(t, "."); !slices.Equal(visible(after), visible(before)) {
		t.Errorf("%q were there, and now %q", before, after)
	}
	for name, want := range map[string]string{"cohort.csv": good, "other.jsonl": "a,b\n1,2\n"} {
		if text, err := os.ReadFile(name); err != nil || string(text) != want {
			t.Errorf("%s was changed, %v", name, err)
		}
	}
}
