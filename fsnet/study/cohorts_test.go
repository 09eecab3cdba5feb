package study_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/rng"
)

// planted writes a table of 30 rows and 12 features, two of which tell the two classes apart, and returns the configuration of a short
// training on it.
func planted(t testing.TB) config.Config {
	t.Helper()
	r := rng.New(5, "planted")
	return table(t, 30, 12, func(row, feature int) float64 {
		x := r.NormFloat64()
		if feature == 3 || feature == 8 {
			x = 0.5*x + 2*float64(row%2)
		}
		return x
	})
}

// weighted is the table of planted with a column of weights, some of them 0: so seeds train on different numbers of rows.
func weighted(t testing.TB) config.Config {
	t.Helper()
	c := planted(t)
	content, err := os.ReadFile(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	for i := range lines {
		lines[i] += fmt.Sprintf(",%d", i*i%5)
	}
	lines[0] = strings.TrimSuffix(lines[0], ",0") + ",weight"
	if err := os.WriteFile(c.Data, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.RowWeights = "weight"
	return c
}

// rare is a table of three features of which the last varies in two rows only: where the split takes both of them from the training
// rows, three features cannot be selected.
func rare(t testing.TB) config.Config {
	t.Helper()
	r := rng.New(6, "rare")
	return table(t, 20, 3, func(row, feature int) float64 {
		if feature < 2 {
			return r.NormFloat64() + float64(row%2)
		}
		return map[int]float64{4: 1, 9: 2}[row]
	})
}

func table(t testing.TB, rows, features int, value func(row, feature int) float64) config.Config {
	t.Helper()
	var text strings.Builder
	for j := range features {
		fmt.Fprintf(&text, "g%d,", j)
	}
	text.WriteString("class\n")
	for i := range rows {
		for j := range features {
			fmt.Fprintf(&text, "%g,", value(i, j))
		}
		fmt.Fprintf(&text, "%s\n", []string{"sick", "well"}[i%2])
	}
	path := filepath.Join(t.TempDir(), "planted.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return config.Config{Data: path, Label: "class", K: 3, Epochs: 10, Seed: 7}
}
