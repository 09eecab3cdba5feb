package main

import (
	"context"
	"fmt"
	"html"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/system"
)

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
	return instead([]string{target, "--data", "GLIOMA=" + file, "--methods", methods, "--k", "10", "--splits", "3", "--seed", "7",
		"--backend", "go", "-o", folder, "-q"}, more...)
}

func reproduced(ctx context.Context, messages io.Writer, args ...string) error {
	root := newRootCommand()
	root.SetArgs(append([]string{"reproduce"}, args...))
	root.SetOut(io.Discard)
	root.SetErr(messages)
	return root.ExecuteContext(ctx)
}

func reproduceText(t *testing.T, folder, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// reproduction is the text of the report, with its tables' rows as lines of cells between bars.
func reproduction(t *testing.T, folder string) string {
	t.Helper()
	page := reproduceText(t, folder, reproductionFile)
	for _, r := range [][2]string{{`</t[dh]><t[dh][^>]*>`, " | "}, {`<tr><t[dh][^>]*>`, "| "}, {`</t[dh]></tr>`, " |\n"}, {`<[^>]*>`, ""}} {
		page = regexp.MustCompile(r[0]).ReplaceAllString(page, r[1])
	}
	return html.UnescapeString(page)
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

// A reproduction that was stopped, and left half a row, gives the same results
// as an uninterrupted one. Another run changes nothing.
func TestReproduce_Continues(t *testing.T) {
	file, straight, stopped := data(t), t.TempDir(), t.TempDir()
	if err := reproduced(t.Context(), io.Discard, asked("all", file, straight)...); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	args := asked("all", file, stopped)
	args = append(slices.Clone(args[:len(args)-1]), "--progress", "json")
	if err := reproduced(ctx, &canceling{after: 8, cancel: end}, args...); !errs.Is(err, errs.Interrupted) {
		t.Fatalf("not interrupted: %v", err)
	}
	before := figures(t, stopped)
	if n := strings.Count(before, "\n"); n < 3 || n >= strings.Count(figures(t, straight), "\n") {
		t.Fatalf("stopped with %d lines", n)
	}
	if got := reproduction(t, stopped); !strings.Contains(got, "rows are missing") {
		t.Errorf("the report does not say that rows are missing:\n%s", got)
	}
	path := filepath.Join(stopped, "rows.jsonl")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"dataset":"small","method":"an`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := reproduced(t.Context(), io.Discard, asked("all", file, stopped)...); err != nil {
		t.Fatal(err)
	}
	if got, want := figures(t, stopped), figures(t, straight); got != want {
		t.Errorf("after it was stopped:\n%s\nand without:\n%s", got, want)
	}
	page := reproduceText(t, straight, reproductionFile)
	if again := reproduceText(t, stopped, reproductionFile); again != page {
		t.Errorf("after it was stopped the report differs:\n%s", again)
	}
	if err := reproduced(t.Context(), io.Discard, asked("all", file, straight)...); err != nil {
		t.Fatal(err)
	}
	if reproduceText(t, straight, reproductionFile) != page {
		t.Error("made again, the report is another")
	}
	for _, want := range []string{"<svg", "default-src 'none'", "CLL_SUB"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "<link") || strings.Contains(page, "src=\"http") {
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

// Every cell of the paper's table is there, by name, even if its data are
// missing. Accuracies are plain means and differences of the file's rows.
func TestReproduce_Table1(t *testing.T) {
	folder := t.TempDir()
	if err := reproduced(t.Context(), io.Discard, asked("table1", data(t), folder)...); err != nil {
		t.Fatal(err)
	}
	report := reproduction(t, folder)
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
	rows, _, err := study.ReadRows([]byte(reproduceText(t, folder, "rows.jsonl")))
	if err != nil {
		t.Fatal(err)
	}
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

// Counted sizes are those of the architecture, and so are the paper's: two
// 32-bit numbers for each parameter, in units of 1024 bytes, and what Keras
// needs to describe the network, the same for all except for rounding.
func TestReproduce_Sizes(t *testing.T) {
	folder := t.TempDir()
	if err := reproduced(t.Context(), io.Discard, asked("table2", data(t), folder)...); err != nil {
		t.Fatal(err)
	}
	report := reproduction(t, folder)
	fsnet, cae := fsnetParameters(10, 10, 2), caeParameters(10, features, 2)
	for prefix, want := range map[string]string{
		"| GLIOMA | FsNet | fsnet:protocol=paper,epochs=4 | ": fmt.Sprintf("| %d | %.1f | ", fsnet, float64(8*fsnet)/1024),
		"| GLIOMA | FsNet | fsnet:protocol=paper":             fmt.Sprintf("| %.1f | ", float64(cae)/float64(fsnet)),
		"| GLIOMA | CAE | ":                                   fmt.Sprintf("| %d | ", cae),
	} {
		if got := lines(report, prefix); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%q, not %s", got, want)
		}
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

// A curve ends at the row of its training.
func TestReproduce_CurvesEndAtTheirRows(t *testing.T) {
	file, folder := data(t), t.TempDir()
	if err := reproduced(t.Context(), io.Discard, asked("figures", file, folder, "--methods", methods+",dietnet:epochs=3")...); err != nil {
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
	report := reproduction(t, folder)
	if got := lines(report, "| GLIOMA | cae-supervised"); !strings.Contains(report, "Means over the splits, ± one standard deviation") || len(got) == 0 ||
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
	if got := fmt.Sprint(a); got != "[{a m 2 [1 2 3] [{[0.5 0.5 0.5] [0.7071067811865476 0.7071067811865476 0.7071067811865476]} "+
		"{[0.5 0.5 1] [0.7071067811865476 0.7071067811865476 0]} {[3 1.5 1] [1.4142135623730951 0.7071067811865476 0]}]}]" {
		t.Errorf("averaged: %s", got)
	}
}

// Unknown names, a folder that can't be made and rows of another run are
// rejected in one line.
func TestReproduce_Rejects(t *testing.T) {
	file, folder := data(t), t.TempDir()
	if err := reproduced(t.Context(), io.Discard, asked("figures", file, folder)...); err != nil {
		t.Fatal(err)
	}
	rows := filepath.Join(folder, "rows.jsonl")
	refused := func(want string, args []string) {
		t.Helper()
		err := reproduced(t.Context(), io.Discard, args...)
		if !errs.Is(err, errs.Request) && !errs.Is(err, errs.NotFound) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	for want, args := range map[string][]string{
		"nothing to reproduce is named - name one of table1": {"-o", folder},
		"did you mean table1":                                {"table4", "-o", folder},
		"no --output":                                        {"table1"},
		"cannot be made":                                     asked("figures", file, filepath.Join(rows, "x")),
		`the paper has no data set "LEUKEMIA"`:               {"table1", "--data", "LEUKEMIA", "-o", folder},
		"names GLIOMA twice":                                 {"table1", "--data", "GLIOMA,GLIOMA=x.mat", "-o", folder},
		"small.csvx":                                         asked("table1", file+"x", folder),
		"of another first seed, 7 and not 8":                 asked("figures", file, folder, "--seed", "8"),
		"rows.jsonl: a row that was not asked for":           asked("figures", file, folder, "--methods", "mrmr"),
	} {
		refused(want, args)
	}
	curves, err := filepath.Glob(filepath.Join(folder, "curves", "*.json"))
	if err != nil || len(curves) != 9 {
		t.Fatal(curves, err)
	}
	other := reproduceText(t, "", curves[1])
	for _, content := range []string{other[:len(other)/2], other} { // half a curve, and another's
		if err := os.WriteFile(curves[0], []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(curves[0], asked("figures", file, folder))
	}
}

// If two reproductions use one folder at the same time, the second is rejected.
func TestReproduce_Concurrent(t *testing.T) {
	file, folder := data(t), t.TempDir()
	held, err := system.TakeLock(filepath.Join(folder, ".lock"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	err = reproduced(t.Context(), io.Discard, asked("table2", file, folder)...)
	if !errs.Is(err, errs.Busy) || !strings.Contains(err.Error(), "is in use by process") {
		t.Errorf("%v", err)
	}
	if err := held.Release(); err != nil {
		t.Error(err)
	}
}
