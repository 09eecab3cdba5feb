package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/study"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/safetensors"
	"fsnetlab/internal/system"
	"fsnetlab/tests/kit/otheruser"
)

// A folder that may not be written to is named, and nothing is computed.
func TestReproduceInAClosedFolder(t *testing.T) {
	closed := otheruser.Directory(t)
	if err := os.Chmod(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{closed, filepath.Join(closed, "paper")} {
		cmd := otheruser.Unprivileged(t, "reproduce", "table1", "--data", "ALLAML", "--backend", "go", "-q", "-o", folder)
		cmd.Env = append(cmd.Env, asProgram+"=1")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), folder) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s: %v, %s", folder, err, out)
		}
	}
}

// features are those of the tests' data.
const features = 40

// data is a small file of two classes that a paper's data set is taken for.
func data(t *testing.T) string {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	text := "class"
	for j := range features {
		text += fmt.Sprintf(",g%d", j)
	}
	for i := range 24 {
		text += "\n" + []string{"sick", "well"}[i%2]
		for j := range features {
			text += fmt.Sprintf(",%.4f", random.NormFloat64()+float64(i%2*(j%5/4)))
		}
	}
	path := filepath.Join(t.TempDir(), "small.csv")
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const methods = "fsnet:protocol=paper,epochs=4,fsnet:epochs=4,cae-supervised:epochs=2,tries=1,mrmr,anova,svm"

// asked are the arguments of a small reproduction of a target.
func asked(target, file, folder string, more ...string) []string {
	return append([]string{target, "--data", "GLIOMA=" + file, "--methods", methods, "--k", "10", "--splits", "3", "--seed", "7",
		"--backend", "go", "-o", folder, "-q"}, more...)
}

func reproduced(ctx context.Context, messages *reproduceCancelling, args ...string) (string, error) {
	var out bytes.Buffer
	c := newReproduceCommand()
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	c.SetOut(&out)
	if messages == nil {
		messages = new(reproduceCancelling)
	}
	c.SetErr(messages)
	err := c.ExecuteContext(ctx)
	return out.String(), err
}

// reproduceCancelling ends a run after so many lines of progress; 0 is never.
type reproduceCancelling struct {
	bytes.Buffer
	after int
	end   context.CancelFunc
}

func (c *reproduceCancelling) Write(p []byte) (int, error) {
	if c.after--; c.after == 0 {
		c.end()
	}
	return c.Buffer.Write(p)
}

func reproduceText(t *testing.T, folder, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// figures are the rows of a folder without what differs between two runs.
func figures(t *testing.T, folder string) string {
	t.Helper()
	rows, half, err := study.ReadRows([]byte(reproduceText(t, folder, "rows.jsonl")))
	if err != nil || len(half) > 0 {
		t.Fatal(err, half)
	}
	text := ""
	for _, row := range rows {
		line, err := row.Timeless().Line()
		if err != nil {
			t.Fatal(err)
		}
		text += string(line)
	}
	return text
}

// One that was stopped in the middle, and left half a row, comes to what one comes to that was not; made again it changes nothing.
func TestAStoppedReproductionGoesOn(t *testing.T) {
	file, straight, stopped := data(t), t.TempDir(), t.TempDir()
	if _, err := reproduced(t.Context(), nil, asked("all", file, straight)...); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	args := asked("all", file, stopped)
	args = append(slices.Clone(args[:len(args)-1]), "--progress", "json")
	if _, err := reproduced(ctx, &reproduceCancelling{after: 9, end: end}, args...); !errs.Is(err, errs.Interrupted) {
		t.Fatalf("not interrupted: %v", err)
	}
	before := figures(t, stopped)
	if n := strings.Count(before, "\n"); n < 3 || n >= strings.Count(figures(t, straight), "\n") {
		t.Fatalf("stopped with %d lines", n)
	}
	if got := reproduceText(t, stopped, "reproduction.md"); !strings.Contains(got, "rows are missing") {
		t.Errorf("the report does not say that rows are missing:\n%s", got)
	}
	path := filepath.Join(stopped, "rows.jsonl")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("small,anova,10,2,9,0.4"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := reproduced(t.Context(), nil, asked("all", file, stopped)...); err != nil {
		t.Fatal(err)
	}
	if got, want := figures(t, stopped), figures(t, straight); got != want {
		t.Errorf("after it was stopped:\n%s\nand without:\n%s", got, want)
	}
	for _, name := range []string{"reproduction.md", "reproduction.html"} {
		first := reproduceText(t, straight, name)
		if name == "reproduction.md" && reproduceText(t, stopped, name) != first {
			t.Errorf("%s differs:\n%s\n%s", name, reproduceText(t, stopped, name), first)
		}
		if _, err := reproduced(t.Context(), nil, asked("all", file, straight)...); err != nil {
			t.Fatal(err)
		}
		if reproduceText(t, straight, name) != first {
			t.Errorf("made again, %s is another", name)
		}
	}
	html := reproduceText(t, straight, "reproduction.html")
	for _, want := range []string{"<svg", "default-src 'none'", "CLL_SUB"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(html, "<script") || strings.Contains(html, "<link") || strings.Contains(html, "src=\"http") {
		t.Error("the page needs something else")
	}
}

// lines are those of the report that begin so.
func lines(report, prefix string) (list []string) {
	for l := range strings.SplitSeq(report, "\n") {
		if strings.HasPrefix(l, prefix) {
			list = append(list, l)
		}
	}
	return list
}

// Every cell of the paper is there, by name, where its data are missing too.
func TestMissingDataAreNamed(t *testing.T) {
	folder := t.TempDir()
	if _, err := reproduced(t.Context(), nil, asked("table1", data(t), folder)...); err != nil {
		t.Fatal(err)
	}
	report := reproduceText(t, folder, "reproduction.md")
	for _, name := range publishedRows(published(), "table1") {
		got := lines(report, "| "+name+" | ")
		if name != "GLIOMA" {
			// five methods with a column in the paper, beside the line of the data
			if len(got) != 6 || !strings.Contains(got[1], "left out") || !strings.Contains(got[1], "| 0 | – |") {
				t.Errorf("%s: %q", name, got)
			}
			continue
		}
		if len(got) != 7 || !strings.Contains(got[0], "not the paper's: 24 rows × 40 features in 2 classes, and in the paper 50 × 4434 in 4") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := lines(report, "| CLL_SUB | 10 | mRMR"); len(got) != 1 || !strings.Contains(got[0], "| N/A |") {
		t.Errorf("%q", got)
	}
	if got := lines(report, "| GLI_85 | 10 | CAE"); len(got) != 1 || !strings.Contains(got[0], "| 0.884 |") {
		t.Errorf("%q", got)
	}
}

// The accuracies of the table against plain means and differences of the file's rows.
func TestAccuraciesAreMeansOfRows(t *testing.T) {
	folder := t.TempDir()
	if _, err := reproduced(t.Context(), nil, asked("table1", data(t), folder)...); err != nil {
		t.Fatal(err)
	}
	rows, _, err := study.ReadRows([]byte(reproduceText(t, folder, "rows.jsonl")))
	if err != nil {
		t.Fatal(err)
	}
	report := reproduceText(t, folder, "reproduction.md")
	for _, c := range []struct {
		method, column string
		paper          float64
		own            bool
	}{
		{"fsnet:protocol=paper,epochs=4", "FsNet", 0.624, true}, {"cae-supervised:epochs=2,tries=1", "CAE", 0.584, true}, {"mrmr", "mRMR",
			0.564, false},
	} {
		sum := 0.0
		for _, r := range rows {
			if r.Method == c.method {
				if c.own {
					sum += *r.Own
				} else {
					sum += *r.Score
				}
			}
		}
		got := lines(report, "| GLIOMA | 10 | "+c.column+" | "+c.method)
		if mean := sum / 3; len(got) != 1 || !strings.Contains(got[0], fmt.Sprintf("| 3 | %.3f ± ", mean)) || !strings.Contains(got[0],
			fmt.Sprintf("| %+.3f |", mean-c.paper)) {
			t.Errorf("%s: %q; the mean is %.4f", c.method, got, mean)
		}
	}
}

// The networks' parameters, counted from the paper's architecture: d→K→64→32→16(→C)→32→64→d. Every layer has biases but the selection and
// FsNet's virtual layers; CAE's last one has a bias for each feature.
func inNetwork(k, classes int) int {
	sum, width := 0, k
	for _, next := range []int{64, 32, 16} {
		sum, width = sum+width*next+next, next
	}
	sum += 16*classes + classes
	for _, next := range []int{32, 64} {
		sum, width = sum+width*next+next, next
	}
	return sum
}

func fsnetParameters(k, bins, classes int) int { return bins*k + inNetwork(k, classes) + bins*64 }
func caeParameters(k, d, classes int) int      { return d*k + inNetwork(k, classes) + 64*d + d }

// Counted sizes are those of the architecture, and so are the paper's: two numbers of 32 bits for each parameter, in units of 1024
// bytes, and beside them what Keras needs to describe the network, the same for all but for roundings.
func TestSizesAreTheArchitectures(t *testing.T) {
	folder := t.TempDir()
	if _, err := reproduced(t.Context(), nil, asked("table2", data(t), folder)...); err != nil {
		t.Fatal(err)
	}
	report := reproduceText(t, folder, "reproduction.md")
	fsnet, cae := fsnetParameters(10, 10, 2), caeParameters(10, features, 2)
	for prefix, want := range map[string]int{"| GLIOMA | FsNet | fsnet:protocol=paper,epochs=4 | ": fsnet, "| GLIOMA | CAE | ": cae} {
		got := lines(report, prefix)
		kib := float64(8*want) / 1024
		if len(got) != 1 || !strings.Contains(got[0], fmt.Sprintf("| %d | ", want)) {
			t.Fatalf("%q, with %d parameters", got, want)
		}
		var disk float64
		fields := strings.Split(got[0], "|")
		if _, err := fmt.Sscan(fields[5], &disk); err != nil || disk < kib || disk > kib+1 {
			t.Errorf("%g KiB on disk, %g of numbers: %v", disk, kib, err)
		}
	}
	ratio := lines(report, "| GLIOMA | fsnet:protocol=paper,epochs=4 | ")
	if want := fmt.Sprintf("| %.1f | ", float64(cae)/float64(fsnet)); len(ratio) != 1 || !strings.Contains(ratio[0], want) {
		t.Errorf("%q, not %s", ratio, want)
	}
	if _, err := os.Stat(filepath.Join(folder, "rows.jsonl")); err == nil {
		t.Error("table 2 trained networks, and has but to count them")
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, name := range publishedRows(published(), "table2") {
		classes, _, d := paperShape(published(), name)
		for column, parameters := range map[string]int{"FsNet": fsnetParameters(10, 10, classes), "CAE": caeParameters(10, d, classes)} {
			beside := *findPublished(published(), "table2", name, column, 10).Value - float64(8*parameters)/1024
			low, high = min(low, beside), max(high, beside)
		}
	}
	if low < 54 || high > 60 {
		t.Errorf("beside two numbers a parameter the paper's files have %.1f to %.1f KiB", low, high)
	}
}

// What a training writes down of itself has two numbers of 32 bits for each parameter, as the size on disk supposes.
func TestTwoNumbersAParameterAreKept(t *testing.T) {
	settings, err := config.Config{Data: data(t), Protocol: config.Paper, K: 10, Backend: "go"}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(t.Context(), settings, "")
	if err != nil {
		t.Fatal(err)
	}
	on, err := device.Open(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()
	training, err := train.Open(t.Context(), on, d, settings)
	if err != nil {
		t.Fatal(err)
	}
	defer training.Close()
	save, err := training.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "checkpoint.safetensors")
	if err := save(path); err != nil {
		t.Fatal(err)
	}
	file, err := safetensors.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for name, tensor := range file.Tensors {
		size := 1
		for _, n := range tensor.Shape {
			size *= n
		}
		word, _, _ := strings.Cut(name, "/")
		count[word] += size
	}
	if want := fsnetParameters(10, 10, 2); count["parameters"] != want || count["rmsprop"] != want {
		t.Errorf("%v, not %d", count, want)
	}
}

// A curve ends where the row of its training is.
func TestCurvesEndAtTheirRows(t *testing.T) {
	file, folder := data(t), t.TempDir()
	if _, err := reproduced(t.Context(), nil, asked("figures", file, folder, "--methods", methods+",dietnet:epochs=3")...); err != nil {
		t.Fatal(err)
	}
	rows, _, err := study.ReadRows([]byte(reproduceText(t, folder, "rows.jsonl")))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, r := range rows {
		epochs := 4.0
		switch paperColumn("table1", r.Method) {
		case "CAE":
			epochs = 2
		case "Diet-net":
			epochs = 3
		case "SVM": // a level in the panels
			continue
		case "FsNet":
		default:
			t.Errorf("the figures need no row of %s", r.Method)
			continue
		}
		c, err := readCurve(filepath.Join(folder, "curves", r.ID()+".json"), r.Identity)
		if err != nil {
			t.Fatal(err)
		}
		last := len(c.Epochs) - 1
		if c.Test[last] != *r.Own || c.Epochs[last] != epochs || !(c.Reconstruction[last] > 0) {
			t.Errorf("%s, split %d: the curve ends with %+v, the row with %g", r.Method, r.Split, c, *r.Own)
		}
		seen++
	}
	report := reproduceText(t, folder, "reproduction.md")
	if got := lines(report, "| GLIOMA | cae-supervised"); !strings.Contains(report, "Means over 3 splits, ± one standard deviation") || len(got) == 0 ||
		strings.Count(got[0], " ± ") != 3 {
		t.Errorf("of the means over splits the report says %q", got)
	}
	if seen != 12 {
		t.Errorf("%d curves", seen)
	}
	a := averageCurves([]curve{
		{Identity: study.Identity{Dataset: "a", Method: "m"}, Epochs: []float64{1, 2, 3}, Train: []float64{0, 1, 1}, Test: []float64{0, 0,
			1}, Reconstruction: []float64{4, 2, 1}},
		{Identity: study.Identity{Dataset: "a", Method: "m", Split: 1}, Epochs: []float64{1, 2}, Train: []float64{1, 0}, Test: []float64{1,
			1}, Reconstruction: []float64{2, 1}},
	})
	if got := fmt.Sprint(a); got != "[{a m 2 [1 2 3] {[0.5 0.5 0.5] [0.7071067811865476 0.7071067811865476 0.7071067811865476]} "+
		"{[0.5 0.5 1] [0.7071067811865476 0.7071067811865476 0]} {[3 1.5 1] [1.4142135623730951 0.7071067811865476 0]}}]" {
		t.Errorf("averaged: %s", got)
	}
}

func TestReproduceRefuses(t *testing.T) {
	file, folder := data(t), t.TempDir()
	if _, err := reproduced(t.Context(), nil, asked("figures", file, folder)...); err != nil {
		t.Fatal(err)
	}
	rows := reproduceText(t, folder, "rows.jsonl")
	inFile := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(inFile, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	changed := func(old, new string) func() {
		return func() {
			if !strings.Contains(rows, old) {
				t.Fatalf("no %q in %s", old, rows)
			}
			if err := os.WriteFile(filepath.Join(folder, "rows.jsonl"), []byte(strings.Replace(rows, old, new, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		args   []string
		before func()
		kind   errs.Kind
		want   string
	}{
		"no target":        {args: []string{"-o", folder}, want: `nothing to reproduce is named - name one of table1`},
		"another target":   {args: []string{"table4", "-o", folder}, want: "did you mean table1"},
		"no folder":        {args: []string{"table1"}, want: "no --output"},
		"a file as folder": {args: asked("figures", file, filepath.Join(inFile, "x")), want: "cannot be made"},
		"unknown data":     {args: []string{"table1", "--data", "LEUKEMIA", "-o", folder}, want: `the paper has no data set "LEUKEMIA"`},
		"data twice":       {args: []string{"table1", "--data", "GLIOMA,GLIOMA=x.mat", "-o", folder}, want: "names GLIOMA twice"},
		"no such file":     {args: asked("table1", file+"x", folder), kind: errs.NotFound, want: "small.csvx"},
		"unknown method": {args: asked("table1", file, folder, "--methods", "mrmrr"), kind: errs.NotFound,
			want: `there is no method "mrmrr"`},
		"another seed":             {args: asked("figures", file, folder, "--seed", "8"), want: "of another first seed, 7 and not 8"},
		"fewer methods":            {args: asked("figures", file, folder, "--methods", "mrmr"), want: "a row that was not asked for"},
		"a row of another version": {before: changed(`"version":1,`, `"version":9,`), args: asked("figures", file, folder), want: "of version 9 of"},
		"a row of another device": {before: changed(`"device":"go"`, `"device":"xla:cuda"`), args: asked("figures", file, folder),
			want: "made on xla:cuda, and this is go"},
		"no rows": {before: changed(`"dataset"`, `"name"`), args: asked("figures", file, folder),
			want: "line 1 is not a row of fsnet"},
	} {
		changed("dataset", "dataset")()
		if c.before != nil {
			c.before()
		}
		kind := c.kind
		if kind == "" {
			kind = errs.Request
		}
		_, err := reproduced(t.Context(), nil, c.args...)
		if err == nil || !errs.Is(err, kind) || !strings.Contains(errs.Of(err).Error(), c.want) || strings.Contains(errs.Of(err).Error(),
			"\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	changed("dataset", "dataset")()
	if _, err := reproduced(t.Context(), nil, asked("figures", file, folder)...); err != nil {
		t.Fatal(err)
	}
	curves, err := filepath.Glob(filepath.Join(folder, "curves", "*.json"))
	if err != nil || len(curves) != 9 {
		t.Fatal(curves, err)
	}
	other := reproduceText(t, "", curves[1])
	for name, content := range map[string]string{"half a curve": other[:len(other)/2], "another's": other} {
		if err := os.WriteFile(curves[0], []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := reproduced(t.Context(), nil, asked("figures", file, folder)...); !errs.Is(err,
			errs.Request) || !strings.Contains(err.Error(), curves[0]) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Two at once: the second is refused.
func TestOneReproductionAtATime(t *testing.T) {
	file, folder := data(t), t.TempDir()
	held, err := system.TakeLock(filepath.Join(folder, ".lock"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = reproduced(t.Context(), nil, asked("table2", file, folder)...)
	if !errs.Is(err, errs.Busy) || !strings.Contains(err.Error(), "is in use by process") {
		t.Errorf("%v", err)
	}
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err = reproduced(t.Context(), nil, asked("table2", file, folder)...); err != nil {
		t.Error(err)
	}
}

// tabular is the rows of cells of the tabular before a label of the paper, or, where the label stands in the caption above, after it.
func tabular(t *testing.T, tex, label string) [][]string {
	t.Helper()
	at := strings.Index(tex, `\label{`+label+`}`)
	if at < 0 {
		t.Fatalf("the paper has no %s", label)
	}
	from, to := strings.LastIndex(tex[:at], `\begin{table}`), strings.Index(tex[at:], "table}")
	if w := strings.LastIndex(tex[:at], `\begin{wraptable}`); w > from {
		from = w
	}
	if w := strings.LastIndex(tex[:at], `\begin{table*}`); w > from {
		from = w
	}
	_ = to
	body := tex[from:]
	body = body[strings.Index(body, `\begin{tabular}`):]
	body = body[:strings.Index(body, `\end{tabular}`)]
	body = body[strings.Index(body, "\n"):]
	clean := strings.NewReplacer(`\hline`, "", `\_`, "_", `\textbf`, "", `\bf`, "", "{", "", "}", "", `$^\ast$`, "", "$", "", `\pm`, "±",
		`\\`, "\n")
	var rows [][]string
	for _, line := range strings.Split(clean.Replace(strings.ReplaceAll(body, "\n", " ")), "\n") {
		var cells []string
		for _, c := range strings.Split(line, "&") {
			cells = append(cells, strings.TrimSpace(c))
		}
		if len(cells) > 1 {
			rows = append(rows, cells)
		}
	}
	return rows
}

// The figures are the paper's: all of them, and none besides.
func TestPublishedFiguresAreThePapers(t *testing.T) {
	path := filepath.Join(cmp.Or(os.Getenv("FSNET_SHARED"), filepath.Join("..", "..", "..", "..", "shared")), "paper", "fsnet.tex")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("SKIPPED: the paper's text, %s, is not there to check the figures against (set FSNET_SHARED)", path)
	}
	tex := regexp.MustCompile(`\\multicolumn\{2\}\{c\}`).ReplaceAllString(string(text), "")
	var want []string
	add := func(fields ...string) { want = append(want, strings.Join(fields, "|")) }
	isData := func(name string) bool { return slices.Contains(publishedRows(published(), "datasets"), name) }
	for _, row := range tabular(t, tex, "tab:allacc") {
		if !isData(row[0]) {
			continue
		}
		for i, column := range []string{"FsNet", "CAE", "HSIC", "mRMR"} {
			add("table1", row[0], column, "10", row[1+i], "")
			add("table1", row[0], column, "50", row[5+i], "")
		}
		add("table1", row[0], "SVM", "0", row[9], "")
		add("table1", row[0], "Diet-net", "0", row[10], "")
	}
	for _, row := range tabular(t, tex, "tab:modelsize") {
		for i, column := range []string{"FsNet", "CAE", "Compression ratio"} {
			if isData(row[0]) {
				add("table2", row[0], column, "10", row[1+i], "")
			}
		}
	}
	for _, row := range tabular(t, tex, "tab:metagenome_accruacy") {
		for i, cell := range row[1:] {
			mean, sd, ok := strings.Cut(cell, "±")
			if !ok {
				continue
			}
			k := []string{"50", "100"}[i]
			if len(row) == 2 {
				k = "0" // of all features
			}
			add("table3", "metagenome", row[0], k, strings.TrimSpace(mean), strings.TrimSpace(sd))
		}
	}
	for _, row := range tabular(t, tex, "tab:datasets") {
		if isData(row[0]) {
			add("datasets", row[0], "Classes", "0", row[1], "")
			add("datasets", row[0], "Sample Size", "0", row[2], "")
			add("datasets", row[0], "Dimensions", "0", strings.ReplaceAll(row[3], ",", ""), "")
		}
	}
	var got []string
	for _, f := range published() {
		if f.Table == "text" {
			continue
		}
		got = append(got, strings.Join([]string{f.Table, f.Row, f.Column, strconv.Itoa(f.K), reproducePlain(f.Value), reproducePlain(f.SD)}, "|"))
	}
	for i, w := range want { // as numbers: 0.640 is 0.64
		fields := strings.Split(w, "|")
		for j := 4; j < 6; j++ {
			if v, err := strconv.ParseFloat(fields[j], 64); err == nil {
				fields[j] = reproducePlain(&v)
			}
		}
		if fields[4] == "N/A" {
			fields[4] = ""
		}
		want[i] = strings.Join(fields, "|")
	}
	slices.Sort(got)
	slices.Sort(want)
	if len(want) != 60+18+12+18 || !slices.Equal(got, want) {
		t.Errorf("%d figures here, %d in the paper:\n%s\n\n%s", len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, phrase := range []string{"359 healthy individuals and 958 patients", `7\,547 features`, "three additional features"} {
		if !strings.Contains(tex, phrase) {
			t.Errorf("the paper does not say %q of the metagenome", phrase)
		}
	}
}

func reproducePlain(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
