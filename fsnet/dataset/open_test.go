package dataset

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"fsnetlab/fsnet/errs"
)

func TestOpenFindsWhatIsMeant(t *testing.T) {
	dir := t.TempDir()
	table := []byte("g,label\n1,u\n2,v\n")
	for _, name := range []string{"leukemia.csv", "ALLAML.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), table, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.csv"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	for data, name := range map[string]string{
		"ALLAML": "ALLAML", "allaml": "ALLAML", " Allaml ": "ALLAML",
		"leukemia.csv": "leukemia", "./ALLAML.csv": "ALLAML", "~/leukemia.csv": "leukemia", filepath.Join(dir, "leukemia.csv"): "leukemia",
	} {
		s := settings(t)
		s.Data = data
		d, err := Open(context.Background(), s, dir)
		if err != nil {
			t.Errorf("%s: %v", data, err)
		} else if d.Name != name {
			t.Errorf("%s opened %s", data, d.Name)
		}
	}
	for _, test := range []struct {
		data string
		kind errs.Kind
		says []string
	}{
		{"", errs.Request, []string{"no data set is named", "data=ALLAML", ".mat .csv .tsv .txt"}},
		{"ALAML", errs.NotFound, []string{`"ALAML"`, filepath.Join(dir, "ALAML"), "did you mean ALLAML?"}},
		{"./ALLAML", errs.NotFound, []string{"there is no file " + filepath.Join(dir, "ALLAML")}},
		{"leukaemia.csv", errs.NotFound, []string{filepath.Join(dir, "leukaemia.csv"), "did you mean leukemia.csv?"}},
		{"nowhere/a.csv", errs.NotFound, []string{filepath.Join(dir, "nowhere/a.csv"), "nor its directory"}},
		{"leukemia.csv/a.csv", errs.NotFound, []string{"leukemia.csv/a.csv"}},
		{"zzzzzzzz.csv", errs.NotFound, []string{"zzzzzzzz.csv", "only these are built in: ALLAML"}},
		{"folder.csv", errs.Request, []string{"folder.csv is a directory"}},
		{os.DevNull, errs.Request, []string{os.DevNull + " is not a regular file"}},
	} {
		s := settings(t)
		s.Data = test.data
		_, err := Open(context.Background(), s, dir)
		isFault(t, err, test.says...)
		if !errs.Is(err, test.kind) {
			t.Errorf("%v is not of kind %s", err, test.kind)
		}
	}
}

func TestOpenBuiltinTakesNoColumns(t *testing.T) {
	s := settings(t, "label=diagnosis")
	s.Data = "ALLAML"
	_, err := Open(context.Background(), s, "")
	isFault(t, err, "ALLAML is built in")
}

func TestOpenStopsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, data := range []string{"testdata/plain.mat", write(t, "a.csv", []byte("g,label\n1,u\n2,v\n"))} {
		s := settings(t)
		s.Data = data
		if _, err := Open(ctx, s, ""); !errs.Is(err, errs.Interrupted) {
			t.Errorf("%s: %v", data, err)
		}
	}
}

func TestHashSeesEverythingThatMatters(t *testing.T) {
	base := "id,g,h,label\np,1,2,u\nq,3,4,v\n"
	of := func(content string) string {
		d, err := openText(t, "a.csv", content)
		if err != nil {
			t.Fatal(err)
		}
		return d.Hash
	}
	if of(base) != of("id,g,h,label\nP,1.0,2,u\nQ,3,4e0,v\n") {
		t.Error("names of samples or spelling of numbers change the hash")
	}
	for name, other := range map[string]string{
		"a value": "id,g,h,label\np,1,2,u\nq,3,5,v\n", "a feature": "id,g,i,label\np,1,2,u\nq,3,4,v\n",
		"a class": "id,g,h,label\np,1,2,u\nq,3,4,w\n", "the labels": "id,g,h,label\np,1,2,v\nq,3,4,u\n", "where a name ends": "id,gh,h,label\np,1,2,u\nq,3,4,v\n",
	} {
		if of(base) == of(other) {
			t.Errorf("%s does not change the hash", name)
		}
	}
}

func TestNew(t *testing.T) {
	d, err := New("toy", []float32{1, 2, 3, 4}, nil, []string{"u", "v"})
	if err != nil {
		t.Fatal(err)
	}
	isWhole(t, d)
	if d.Name != "toy" || d.At(1, 0) != 3 || d.Features[1] != "feature_1" {
		t.Errorf("%+v", d)
	}
	_, err = New("toy", []float32{1, 2, 3}, []string{"g", "h"}, []string{"u", "v"})
	isFault(t, err, "3 values for 2 rows and 2 features")
	_, err = New("toy", nil, nil, nil)
	isFault(t, err, "toy")
}
