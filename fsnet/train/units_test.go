package train

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/internal/num"
)

// donors writes a table of 24 donors with ten rows each, whose features vary
// from donor to donor and not with the class, and opens it with these settings.
func donors(t *testing.T, c config.Config) (*dataset.Dataset, config.Settings) {
	t.Helper()
	const columns = 20
	r := num.RNG(1, "donors")
	var text strings.Builder
	text.WriteString("label,donor")
	for j := range columns {
		fmt.Fprintf(&text, ",G%02d", j)
	}
	for u := range 24 {
		own := make([]float64, columns)
		for j := range own {
			own[j] = r.NormFloat64()
		}
		for i := range 10 {
			class := u % 2
			if c.Pairs != "" {
				class = i % 2
			}
			fmt.Fprintf(&text, "\n%s,D%d", []string{"ctl", "case"}[class], u)
			for j := range own {
				fmt.Fprintf(&text, ",%.4f", own[j]+0.3*r.NormFloat64())
			}
		}
	}
	c.Data, c.Label, c.K, c.TestFraction = filepath.Join(t.TempDir(), "donors.csv"), "label", 2, new(0.0)
	if err := os.WriteFile(c.Data, []byte(text.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	settings, err := c.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	data, err := dataset.Open(t.Context(), settings, "")
	if err != nil {
		t.Fatal(err)
	}
	return data, settings
}

// Rows of one donor are one draw: donors that differ make no pair of features
// significant. Taken as single rows they make many.
func TestFindPairs_Donors(t *testing.T) {
	on := must(device.Open(t.Context(), "go"))
	defer on.Close()
	for _, grouped := range []bool{true, false} {
		c := config.Config{Groups: "donor"}
		if !grouped {
			c = config.Config{Ignore: []string{"donor"}}
		}
		data, settings := donors(t, c)
		found, err := FindPairs(t.Context(), on, data, settings)
		if err != nil {
			t.Fatal(err)
		}
		if grouped && (found.Significant != 0 || found.Tested == 0 || found.Size() != "240 rows of 24 donors × 20 features") {
			t.Errorf("%d of %d pairs in %s", found.Significant, found.Tested, found.Size())
		}
		if !grouped && found.Significant < 10 {
			t.Errorf("as single rows %d pairs: the table tests nothing", found.Significant)
		}
	}
}

// What tests read is a row of means for each class of a group, and of pairs one
// row each, of the classes in turn. Every training row is in one of them at
// most.
func TestIndependentRows(t *testing.T) {
	for name, c := range map[string]config.Config{"donors": {Groups: "donor"}, "pairs": {Pairs: "donor"}} {
		data, settings := donors(t, c)
		p, err := dataset.Prepare(data, settings)
		if err != nil {
			t.Fatal(err)
		}
		training := &Training{data: p, columns: sortedByName(p)}
		_, training.target = targetOf(p)
		x, y, err := training.independentRows(2000, func(rows []int) ([]float32, error) { return p.Gather(t.Context(), rows, training.columns, 0) })
		if err != nil || len(y.Y) != 24 || len(x) != 24*20 {
			t.Fatalf("%s: %d rows, %d values, %v", name, len(y.Y), len(x), err)
		}
		ones := 0
		for _, class := range y.Y {
			ones += class
		}
		if ones != 12 {
			t.Errorf("%s: classes %v", name, y.Y)
		}
		seen := map[int]bool{}
		for at, unit := range training.units() {
			whole, err := p.Gather(t.Context(), pick(p.Parts.Train, unit), training.columns, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(meanRow(whole, len(unit)), x[at*20:(at+1)*20]) {
				t.Errorf("%s: row %d is not the mean of its unit", name, at)
			}
			for _, row := range unit {
				if seen[row] || training.target.Y[row] != y.Y[at] || p.Groups.Of[p.Parts.Train[row]] != p.Groups.Of[p.Parts.Train[unit[0]]] {
					t.Errorf("%s: row %d of unit %d", name, row, at)
				}
				seen[row] = true
			}
		}
		if some, _, err := training.independentRows(6, func(rows []int) ([]float32, error) { return p.Gather(t.Context(), rows, training.columns, 0) }); err != nil || len(some) != 6*20 {
			t.Errorf("%s: %d values of 6 rows, %v", name, len(some), err)
		}
	}
}
