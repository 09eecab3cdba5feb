package dataset

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Each built-in data set is what its description says.
func TestBuiltin_MatchesDescription(t *testing.T) {
	for _, b := range Builtins() {
		s := settings(t)
		s.Data = b.Name
		d := must(Open(context.Background(), s, ""))(t)
		isWhole(t, d)
		if d.Name != b.Name || d.N != b.N || d.D != b.D || !slices.Equal(d.Classes, b.Classes) {
			t.Errorf("%+v is %s, %d×%d, %v", b, d.Name, d.N, d.D, d.Classes)
		}
		if b.About == "" || b.Citation == "" || b.Terms == "" {
			t.Errorf("%s lacks a description", b.Name)
		}
	}
}

// ALLAML has its known hash and class sizes, and zyxin is higher in AML.
func TestBuiltin_ALLAML(t *testing.T) {
	d := openALLAML(t)
	if d.Hash != "2cc4146b26e93e79bbfe4a5aa6783b910d3b2ed23ed584a509a9b8a14c917e64" {
		t.Errorf("hash %s", d.Hash)
	}
	sizes := []int{0, 0}
	for _, y := range d.Y {
		sizes[y]++
	}
	if !slices.Equal(sizes, []int{47, 25}) {
		t.Errorf("%v rows of ALL and AML", sizes)
	}
	// The classes carry the right names: zyxin is high in AML (Golub et al.,
	// figure 3).
	zyxin := slices.Index(d.Features, "X95735_at")
	means := []float64{0, 0}
	for i, y := range d.Y {
		means[y] += float64(d.At(i, zyxin)) / float64(sizes[y])
	}
	if means[1]-means[0] < 1 {
		t.Errorf("zyxin: %g in ALL, %g in AML", means[0], means[1])
	}
}

// shared returns the path of a file in the optional directory of data that are
// too large for the repository: $FSNET_SHARED, or shared beside the repository.
// It skips the test if the file is missing.
func shared(t testing.TB, file string) string {
	t.Helper()
	path := filepath.Join(cmp.Or(os.Getenv("FSNET_SHARED"), filepath.Join("..", "..", "..", "shared")), file)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("NOT CHECKED against real data: there is no %s; set FSNET_SHARED to the directory that holds %s", path, file)
	}
	return path
}

// Published files are read with their known sizes, classes and first values.
func TestOpen_RealFiles(t *testing.T) {
	for _, test := range []struct {
		file    string
		n, d    int
		classes []string
		first   []float32 // values of the first row
		name    string    // of the last feature
		words   []string
	}{
		{"ALLAML.mat", 72, 7129, []string{"1", "2"}, []float32{-1.017172, 0.074113, -0.406939}, "Z78285_f_at", nil},
		{"GLIOMA.mat", 50, 4434, []string{"1", "2", "3", "4"}, []float32{1.87794695, 1.30103}, "feature_4433", nil},
		{"Prostate_GE.mat", 102, 5966, []string{"1", "2"}, []float32{1.07554696, 1.15836249, 1.25042}, "feature_5965", nil},
		{"chowdary.mat", 104, 22283, []string{"1", "2"}, []float32{244.8, 15, 18.9, 44.7}, "AFFX-TrpnX-M_at", nil},
		{"hmp2_dna_pathabundance_relab_pcl_week0.csv", 96, 10896, []string{"CD", "UC", "nonIBD"}, []float32{69, 0.0136536, 0.00717895, 0, 0.000152978, 1.62e-05}, "race=White",
			[]string{"missing=mean", "covariates=site_name,sex,race"}},
	} {
		t.Run(test.file, func(t *testing.T) {
			s := settings(t, test.words...)
			s.Data = shared(t, filepath.Join("data", test.file))
			d := must(Open(context.Background(), s, ""))(t)
			isWhole(t, d)
			if d.N != test.n || d.D != test.d || !slices.Equal(d.Classes, test.classes) {
				t.Errorf("%d×%d, classes %q", d.N, d.D, d.Classes)
			}
			if !slices.Equal(d.X[:len(test.first)], test.first) || d.Features[d.D-1] != test.name {
				t.Errorf("first values %v, last feature %q", d.X[:len(test.first)], d.Features[d.D-1])
			}
			if _, err := Prepare(d, s); err != nil {
				t.Error(err)
			}
		})
	}
}

// A built-in data set that is cut off isn't unpacked.
func TestUnpackBuiltin_RejectsDamage(t *testing.T) {
	whole := must(builtinFiles.ReadFile("builtin/ALLAML.gz"))(t)
	if _, err := unpackBuiltin(bytes.NewReader(whole)); err != nil {
		t.Error(err)
	}
	for _, cut := range []int{0, 5, 1000, len(whole) / 2, len(whole) - 1} {
		if _, err := unpackBuiltin(bytes.NewReader(whole[:cut])); err == nil {
			t.Errorf("%d bytes of %d were unpacked", cut, len(whole))
		}
	}
}
