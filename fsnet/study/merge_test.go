package study

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/fault"
)

// listed writes a plan down and reads it again, as one to merge by.
func listingOf(t *testing.T, p *Plan) (*Listing, *Plan) {
	t.Helper()
	text, err := p.List("go", []string{"planted.csv"}, "..").JSON()
	if err != nil {
		t.Fatal(err)
	}
	l, err := ReadListing(text, p.Study())
	if err != nil {
		t.Fatal(err)
	}
	again, err := l.JSON()
	if err != nil || !bytes.Equal(text, again) {
		t.Fatalf("%v: written\n%s\nread and written\n%s", err, text, again)
	}
	bare, err := l.Plan(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return l, bare
}

// linesOf are rows as a file has them.
func linesOf(t *testing.T, rows []Row) []byte {
	t.Helper()
	var text []byte
	for _, row := range rows {
		line, err := row.Line()
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, line...)
	}
	return text
}

// Cells made in parts, each by a plan that was read from its listing, are the rows of one run; merged in any order and grouping, with rows
// that are there twice, they are the same bytes, and come to the same tables.
func TestPartsMergeToTheRowsOfOneRun(t *testing.T) {
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
		p, err := l.Plan(whole.Data, "")
		if err != nil {
			t.Fatal(err)
		}
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
			merged, err := bare.Merge("go", files[:some])
			if err != nil {
				t.Fatal(err)
			}
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
	p, err := l.Plan(whole.Data, "")
	if err != nil {
		t.Fatal(err)
	}
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
	if err := p.Choose("go", []string{"0123"}); !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), `no cell "0123"`) {
		t.Error(err)
	}
}

// Parts are each cell once, whatever their number; more parts than cells are empty, and make nothing.
func TestPartsDivide(t *testing.T) {
	p := some(t, "anova,mrmr,svm", 3, 2, 4)
	cells := p.Cells()
	for _, n := range []int{1, 2, 7, len(cells), 40} {
		seen := 0
		for i := 1; i <= n; i++ {
			if err := p.Part(i, n); err != nil {
				t.Fatal(err)
			}
			if seen += len(p.only); len(p.only) > len(cells)/n+1 {
				t.Errorf("part %d of %d has %d cells", i, n, len(p.only))
			}
		}
		if seen != len(cells) {
			t.Errorf("%d parts have %d of %d cells", n, seen, len(cells))
		}
	}
	if err := p.Part(1, 40); err != nil {
		t.Fatal(err)
	}
	if rows := made(t, p, nil); len(rows) != 0 {
		t.Errorf("an empty part made %v", rows)
	}
	for _, c := range [][2]int{{0, 3}, {4, 3}, {1, 0}, {-1, -1}, {math.MaxInt, math.MaxInt}} {
		if err := p.Part(c[0], c[1]); !fault.Is(err, fault.Request) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// What does not belong together is refused with the files' names; a row that failed gives way to one with figures.
func TestMergeRefuses(t *testing.T) {
	whole := some(t, "anova,mrmr", 2, 2)
	rows := made(t, whole, nil)
	_, bare := listingOf(t, whole)
	with := func(change func(*Row)) []Row {
		changed := slices.Clone(rows)
		change(&changed[1])
		return changed
	}
	for want, changed := range map[string][]Row{
		"b: 1 of its 4 rows is of version 0 of mrmr":                         with(func(r *Row) { r.Version-- }),
		"b: 1 of its 4 rows is made on xla:cuda":                             with(func(r *Row) { r.Device = "xla:cuda" }),
		"b: 1 of its 4 rows is of other data":                                with(func(r *Row) { r.Data = "0123456789ab" }),
		"b: 1 of its 4 rows is of another first":                             with(func(r *Row) { r.Seed++ }),
		"b: a row that was not asked for: planted, lasso, k = 2, split 0":    with(func(r *Row) { r.Method = "lasso" }),
		"b: a row with features that do not exist, or twice":                 with(func(r *Row) { r.Selected = []string{"a", "a"} }),
		"b: a row without figures, and without an error":                     with(func(r *Row) { r.AccuracySVM = nil }),
		"b: two rows of planted, anova":                                      append(slices.Clone(rows), rows[0]),
		"a and b disagree on planted, mrmr, k = 2, split 0: accuracy_svm is": with(func(r *Row) { r.AccuracySVM = new(0.123) }),
	} {
		for _, files := range [][]File{{{"a", rows}, {"b", changed}}, {{"b", changed}, {"a", rows}}} {
			merged, err := bare.Merge("go", files)
			text := ""
			if err != nil {
				text = strings.Replace(err.Error(), "b and a", "a and b", 1)
			}
			if merged != nil || !fault.Is(err, fault.Request) || !strings.Contains(text, want) {
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

// A plan that this program or these data do not come to is refused in one line.
func TestListingsAreChecked(t *testing.T) {
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
	text, err := good.JSON()
	if err != nil {
		t.Fatal(err)
	}
	for want, broken := range map[string]string{
		"not a plan of fsnet compare":                                             `{"rows": []}`,
		"not a plan of fsnet compare: unexpected end":                             string(text[:len(text)/2]),
		`its format is "fsnet plan 9"`:                                            strings.Replace(string(text), "fsnet plan 1", "fsnet plan 9", 1),
		"a plan of fsnet replicas, not of fsnet compare - use fsnet replicas run": strings.Replace(string(text), `"study": "compare"`, `"study": "replicas"`, 1),
		"its cell 1, planted, fsnet, k = 2, split 0, does not match its id":       strings.Replace(string(text), `"seed":11`, `"seed":12`, 1),
	} {
		if _, err := ReadListing([]byte(broken), Comparison); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// An id is a function of the identity alone, today and tomorrow.
func TestIDsStay(t *testing.T) {
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

// Whatever a file has, a listing that is read is one to merge by, or one line says why not.
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
