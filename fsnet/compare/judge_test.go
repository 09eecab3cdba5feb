package compare

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/fault"
)

// What cannot be judged is not fitted first: the judge's kernel of a million rows has room on no machine.
func TestWhatCannotBeJudgedIsRefusedBefore(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("SKIPPED: nobody says how much memory there is")
	}
	rows := make([][]float64, 1_000_000)
	for i := range rows {
		rows[i] = []float64{float64(i)}
	}
	p := &part{judges: []string{SVM}, training: baseline.Data{Rows: rows, Y: make([]int, len(rows)), Classes: 2}}
	row := Row{Identity: Identity{K: 1}}
	err := p.fit(t.Context(), Method{Name: "anova", Selects: true}, nil, &row) // a fitter that is nil would panic
	if !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "svm: 1000000 rows of 1 feature need 8034.4 GB more") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	if err := p.train(t.Context(), Method{}, nil, nil, &row); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "svm: 1000000 rows") {
		t.Errorf("fsnet: %v", err)
	}
}

func TestJudgeByRefuses(t *testing.T) {
	p := some(t, "random", 1, 3)
	for want, names := range map[string][]string{
		`judge = "svn" is not known - did you mean svm?`: {"knn", "svn"},
		"judge = knn is named twice":                     {"knn", "svm", "knn"},
	} {
		if err := p.JudgeBy(names); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// A comparison by other judges is another one, a plan's listing says which they are, and who is first decides what methods are ranked by.
func TestJudgesBesideTheSVM(t *testing.T) {
	p := some(t, "fsnet,random,anova", 3, 2)
	alone := made(t, p, nil)
	if err := p.JudgeBy([]string{KNN}); err != nil {
		t.Fatal(err)
	}
	rows := made(t, p, nil)
	if err := p.Check("go", alone); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "judged by svm, and now by svm and knn") {
		t.Error(err)
	}
	_, again := listingOf(t, p)
	if again.Judge() != KNN {
		t.Errorf("the listing's first judge is %s", again.Judge())
	}
	merged, err := again.Merge("go", []File{{"rows.csv", rows}})
	if err != nil || !reflect.DeepEqual(Summarize(again, merged), Summarize(p, rows)) {
		t.Errorf("%v: merged %+v", err, merged)
	}
	table := Summarize(p, rows)[0]
	random, fsnet := map[int]float64{}, 0.0
	for _, row := range rows {
		switch row.Method {
		case "random":
			random[row.Split] = *row.AccuracyKNN
		case FsNet:
			fsnet += *row.AccuracyKNN / 3
		}
	}
	mean := (random[0] + random[1] + random[2]) / 3
	if got := table.Entries[1].AgainstFsNet.Difference; got < mean-fsnet-1e-12 || got > mean-fsnet+1e-12 || table.Judge != KNN {
		t.Errorf("tested by %s: random is %v above FsNet, by hand %v", table.Judge, got, mean-fsnet)
	}
	if err := p.JudgeBy([]string{SVM, KNN}); err != nil {
		t.Fatal(err)
	}
	if err := p.Check("go", rows); err != nil { // who is first is no part of the rows
		t.Error(err)
	}
	if s := Summarize(p, rows)[0]; s.Judge != SVM || s.Entries[0].AccuracyKNN == nil {
		t.Errorf("%+v", s)
	}
}
