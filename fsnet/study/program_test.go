package study

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"fsnetlab/fsnet/fault"
)

// Rows of a user's program are rows like others: made in parts from a listing, merged, continued, and refused where the program is another.
func TestPrograms(t *testing.T) {
	text, err := os.ReadFile("../baseline/program/testdata/spread.py")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write := func(more string) {
		if err := os.WriteFile(filepath.Join(folder, "spread.py"), append([]byte(more), text...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	t.Chdir(folder)
	const methods = "mrmr:criterion=miq,mine=./spread.py,broken=/bin/false,anova"
	whole := some(t, methods, 2, 2, 4)
	var stages []string
	rows, err := whole.Run(t.Context(), opened(t), nil, func(p Progress) error {
		if p.Stage != "" {
			stages = append(stages, p.Cell.Method+": "+p.Stage)
		}
		return nil
	})
	if err != nil || len(rows) != 16 {
		t.Fatal(len(rows), err)
	}
	if got := strings.Join(stages, "; "); got != strings.TrimSuffix(strings.Repeat("mine: spread, 1 of 1; ", 4), "; ") {
		t.Error(got)
	}
	for _, row := range rows {
		switch {
		case (row.Method == "broken") != (row.Error != ""):
			t.Errorf("%+v", row)
		case row.Method == "broken" && !strings.HasPrefix(row.Error, "broken: it ended without an answer: exit status 1 - run it by hand"):
			t.Error(row.Error)
		case row.Method == "mine" && (len(row.Selected) != row.K || row.AccuracySVM == nil || !strings.HasPrefix(row.Settings, "program=")):
			t.Errorf("%+v", row)
		}
	}

	l, bare := listingOf(t, whole)
	t.Chdir(t.TempDir())
	var parts []File
	for i := 2; i >= 1; i-- {
		p, err := l.Plan(whole.Data, folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Part(i, 2); err != nil {
			t.Fatal(err)
		}
		part, err := p.Run(t.Context(), opened(t), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, File{"part", part})
	}
	merged, err := bare.Merge("go", parts)
	if err != nil || !reflect.DeepEqual(timeless(merged), timeless(rows)) {
		t.Errorf("%v: other rows in parts\n%s", err, linesOf(t, merged))
	}

	write("# another\n")
	_, err = l.Plan(whole.Data, folder)
	if !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "of another program called mine (hash ") {
		t.Error(err)
	}
	if rows, _ = whole.Run(t.Context(), opened(t), nil, nil); !strings.Contains(rows[2].Error, "mine has changed") {
		t.Error(rows[2].Error)
	}
}

func TestProgramsInLists(t *testing.T) {
	for text, want := range map[string]string{
		"rf=./RF.py":                               "rf=./RF.py",
		"fsnet:must=TP53,rf=./a.py --x=1,mrmr":     "fsnet:must=TP53|rf=./a.py --x=1|mrmr",
		"rf=./a.py,b=./B:1.py,criterion=./c":       "rf=./a.py|b=./B:1.py|criterion=./c",
		"fsnet:must=../m.txt,never=./n.txt":        "fsnet:must=../m.txt,never=./n.txt",
		"mrmr:pool=9,criterion=miq,c=./c,c=./c":    "mrmr:pool=9,criterion=miq|c=./c",
		"random,mine=python3 ./a.py,mine=./b.py":   "two programs are called mine - give each a name of its own",
		"mrmr=./a.py":                              "mrmr is a method of its own - choose another name",
		"a b=./a.py":                               `the program's name "a b" - write letters`,
		"mine=a.py":                                `there is no method "mine=a.py" - write a program with its path, as in mine=./mine.py`,
		"fsnet:epochs=9,mine=a.py":                 `setting "mine" is not known`,
		"hsic-lasso-block:b=10,permutations=2,x=y": `setting "x" is not known`,
	} {
		methods, err := Methods(text)
		var got []string
		for _, m := range methods {
			got = append(got, m.text())
		}
		if err == nil && strings.Join(got, "|") != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v", text, strings.Join(got, "|"), err)
		}
	}
}
