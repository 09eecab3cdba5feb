package study

import (
	"bytes"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
)

// listingOf writes a plan down, a cell a line, and reads it again, as one to
// merge by.
func listingOf(t *testing.T, p *Plan) (*Listing, *Plan) {
	t.Helper()
	text := must(p.List("go", []string{"planted.csv"}, "..").JSON())
	l := must(ReadListing(text, p.Study()))
	again, err := l.JSON()
	if err != nil || !bytes.Equal(text, again) || bytes.Count(text, []byte("\n    {\"id\":")) != len(p.Cells()) {
		t.Fatalf("%v: written\n%s\nread and written\n%s", err, text, again)
	}
	bare := must(l.Plan(nil, ""))
	return l, bare
}

// linesOf are rows as a file has them.
func linesOf(t *testing.T, rows []Row) []byte {
	t.Helper()
	var text []byte
	for _, row := range rows {
		line := must(row.Line())
		text = append(text, line...)
	}
	return text
}

// Cells made in parts, each by a plan read from its listing, are the rows of
// one run. Merged in any order and grouping, even with rows twice, they are the
// same bytes, and give the same tables.
func TestMerge_Parts(t *testing.T) {
	const methods = "fsnet,fsnet-path,anova,mrmr:criterion=miq,svm"
	whole := some(t, methods, 3, 2, 4)
	rows := made(t, whole, nil)
	for i := range rows {
		rows[i].Seconds = 0
	}
	want := string(linesOf(t, rows))
	l, bare := listingOf(t, whole)
	var parts []File
	const n = 4
	for i := 1; i <= n; i++ {
		p := must(l.Plan(whole.Data, ""))
		if err := p.Part(i, n); err != nil {
			t.Fatal(err)
		}
		totals := map[int]bool{}
		part, err := p.Run(t.Context(), opened(t), nil, func(at Progress) error { totals[at.Total] = true; return nil })
		if err != nil || len(totals) != 1 || !totals[len(part)] {
			t.Fatal(err, totals)
		}
		for i := range part {
			part[i].Seconds = 0
		}
		parts = append(parts, File{string(rune('a' + i)), part})
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		files := slices.Clone(parts)
		files = append(files, parts[r.IntN(n)])
		for len(files) > 1 { // some are merged, and take their place among the others
			r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
			some := 2 + r.IntN(len(files)-1)
			merged := must(bare.Merge("go", files[:some]))
			read, half, err := ReadRows(linesOf(t, merged))
			if err != nil || len(half) > 0 {
				t.Fatal(err, half)
			}
			files = append([]File{{"merged", read}}, files[some:]...)
		}
		if got := string(linesOf(t, files[0].Rows)); got != want {
			t.Fatalf("merged are\n%s\none run has\n%s", got, want)
		}
		if got := bare.Missing(files[0].Rows); got != "" {
			t.Fatal(got)
		}
	}
	if a, b := Summarize(bare, rows), Summarize(whole, rows); !reflect.DeepEqual(a, b) {
		t.Errorf("the tables are %+v\nand with the data %+v", a, b)
	}
	if got := bare.Missing(rows[1:]); got != "1 of 27 rows is missing, the first is planted, fsnet, k = 2, split 0" {
		t.Errorf("%q", got)
	}
	// By its id a cell is made alone.
	p := must(l.Plan(whole.Data, ""))
	if err := p.Choose("go", []string{l.Cells[4].ID, " " + strings.ToUpper(l.Cells[5].ID)}); err != nil {
		t.Fatal(err)
	}
	some := made(t, p, rows[:2])
	for i := range some {
		some[i].Seconds = 0
	}
	if got, want := string(linesOf(t, some)), string(linesOf(t, slices.Concat(rows[:2], rows[4:6]))); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if err := p.Choose("go", []string{"0123"}); !errs.Is(err, errs.NotFound) || !strings.Contains(err.Error(), `no cell "0123"`) {
		t.Error(err)
	}
}

// Every cell is in exactly one part. If there are more parts than cells, some
// are empty and make nothing.
func TestParts_Divide(t *testing.T) {
	p := some(t, "anova,mrmr,svm", 3, 2, 4)
	for n := 1; n < 40; n++ {
		in := map[cellKey]int{}
		for i := 1; i <= n; i++ {
			if err := p.Part(i, n); err != nil {
				t.Fatal(err)
			}
			for key := range p.only {
				in[key]++
			}
		}
		for _, cell := range p.Cells() {
			if in[cell.key()] != 1 {
				t.Errorf("%s is in %d of %d parts", cell.place(), in[cell.key()], n)
			}
		}
	}
	if err := p.Part(1, 40); err != nil {
		t.Fatal(err)
	}
	if rows := made(t, p, nil); len(rows) != 0 {
		t.Errorf("an empty part made %v", rows)
	}
	for _, c := range [][2]int{{0, 3}, {4, 3}, {1, 0}, {-1, -1}, {math.MaxInt, math.MaxInt}} {
		if err := p.Part(c[0], c[1]); !errs.Is(err, errs.Request) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// Files that don't belong together are rejected by name. A failed row is
// replaced by one with figures.
func TestMerge_Rejects(t *testing.T) {
	whole := some(t, "anova,mrmr", 2, 2)
	rows := made(t, whole, nil)
	_, bare := listingOf(t, whole)
	with := func(change func(*Row)) []Row {
		changed := slices.Clone(rows)
		change(&changed[1])
		return changed
	}
	for want, changed := range map[string][]Row{
		"b: 1 of its 4 rows is of version 0 of mrmr":                  with(func(r *Row) { r.Version-- }),
		"b: a row with features that do not exist, or twice":          with(func(r *Row) { r.Selected = []string{"a", "a"} }),
		"b: a row without figures, and without an error":              with(func(r *Row) { r.Score = nil }),
		"b: two rows of planted, anova":                               append(slices.Clone(rows), rows[0]),
		"a and b disagree on planted, mrmr, k = 2, split 0: score is": with(func(r *Row) { r.Score = new(0.123) }),
	} {
		for _, files := range [][]File{{{"a", rows}, {"b", changed}}, {{"b", changed}, {"a", rows}}} {
			merged, err := bare.Merge("go", files)
			text := ""
			if err != nil {
				text = strings.Replace(err.Error(), "b and a", "a and b", 1)
			}
			if merged != nil || !errs.Is(err, errs.Request) || !strings.Contains(text, want) {
				t.Errorf("%v does not say %q", err, want)
			}
		}
	}
	failed, slow := with(func(r *Row) { *r = Row{Identity: r.Identity, Error: "it failed"} }), with(func(r *Row) { r.Seconds++ })
	for _, files := range [][]File{{{"a", rows}, {"b", failed}, {"c", slow}}, {{"c", slow}, {"b", failed}, {"a", rows}}, {{"b", failed}, {"a", rows}}} {
		if merged, err := bare.Merge("go", files); err != nil || !reflect.DeepEqual(merged, rows) {
			t.Errorf("%v: %s", err, linesOf(t, merged))
		}
	}
	if merged, err := bare.Merge("go", []File{{"b", failed}}); err != nil || !reflect.DeepEqual(merged, failed) {
		t.Errorf("%v: %s", err, linesOf(t, merged))
	}
}

// A plan that this program, or these data, wouldn't make is rejected in one
// line.
func TestReadListing_Checked(t *testing.T) {
	whole := some(t, "fsnet,anova", 2, 2)
	good := whole.List("go", []string{"planted.csv"}, ".")
	changed := func(change func(*Listing)) *Listing {
		l := *good
		l.Data, l.Cells, l.Options = slices.Clone(l.Data), slices.Clone(l.Cells), map[string]string{"seed": "11", "epochs": "5"}
		change(&l)
		for i := range l.Cells {
			l.Cells[i].ID = l.Cells[i].Identity.ID()
		}
		return &l
	}
	for want, l := range map[string]*Listing{
		"its cells are of version 0 of anova":                              changed(func(l *Listing) { l.Cells[1].Version = 0 }),
		"its cells are of other data called planted":                       changed(func(l *Listing) { l.Data[0].Hash = "0123" }),
		"its cells are of other settings: epochs = 5":                      changed(func(l *Listing) { l.Options["epochs"] = "6" }),
		"it lists 3 cells, but its data, methods, k and splits come to 4":  changed(func(l *Listing) { l.Cells = l.Cells[:3] }),
		"its cell 2, planted, fsnet, k = 2, split 1, does not follow from": changed(func(l *Listing) { l.Cells = slices.Delete(l.Cells, 1, 2) }),
		`"zzz"`:              changed(func(l *Listing) { l.Options["zzz"] = "1" }),
		"there is no method": changed(func(l *Listing) { l.Methods = []string{"fsnet", "annova"} }),
		"backend":            changed(func(l *Listing) { l.Device = "gpu" }),
	} {
		if _, err := l.Plan(nil, ""); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	text := must(good.JSON())
	for want, broken := range map[string]string{
		"not a plan of fsnet compare":                                             `{"rows": []}`,
		"not a plan of fsnet compare: unexpected end":                             string(text[:len(text)/2]),
		`its format is "fsnet plan 9"`:                                            strings.Replace(string(text), "fsnet plan 1", "fsnet plan 9", 1),
		"a plan of fsnet replicas, not of fsnet compare - use fsnet replicas run": strings.Replace(string(text), `"study": "compare"`, `"study": "replicas"`, 1),
		"its cell 1, planted, fsnet, k = 2, split 0, does not match its id":       strings.Replace(string(text), `"seed":11`, `"seed":12`, 1),
	} {
		if _, err := ReadListing([]byte(broken), Comparison); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// An id is a function of the identity alone, today and tomorrow.
func TestID_NeverChanges(t *testing.T) {
	i := Identity{Dataset: "ALLAML", Method: "fsnet", K: 5, Version: 6, Judge: "1.1", Device: "xla:cpu", Data: "2cc4146b26e9"}
	if got := i.ID(); got != "83454d1add6ba9a0" {
		t.Error(got)
	}
	seen := map[string]bool{i.ID(): true}
	for _, change := range []func(*Identity){
		func(i *Identity) { i.Dataset += "x" }, func(i *Identity) { i.Method += "x" }, func(i *Identity) { i.K++ }, func(i *Identity) { i.Split++ }, func(i *Identity) { i.Seed++ },
		func(i *Identity) { i.Settings += "x" }, func(i *Identity) { i.Version++ }, func(i *Identity) { i.Judge += "x" }, func(i *Identity) { i.Device += "x" }, func(i *Identity) { i.Data += "x" },
	} {
		other := i
		if change(&other); seen[other.ID()] {
			t.Errorf("%+v has the id of another", other)
		}
		seen[other.ID()] = true
	}
}

// Whatever a file has, a listing that is read is one to merge by, or one line
// says why not.
func FuzzReadListing(f *testing.F) {
	p := some(f, "fsnet,anova,svm", 1, 2)
	text, err := p.List("go", []string{"planted.csv"}, ".").JSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"format":"fsnet plan 1","device":"go","methods":["anova"],"k":[1],"splits":1,"data":[{}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := ReadListing(text, Comparison)
		if err == nil && l.Splits < 1000 && len(l.K) < 10 && len(l.Methods) < 10 && len(l.Data) < 10 {
			_, err = l.Plan(nil, "")
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than a line: %v", err)
		}
	})
}

// Methods are named in any case, once each, with their settings, and the error
// for an unknown one suggests a name.
func TestMethods_Names(t *testing.T) {
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
		"fsnet:embedding=histogram":    `fsnet: setting "embedding" is not known - it is a rule of the protocol`,
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
		if _, err := Methods(text); err == nil || errs.ExitStatus(err) != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v does not say %q", text, err, want)
		}
	}
}

// Rows that a plan doesn't ask for are rejected with what differs.
func TestCheck_OtherPlan(t *testing.T) {
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
		if err := p.Check(d.Name, changed); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if err := p.Check(d.Name, append(slices.Clone(rows), rows[1])); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "two rows") {
		t.Error(err)
	}
	// What Check refuses Run does not take up either.
	older := slices.Clone(rows)
	for i := range older {
		older[i].Version--
	}
	if got, err := p.Run(t.Context(), d, older, nil); !errs.Is(err, errs.Request) || got != nil || !strings.Contains(err.Error(), "2 of its 4 rows") {
		t.Errorf("older rows are taken up: %v, %+v", err, got)
	}
}

// A row is bound to the settings that it depends on, and the error names those
// that differ.
func TestCheck_OtherSettings(t *testing.T) {
	d := opened(t)
	with := func(methods string, change func(*config.Config)) *Plan {
		list := must(Methods(methods))
		o := options()
		change(&o)
		p := must(New([]*dataset.Dataset{planted(t)}, o, list, []int{2}, 1))
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
		if err := with("fsnet,anova", change).Check(d.Name, rows); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// A file that doesn't consist of rows is rejected with the line, also if it
// doesn't end in a newline, and a half-written last line is returned separately.
func TestReadRows_Rejects(t *testing.T) {
	one := Row{Identity: Identity{Dataset: "d", Method: "svm", K: 1}, Score: new(0.75), Selected: []string{"a;b", ""}, Error: "a\n\"b\""}
	line := string(linesOf(t, []Row{one}))
	for want, text := range map[string]string{
		"line 1 is not":                  "a,b\n1,2\n",
		"line 2 is not":                  line + "\n",
		`line 3 is not a row of fsnet: `: line + line + strings.Replace(line, `"k":1`, `"k":"x"`, 1),
		"line 1 is not a row":            strings.Replace(line, `"k":1`, `"kk":1`, 1),

		`line 1 is not a row of fsnet: "<p>mine"`:             "<p>mine",
		`line 1 is not a row of fsnet: "{\"lambda\":1}"`:      `{"lambda":1}`,
		`line 1 is not a row of fsnet: "{\"lambda\":1"`:       `{"lambda":1`,
		`line 1 is not a row of fsnet: "{\"dataset\":\"d\"}"`: `{"dataset":"d"}`,
		`line 2 is not a row of fsnet: "# my notes"`:          line + "# my notes",
	} {
		if _, _, err := ReadRows([]byte(text)); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v does not say %q", text, err, want)
		}
	}
	// A line that was not written whole is no row, and told apart.
	for n := range len(line) {
		rows, half, err := ReadRows([]byte(line + line[:n]))
		if err != nil || len(rows) != 1 || !reflect.DeepEqual(rows[0], one) || string(half) != line[:n] {
			t.Errorf("%d bytes: %v: %+v, %q", n, err, rows, half)
		}
	}
}

// Whatever ReadRows takes, Line writes so that it reads the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"dataset":"d","method":"svm","k":1,"score":0.75,"selected":["a;b",""],"fit":{"seed":3}}` + "\n"))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, _, err := ReadRows(text)
		if err != nil {
			if !errs.Is(err, errs.Request) {
				t.Fatal(err)
			}
			return
		}
		again, half, err := ReadRows(linesOf(t, rows))
		if err != nil || len(half) > 0 || string(linesOf(t, again)) != string(linesOf(t, rows)) {
			t.Fatalf("%v: %+v, then %+v", err, rows, again)
		}
	})
}

// The content of a file that names features is part of a row's identity, not
// only the file's name, so rows from before and after an edit don't mix. A
// comment in it doesn't count.
func TestIdentity_IncludesFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "Genes.txt")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	with := "fsnet:must=" + file + ",anova"
	write("a\n")
	first := some(t, with, 2, 2)
	rows := made(t, first, nil)
	l, bare := listingOf(t, first)
	if cells := bare.Cells(); cells[0].Settings != first.Cells()[0].Settings || !strings.Contains(cells[0].Settings, "must_hash=") ||
		strings.Contains(cells[1].Settings, "must") {
		t.Errorf("%q and %q", cells[0].Settings, cells[1].Settings)
	}
	write("# a comment\na\n")
	if err := some(t, with, 2, 2).Check("go", rows); err != nil {
		t.Error(err)
	}

	write("b\n")
	now := some(t, with, 2, 2)
	err := now.Check("go", rows)
	for _, want := range []string{"2 of its 4 rows are made with another content of " + file + " (must): its hash was ", "bring the file back as it was"} {
		if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if _, err := l.Plan([]*dataset.Dataset{planted(t)}, ""); err == nil || !strings.Contains(err.Error(), "another content of "+file) {
		t.Errorf("its listing: %v", err)
	}
	if _, err := bare.Merge("go", []File{{"now", made(t, now, nil)}}); err == nil || !strings.Contains(err.Error(), "another content of "+file) {
		t.Errorf("merged: %v", err)
	}
	// Rows of before, when only the name was known.
	for i := range rows {
		rows[i].Settings, _, _ = strings.Cut(rows[i].Settings, ";must_hash")
	}
	if err := now.Check("go", rows); err == nil || !strings.Contains(err.Error(), "its hash was not recorded, and is now ") {
		t.Error(err)
	}
	// An edit while rows are made.
	made, err := now.Run(t.Context(), opened(t), nil, func(p Progress) error {
		if p.Done == 1 && p.Finished != nil {
			write("c\n")
		}
		return nil
	})
	if err != nil || len(made) != 4 || made[0].Error != "" || !strings.Contains(made[2].Error, "has changed") || made[3].Error != "" {
		t.Errorf("%v, %+v", err, made)
	}
}

// No name from the data becomes a formula in a spreadsheet that opens the rows,
// and all are read back as they were.
func TestRows_NamesAreNoFormulas(t *testing.T) {
	names := []string{
		`=HYPERLINK("http://x","y")`, "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1", "＋1", "－1", "＠x", "'=1", "'", "a=b", "MYB", "=a;=b", `\'`, "",
	}
	var rows []Row
	for _, name := range names {
		rows = append(rows, Row{
			Identity: Identity{Dataset: name, Method: name, K: 2, Split: 1, Seed: -3, Settings: name, Version: 1, Judge: name, Device: name, Data: name},
			Selected: []string{name, "b"}, Error: name,
		})
	}
	negative := -0.25
	rows[0].MutualInformation = &negative
	var text bytes.Buffer
	if err := WriteCSV(&text, rows); err != nil {
		t.Fatal(err)
	}
	lines := must(csv.NewReader(bytes.NewReader(text.Bytes())).ReadAll())
	for i, fields := range lines[1:] {
		for j, field := range fields {
			column := lines[0][j]
			number := column == "seed" || column == "mutual_information"
			if !number && strings.IndexAny(field, "=+-@\t\r\n＝＋－＠") == 0 {
				t.Errorf("row %d: %s is %q, a formula", i, column, field)
			}
		}
	}
	if seed, information := lines[1][4], lines[1][9]; seed != "-3" || information != "-0.25" {
		t.Errorf("numbers are %q and %q", seed, information)
	}
	for i, name := range names {
		if got := splitNames(strings.TrimPrefix(lines[i+1][12], "'")); !slices.Equal(got, []string{name, "b"}) {
			t.Errorf("%q is %q", name, got)
		}
	}
}
