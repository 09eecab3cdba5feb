package compare

import (
	"runtime"
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
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
	p := &part{judge: comparators.SVM{}, training: baseline.Data{Rows: rows, Y: make([]int, len(rows)), Classes: 2}}
	row := Row{Identity: Identity{K: 1}}
	err := p.fit(t.Context(), Method{Name: "anova", Selects: true}, nil, &row) // a fitter that is nil would panic
	if !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "svm: 1000000 rows of 1 feature need 8034.4 GB more") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	if err := p.train(t.Context(), Method{}, nil, nil, &row); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "svm: 1000000 rows") {
		t.Errorf("fsnet: %v", err)
	}
}
