package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/kernelridge"
	"fsnetlab/fsnet/baseline/logistic"
	"fsnetlab/fsnet/baseline/neighbours"
	"fsnetlab/fsnet/baseline/svm"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// The judges: what is trained on the features that a method selected, at its defaults. The SVM, the paper's, judges classes always, and
// [KernelRidge], alone, quantities.
const (
	SVM         = "svm"
	KNN         = "knn"
	Logistic    = "logistic"
	KernelRidge = "kernel-ridge"
)

// judges are their names, of those of classes.
func judges() []string { return []string{SVM, KNN, Logistic} }

// judgeNamed is the judge of a name that JudgeBy took.
func judgeNamed(name string) baseline.Method {
	return map[string]baseline.Method{SVM: svm.SVM{}, KNN: neighbours.KNN{}, Logistic: logistic.Regression{},
		KernelRidge: kernelridge.Regression{}}[name]
}

// JudgeBy adds judges to the SVM: [KNN] (k = 5) and [Logistic] (C = 1). Methods are ranked, and tested against FsNet, by the first of the
// list; without a list by the SVM. Rows that other judges have judged are other rows, whoever is first.
func (p *Plan) JudgeBy(names []string) error {
	if p.Settings.Regression() {
		if len(names) > 0 && !slices.Equal(names, []string{KernelRidge}) {
			return fault.New(fault.Request, "leave it out", "judge = %.60s, but a quantity is judged by %s", strings.Join(names, ","), KernelRidge)
		}
		return nil
	}
	for i, name := range names {
		switch {
		case !slices.Contains(judges(), name):
			return fault.New(fault.Request, suggest.DidYouMean(name, judges()), "judge = %.40q is not known", name)
		case slices.Contains(names[:i], name):
			return fault.New(fault.Request, "name it once", "judge = %s is named twice", name)
		}
	}
	p.judges = nil
	if len(names) > 0 {
		p.first = names[0]
	}
	for _, name := range judges()[1:] { // in one order, which the rows' identity has
		if slices.Contains(names, name) {
			p.judges = append(p.judges, name)
		}
	}
	return nil
}

// judgesInOrder is the list that JudgeBy takes to come to these judges; nil for the SVM alone.
func (p *Plan) judgesInOrder() []string {
	if len(p.judges) == 0 {
		return nil
	}
	return append([]string{p.first}, slices.DeleteFunc(slices.Clone(p.judges), func(name string) bool { return name == p.first })...)
}

// Judge is by whose accuracy methods are ranked and tested.
func (p *Plan) Judge() string { return p.first }

// Beside are the judges beside the SVM.
func (p *Plan) Beside() []string { return p.judges }

// allJudges are the names of those that judge.
func (p *Plan) allJudges() []string {
	if p.Settings.Regression() {
		return []string{KernelRidge}
	}
	return append([]string{SVM}, p.judges...)
}

// JudgedBy are the figures of a judge, accuracy and balanced accuracy.
func (e *Entry) JudgedBy(name string) (accuracy, balanced *Spread) {
	switch name {
	case KNN:
		return e.AccuracyKNN, e.BalancedKNN
	case Logistic:
		return e.AccuracyLogistic, e.BalancedLogistic
	}
	return e.AccuracySVM, e.BalancedAccuracy
}

// judgedBy are the places of a judge's figures.
func (r *Row) judgedBy(name string) (accuracy, balanced **float64) {
	switch name {
	case KNN:
		return &r.AccuracyKNN, &r.BalancedAccuracyKNN
	case Logistic:
		return &r.AccuracyLogistic, &r.BalancedAccuracyLogistic
	}
	return &r.AccuracySVM, &r.BalancedAccuracy
}

// accuracyOf is a judge's accuracy, or of a quantity its R².
func (r *Row) accuracyOf(judge string) *float64 {
	if judge == KernelRidge {
		return r.R2
	}
	accuracy, _ := r.judgedBy(judge)
	return *accuracy
}

// judgeVersion is rowsVersion and, after a dot, the version of the SVM; then name and version of each judge beside it, as in 1.1+knn.1. Of
// a quantity it is rowsVersion alone before its judge, as in 1+kernel-ridge.1.
func (p *Plan) judgeVersion() string {
	text, beside := fmt.Sprintf("%d.%d", rowsVersion, svm.SVM{}.Entry().Version), p.judges
	if p.Settings.Regression() {
		text, beside = strconv.Itoa(rowsVersion), p.allJudges()
	}
	for _, name := range beside {
		text += fmt.Sprintf("+%s.%d", name, judgeNamed(name).Entry().Version)
	}
	return text
}

// judgesOf names the judges of such a text.
func judgesOf(version string) string {
	var names []string
	parts := strings.Split(version, "+")
	if strings.Contains(parts[0], ".") {
		names = append(names, SVM)
	}
	for _, part := range parts[1:] {
		name, _, _ := strings.Cut(part, ".")
		names = append(names, name)
	}
	return strings.Join(names, " and ")
}
