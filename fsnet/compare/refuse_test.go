package compare

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
)

func TestMethods(t *testing.T) {
	for text, want := range map[string]string{
		"fsnet":                          "fsnet",
		" MRMR , svm,mrmr":               "mrmr svm",
		"mrmr:criterion=miq":             "mrmr:criterion=miq",
		"MRMR:Criterion=MIQ":             "mrmr:criterion=miq",
		"FsNet:Must=Genes/TP53.txt":      "fsnet:must=Genes/TP53.txt",
		"fsnet:Epochs=9,NEVER=TP53":      "fsnet:epochs=9,never=TP53",
		"svm,all,mrmr:pool=9":            "svm fsnet … mrmr:pool=9",
		"fsnet,fsnet:protocol=paper,svm": "fsnet fsnet:protocol=paper svm",
		"fsnet:learning-rate=1e-3,epochs=400,fsnet:epochs=400,learning_rate=0.001":       "fsnet:epochs=400,learning_rate=0.001",
		"fsnet:hidden=64,32,stop=patience:5,schedule=points:0=10,.5=9,5=1,svm:c=2,anova": "fsnet:schedule=points:0=10,.5=9,5=1,hidden=64,32,stop=patience:5 svm:c=2 anova",
		"hsic-lasso-block:b=10,permutations=2,svm:c=2,gamma=1,anova":                     "hsic-lasso-block:b=10,permutations=2 svm:c=2,gamma=1 anova",
	} {
		methods, err := Methods(text)
		var got []string
		for _, m := range methods {
			got = append(got, m.Name)
		}
		if text == "svm,all,mrmr:pool=9" { // the registry may have more
			want := 2 + len(comparators.All())
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
		"mrnr":                         "did you mean mrmr?",
		"fsnett":                       "did you mean fsnet?",
		"":                             "known are all, fsnet, fsnet-path, anova",
		"anova,,svm":                   "without a name",
		"fsnet:":                       "without a setting - write fsnet:protocol=paper",
		"fsnet:epoch=3":                `fsnet: setting "epoch" is not known - did you mean epochs?`,
		"fsnet:zzz=3":                  `fsnet: setting "zzz" is not known - known are protocol,`,
		"fsnet:epochs":                 "write fsnet:epochs=VALUE",
		"fsnet:epochs=3,epochs=4":      "given twice",
		"fsnet:epochs=x":               `fsnet: epochs = "x"`,
		"fsnet:protocol=papre":         "did you mean paper?",
		"fsnet:test-fraction=0.3":      "holds for all methods - give it as an option, such as --test-fraction",
		"fsnet:k=3":                    "fsnet: k holds for all methods",
		"fsnet:schedule=points:5=1,0=": "schedule",
		"fsnet,epochs=3":               `"epochs=3"`,
		"mrmr:criterion=x":             "criterion",
		"anova:b=3":                    "anova",
		"b=3":                          `"b=3"`,
		"svm,b=3":                      `"b=3"`,
	} {
		if _, err := Methods(text); err == nil || fault.ExitStatus(err) != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v does not say %q", text, err, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	data, s := planted(t), options()
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
		"fsnet and fsnet:protocol=fsnet are the same": func() (*Plan, error) {
			twice, err := Methods("fsnet,fsnet:protocol=fsnet")
			if err != nil {
				t.Fatal(err)
			}
			return New([]*dataset.Dataset{data}, s, twice, []int{3}, 5)
		},
	} {
		if _, err := try(); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestRowsOfAnotherPlanAreRefused(t *testing.T) {
	p := some(t, "random,svm", 2, 3)
	rows := made(t, p, nil)
	d := opened(t)
	for want, change := range map[string]func(r *Row){
		"not asked for: planted, anova": func(r *Row) { r.Method = "anova" },
		"k = 4":                         func(r *Row) { r.K = 4 },
		"split 2":                       func(r *Row) { r.Split = 2 },
		"use --seed 99":                 func(r *Row) { r.Seed = 99 },
		"missing = mean, and now error": func(r *Row) { r.Settings = "missing=mean" },
		"of other data called planted (hash 000000000000, and now": func(r *Row) { r.Data = "000000000000" },
		"1 of its 4 rows is of version 0 of random, which is now at version 1 and may give other figures; the first: planted, random, k = 3, split 0 - name another file, or remove these rows": func(r *Row) { r.Version = 0 },
		"of version 0.9 of splits, scaling and judge": func(r *Row) { r.Judge = "0.9" },
		"made on xla:cuda, and this is go; the first: planted, random, k = 3, split 0 - name another file, or use --backend xla:cuda": func(r *Row) { r.Device = "xla:cuda" },
		"features that do not exist": func(r *Row) { r.Selected = []string{"a", "b", "nowhere"} },
		"or twice":                   func(r *Row) { r.Selected = []string{"a", "b", "a"} },
	} {
		changed := slices.Clone(rows)
		change(&changed[0])
		if err := p.Check(d.Name, changed); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if err := p.Check(d.Name, append(slices.Clone(rows), rows[1])); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "two rows") {
		t.Error(err)
	}
	// What Check refuses Run does not take up either.
	older := slices.Clone(rows)
	for i := range older {
		older[i].Version--
	}
	if got, err := p.Run(t.Context(), d, older, nil); !fault.Is(err, fault.Request) || got != nil || !strings.Contains(err.Error(), "2 of its 4 rows") {
		t.Errorf("older rows are taken up: %v, %+v", err, got)
	}
}

// A row is of the settings that it depends on, and the error names those that differ.
func TestRowsOfOtherSettings(t *testing.T) {
	d := opened(t)
	with := func(methods string, change func(*config.Config)) *Plan {
		list, err := Methods(methods)
		if err != nil {
			t.Fatal(err)
		}
		o := options()
		change(&o)
		p, err := New([]*dataset.Dataset{planted(t)}, o, list, []int{2}, 1)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	same := func(*config.Config) {}
	rows := made(t, with("fsnet,anova", same), nil)
	if err := with("fsnet,anova", func(c *config.Config) { c.Backend = "auto" }).Check(d.Name, rows); err != nil {
		t.Errorf("how the device was found is no difference: %v", err)
	}
	if err := with("anova", func(c *config.Config) { c.Epochs = 6 }).Check(d.Name, rows[1:]); err != nil {
		t.Errorf("anova has no epochs: %v", err)
	}
	for want, change := range map[string]func(*config.Config){
		"1 of its 2 rows is of other settings: epochs = 5, and now 6; the first: planted, fsnet, k = 2, split 0": func(c *config.Config) { c.Epochs = 6 },
		"of other settings: protocol = fsnet, and now paper;":                                                    func(c *config.Config) { c.Protocol = "paper" },
		"2 of its 2 rows are of other settings: test_fraction = 0.5, and now 0.25;":                              func(c *config.Config) { c.TestFraction = new(0.25) },
	} {
		if err := with("fsnet,anova", change).Check(d.Name, rows); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	one := Row{Identity: Identity{Dataset: "d", Method: "svm", K: 1}}
	line := string(one.Line())
	for want, text := range map[string]string{
		"not its header":  "a,b\n1,2\n",
		"line 2, 3 field": string(Header()) + "a,b,c\n",
		`line 3, k "x"`:   string(Header()) + line + strings.Replace(line, ",1,", ",x,", 1),
		`seconds "NaN"`:   string(Header()) + strings.Replace(line, "0.000", "NaN", 1),
		`"`:               string(Header()) + "\"a\nb\n",
		"not rows of":     "\n\n",
		"its header - ":   strings.Replace(string(Header()), ",r2,r2_own", "", 1),
	} {
		if text == "\n\n" { // nothing but empty lines is an empty file
			if rows, _, err := Read([]byte(text)); err != nil || rows != nil {
				t.Errorf("%v, %v", rows, err)
			}
			continue
		}
		if _, _, err := Read([]byte(text)); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v does not say %q", text, err, want)
		}
	}
	// A line that was not written whole is no row, and told apart.
	rows, half, err := Read([]byte(string(Header()) + line + line[:7]))
	if err != nil || len(rows) != 1 || !reflect.DeepEqual(rows[0], one) || string(half) != line[:7] {
		t.Errorf("%v: %+v, %q", err, rows, half)
	}
}

// Whatever Read takes, Write writes so that Read reads the same.
func FuzzRead(f *testing.F) {
	accuracy := 0.75
	f.Add([]byte(string(Header()) + string(Row{Identity: Identity{Dataset: "d", Method: "svm", K: 1}, AccuracySVM: &accuracy, Selected: []string{"a;b", `c\`, ""}, Error: "a \"b\", c"}.Line())))
	f.Add(Header())
	f.Add([]byte("\"\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, _, err := Read(text)
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
		again, _, err := Read(written.Bytes())
		if err != nil || !reflect.DeepEqual(again, rows) {
			t.Fatalf("%v: %+v, then %+v", err, rows, again)
		}
	})
}
