package comparators

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/errs"
	"fsnetlab/tests/kit/baselinetest"
)

// A method is found by its name in any case, with its settings.
func TestNamed_Methods(t *testing.T) {
	for text, want := range map[string]baseline.Method{
		"anova":                                &ANOVA{},
		" Random ":                             &Random{},
		"mrmr":                                 &MRMR{},
		"mrmr:pool=7":                          &MRMR{Pool: 7},
		"svm":                                  &SVM{},
		"SVM: C=2 ":                            &SVM{C: 2},
		"svm:gamma=1e-3":                       &SVM{Gamma: 1e-3},
		"l1-logistic:c=.5":                     &L1Logistic{C: 0.5},
		"hsic-lasso-block:b=10,permutations=4": &HSICBlockLasso{B: 10, Permutations: 4},
		"mrmr:criterion=MIQ, threshold=0.5":    &MRMR{Criterion: "miq", Threshold: 0.5},
	} {
		if got, err := Named(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
}

// An unknown name or setting is rejected with a suggestion.
func TestNamed_Rejects(t *testing.T) {
	for text, part := range map[string]string{
		"":                       `there is no method "" - known are anova, `,
		"mmr":                    `there is no method "mmr" - did you mean mrmr?`,
		"anova:k=3":              `anova: "k=3": it has no settings - write anova`,
		"mrmr:":                  `mrmr: setting "" is not known`,
		"mrmr:pool":              `mrmr: setting "pool" has no value - write mrmr:pool=VALUE`,
		"mrmr:pools=3":           `mrmr: setting "pools" is not known - did you mean pool?`,
		"mrmr:pool=3,pool=4":     `mrmr: setting "pool" is given twice`,
		"mrmr:pool=0":            `mrmr: pool = "0" - use a whole number from 1 to`,
		"mrmr:threshold=NaN":     `mrmr: threshold = "NaN" - use a number from`,
		"mrmr:criterion=best":    `mrmr: criterion = "best" - use one of mid, miq`,
		"svm:c=-1":               `svm: c = "-1" - use a number from`,
		"svm:c=1\n":              ``,
		"hsic-lasso-block:b=1.5": `hsic-lasso-block: b = "1.5" - use a whole number from 2 to`,
	} {
		_, err := Named(text)
		if part == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		kind := errs.Request
		if strings.HasPrefix(part, "there is no") {
			kind = errs.NotFound
		}
		if err == nil {
			t.Errorf("%q is taken", text)
			continue
		}
		baselinetest.Refuses(t, err, kind, part)
	}
}

// The methods are in order, each with a description, a name in lower case and
// known settings.
func TestAll_Order(t *testing.T) {
	var names []string
	for _, m := range All() {
		e := m.Entry()
		names = append(names, e.Name)
		if e.About == "" || strings.ContainsAny(e.Name, " :,=") || strings.ToLower(e.Name) != e.Name {
			t.Errorf("%+v", e)
		}
		for _, key := range baseline.Settings(m) {
			if _, err := Named(e.Name + ":" + key + "=?"); !errs.Is(err, errs.Request) {
				t.Errorf("%s: setting %s takes ?: %v", e.Name, key, err)
			}
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("%v", names)
	}
}

// Whatever a person types is a method or one line.
func FuzzNamed(f *testing.F) {
	for _, seed := range []string{"mrmr", "mrmr:criterion=miq,threshold=0.5", "svm:c=1e9", "hsic-lasso-block:b=,", ":", "x:y=z", "svm:c=1,c=1", "anova:"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		method, err := Named(text)
		if err == nil {
			if name, _, _ := strings.Cut(text, ":"); method.Entry().Name != strings.ToLower(strings.TrimSpace(name)) {
				t.Errorf("%q is %s", text, method.Entry().Name)
			}
			return
		}
		if !errs.Is(err, errs.Request) && !errs.Is(err, errs.NotFound) || strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%q: %q", text, err)
		}
	})
}
