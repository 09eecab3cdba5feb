package main

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

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
