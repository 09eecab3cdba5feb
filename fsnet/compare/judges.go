package compare

import (
	"fmt"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
)

// The judges: a predictor that is trained, at its defaults, on the features that a method selected. The SVM, the paper's, judges classes,
// and the kernel ridge regression quantities.
const (
	SVM         = "svm"
	KernelRidge = "kernel-ridge"
)

// Judge is the name of the plan's.
func (p *Plan) Judge() string { return p.judge().Entry().Name }

func (p *Plan) judge() baseline.Method {
	if p.Settings.Regression() {
		return comparators.KernelRidge{}
	}
	return comparators.SVM{}
}

// figure is the judge's accuracy, or of a quantity R².
func (r *Row) figure() *float64 {
	if r.R2 != nil {
		return r.R2
	}
	return r.AccuracySVM
}

// judgeVersion is rowsVersion and, after a dot, the version of the SVM, or of a quantity the name and version of its judge, as in
// 1+kernel-ridge.1.
func (p *Plan) judgeVersion() string {
	e := p.judge().Entry()
	if p.Settings.Regression() {
		return fmt.Sprintf("%d+%s.%d", rowsVersion, e.Name, e.Version)
	}
	return fmt.Sprintf("%d.%d", rowsVersion, e.Version)
}
