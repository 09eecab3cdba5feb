package compare

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
)

func TestMethods(t *testing.T) {
	for text, want := range map[string]string{
		"fsnet":               "fsnet",
		" MRMR , svm,mrmr":    "mrmr svm",
		"mrmr:criterion=miq":  "mrmr:criterion=miq",
		"svm,all,mrmr:pool=9": "svm fsnet … mrmr:pool=9",
		"hsic-lasso-block:b=10,permutations=2,svm:c=2,gamma=1,anova": "hsic-lasso-block:b=10,permutations=2 svm:c=2,gamma=1 anova",
	} {
		methods, err := Methods(text)
		var got []string
		for _, m := range methods {
			got = append(got, m.Name)
		}
		if text == "svm,all,mrmr:pool=9" { // the registry may have more
			want := 2 + len(baseline.Methods())
			if err != nil || len(got) != want || got[0] != "svm" || got[1] != FsNet || got[want-1] != "mrmr:pool=9" {
				t.Errorf("%s: %v, %v", text, got, err)
			}
			continue
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"mrnr":             "did you mean mrmr?",
		"fsnett":           "did you mean fsnet?",
		"":                 "known are all, fsnet, anova",
		"anova,,svm":       "without a name",
		"fsnet:epochs=3":   "such as --epochs",
		"mrmr:criterion=x": "criterion",
		"anova:b=3":        "anova",
		"b=3":              `"b=3"`,
		"svm,b=3":          `"b=3"`,
	} {
		if _, err := Methods(text); err == nil || fault.ExitStatus(err) != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v does not say %q", text, err, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	data, s := planted(t), settings(t)
	methods, err := Methods("random")
	if err != nil {
		t.Fatal(err)
	}
	high := s
	high.Seed = math.MaxInt64 - 1
	for want, try := range map[string]func() (*Plan, error){
		"k = 15 is more than the 14 features of planted": func() (*Plan, error) { return New([]*dataset.Dataset{data}, s, methods, []int{3, 15}, 1) },
		"k = 0":               func() (*Plan, error) { return New([]*dataset.Dataset{data}, s, methods, []int{0}, 1) },
		"splits = 0":          func() (*Plan, error) { return New([]*dataset.Dataset{data}, s, methods, []int{3}, 0) },
		"called planted":      func() (*Plan, error) { return New([]*dataset.Dataset{data, data}, s, methods, []int{3}, 1) },
		"0 data sets":         func() (*Plan, error) { return New(nil, s, methods, []int{3}, 1) },
		"choose a smaller":    func() (*Plan, error) { return New([]*dataset.Dataset{data}, high, methods, []int{3}, 5) },
		"0 numbers of featur": func() (*Plan, error) { return New([]*dataset.Dataset{data}, s, methods, nil, 5) },
	} {
		if _, err := try(); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestRowsOfAnotherPlanAreRefused(t *testing.T) {
	p := some(t, "random,svm", 2, 3)
	rows := made(t, p, nil)
	for want, change := range map[string]func(r *Row){
		"not asked for: planted, anova": func(r *Row) { r.Method = "anova" },
		"k = 4":                         func(r *Row) { r.K = 4 },
		"split 2":                       func(r *Row) { r.Split = 2 },
		"use --seed 99":                 func(r *Row) { r.Seed = 99 },
		"other settings or data":        func(r *Row) { r.Settings = "000000000000" },
		"features that are not there":   func(r *Row) { r.Selected = []string{"a", "b", "nowhere"} },
		"or twice":                      func(r *Row) { r.Selected = []string{"a", "b", "a"} },
	} {
		changed := slices.Clone(rows)
		change(&changed[0])
		if err := p.Check(changed); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if err := p.Check(append(slices.Clone(rows), rows[1])); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "two rows") {
		t.Error(err)
	}
	other := settings(t)
	other.Epochs++
	another, err := New(p.Data, other, p.Methods, p.K, p.Splits)
	if err != nil {
		t.Fatal(err)
	}
	if err := another.Check(rows); err == nil {
		t.Error("rows of other settings are taken")
	}
}

func TestReadRefuses(t *testing.T) {
	line := string(Row{Dataset: "d", Method: "svm", K: 1}.Line())
	for want, text := range map[string]string{
		"not its header":  "a,b\n1,2\n",
		"line 2, 3 field": string(Header()) + "a,b,c\n",
		`line 3, k "x"`:   string(Header()) + line + strings.Replace(line, ",1,", ",x,", 1),
		`seconds "NaN"`:   string(Header()) + strings.Replace(line, "0.000", "NaN", 1),
		`"`:               string(Header()) + "\"a\nb\n",
		"not rows of":     "\n\n",
	} {
		if text == "\n\n" { // nothing but empty lines is an empty file
			if rows, err := Read([]byte(text)); err != nil || rows != nil {
				t.Errorf("%v, %v", rows, err)
			}
			continue
		}
		if _, err := Read([]byte(text)); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v does not say %q", text, err, want)
		}
	}
	// A line that was not written whole is left out.
	rows, err := Read([]byte(string(Header()) + line + line[:7]))
	if err != nil || len(rows) != 1 || !reflect.DeepEqual(rows[0], Row{Dataset: "d", Method: "svm", K: 1}) {
		t.Errorf("%v: %+v", err, rows)
	}
}

// Whatever Read takes, Write writes so that Read reads the same.
func FuzzRead(f *testing.F) {
	accuracy := 0.75
	f.Add([]byte(string(Header()) + string(Row{Dataset: "d", Method: "svm", K: 1, AccuracySVM: &accuracy, Selected: []string{"a;b", `c\`, ""}, Error: "a \"b\", c"}.Line())))
	f.Add(Header())
	f.Add([]byte("\"\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := Read(text)
		if err != nil {
			if !fault.Is(err, fault.Request) {
				t.Fatal(err)
			}
			return
		}
		for i := range rows {
			rows[i].Seconds = 0 // to the millisecond
		}
		var written bytes.Buffer
		if err := Write(&written, rows); err != nil {
			t.Fatal(err)
		}
		again, err := Read(written.Bytes())
		if err != nil || !reflect.DeepEqual(again, rows) {
			t.Fatalf("%v: %+v, then %+v", err, rows, again)
		}
	})
}
