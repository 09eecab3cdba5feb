package dataset

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
)

// A matrix makes the data set that its rows make, also where it is a view of another one.
func TestFromMatrix(t *testing.T) {
	labels := []string{"a", "b", "a"}
	want, err := New("m", []float32{2, 3, 5, 6, 8, float32(math.NaN())}, nil, labels)
	if err != nil {
		t.Fatal(err)
	}
	all := mat.NewDense(3, 3, []float64{1, 2, 3, 4, 5, 6, 7, 8, math.NaN()})
	for name, x := range map[string]mat.Matrix{"view": all.Slice(0, 3, 1, 3), "transposed": mat.DenseCopyOf(all.Slice(0, 3, 1, 3).T()).T()} {
		if got, err := FromMatrix("m", x, nil, labels); err != nil || got.Hash != want.Hash {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := FromMatrix("m", all, nil, labels[:2]); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "2 labels for a matrix of 3 rows") {
		t.Error(err)
	}
	if _, err := FromMatrix("m", mat.NewDense(3, 1, []float64{1, 2, 1e300}), nil, labels); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "row 3") {
		t.Error(err)
	}
}

// A reader gives what the file gives, in each format.
func TestReadIsOpen(t *testing.T) {
	for name, content := range map[string][]byte{
		"x.csv": []byte("g1,g2,class\n1,2,a\n3,4,b\n,6,a\n"),
		"x.TSV": []byte("class\ta\tb\na\t1\t2\nb\t3\t4\n"),
		"x.mat": matFileOf(binary.LittleEndian, matElement{"X", 6, []int32{2, 1}, doubles(1, 2), 0}, matElement{"Y", 6, []int32{2, 1}, doubles(1, 2), 0}),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		s := settings(t, "data="+path, "missing=drop")
		want, err := Open(context.Background(), s, "")
		if err != nil {
			t.Fatal(err)
		}
		s.Data = "x"
		got, err := Read(context.Background(), iotest.OneByteReader(strings.NewReader(string(content))), filepath.Ext(name), s)
		if err != nil || got.Hash != want.Hash || got.Name != "x" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	broken := errors.New("line cut")
	for want, c := range map[string]struct {
		reader    *strings.Reader
		extension string
		broken    error
	}{
		`"docx" is not known - files that can be read end in .mat`: {strings.NewReader("x\x00"), "docx", nil},
		"cohort.csv is empty":                 {strings.NewReader(""), ".csv", nil},
		"cohort.csv: line 2":                  {strings.NewReader("g,class\nx,a\n1,b\n"), ".csv", nil},
		"cohort.csv cannot be read: line cut": {strings.NewReader("g,class\n"), ".csv", broken},
	} {
		var err error
		if c.broken != nil {
			_, err = Read(context.Background(), iotest.ErrReader(c.broken), c.extension, config.Settings{Data: "cohort"})
		} else {
			_, err = Read(context.Background(), c.reader, c.extension, config.Settings{Data: "cohort"})
		}
		if errs.Of(err).Remedy == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The caller's split is taken as it is, whatever the seed; what it leaves out or has twice is refused.
func TestWithSplit(t *testing.T) {
	data, err := New("toy", []float32{1, 2, 3, 4, 5, 6}, nil, []string{"a", "b", "a", "b", "a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	own := Parts{Train: []int{5, 0, 1}, Validation: []int{4}, Test: []int{3, 2}}
	split, err := data.WithSplit(own)
	if err != nil {
		t.Fatal(err)
	}
	want := Parts{Train: []int{0, 1, 5}, Validation: []int{4}, Test: []int{2, 3}}
	for seed := range int64(3) {
		p, err := Prepare(split, settings(t, "data=toy", "k=1", "seed="+strconv.FormatInt(seed, 10)))
		if err != nil || !reflect.DeepEqual(p.Parts, want) {
			t.Errorf("seed %d: %v, %v", seed, p, err)
		}
	}
	if split.Hash == data.Hash || !slices.Equal(own.Train, []int{5, 0, 1}) {
		t.Error("the hash is that of another split, or the caller's rows were sorted")
	}
	for want, p := range map[string]Parts{
		"row 6, which is not one of the 6 rows":      {Train: []int{0, 1, 2, 3}, Test: []int{4, 6}},
		"row 0, which is not one of the 6 rows":      {Train: []int{0, 1, 2, 3}, Test: []int{4, 0}},
		"no part of the split has row 5":             {Train: []int{0, 1, 2, 3}, Test: []int{4}},
		"has no test rows":                           {Train: []int{0, 1, 2, 3, 4, 5}},
		`has no training row of class "b"`:           {Train: []int{0, 2, 4}, Test: []int{1, 3, 5}},
		"row -1, which is not one of the 6 rows, or": {Train: []int{0, 1, 2, 3, 4, 5}, Test: []int{-1}},
	} {
		if _, err := data.WithSplit(p); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", p, err, want)
		}
	}
}

// Rows that missing=drop leaves out leave their parts, too, and the others keep theirs.
func TestWithSplitAndMissingRows(t *testing.T) {
	data, err := New("toy", []float32{1, 2, float32(math.NaN()), 4, 5, 6, 7, 8}, nil, []string{"a", "b", "a", "b", "a", "b", "a", "b"})
	if err == nil {
		data, err = data.WithSplit(Parts{Train: []int{0, 1, 2, 3}, Test: []int{4, 5, 6, 7}})
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(data, settings(t, "data=toy", "k=1", "missing=drop"))
	if err != nil || !reflect.DeepEqual(p.Parts, Parts{Train: []int{0, 1, 2}, Test: []int{3, 4, 5, 6}}) {
		t.Fatalf("%v, %v", p, err)
	}
	if last := p.X[p.Parts.Test[3]]; last != 8 {
		t.Errorf("the last test row is %g", last)
	}
}
