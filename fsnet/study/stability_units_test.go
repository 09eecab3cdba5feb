package study_test

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/num"
)

// The experiment about rows that belong together, in docs/trust.md. A table
// takes five seconds or more, so it runs only on request:
//
//	go test ./fsnet/study -run TestUnitTables_PrintsWords -v -timeout 1h -unit-tables 4
var (
	unitTables  = flag.Int("unit-tables", 0, "number of tables of each kind, unrelated and planted")
	unitFirst   = flag.Int("unit-first", 0, "number of the first table")
	unitPairs   = flag.Int("unit-pairs", 10, "pairs of half-samples")
	unitEffect  = flag.Float64("unit-effect", 1, "scale of the effects of related columns; 1 makes them 2 to 5 standard deviations of a donor's rows")
	unitPlanted = flag.String("unit-planted", "false,true", "true: five columns are related to the label")
	unitKinds   = flag.String("unit-kinds", "rows,donors8,donors12,donors24,donors60,mixed12,mixed24,pairs16,pairs40,rows+sites,donors24+sites,"+
		"rows+quantity,donors24+quantity", "how the rows of the tables belong together")
)

const (
	unitColumns = 200
	unitCausal  = 5
	unitModule  = 4 // columns of a module of look-alikes; every second module is one
)

// How often decoys raise the alarm, and what words mean, is printed for tables
// whose rows are of donors, of pairs or of sites.
func TestUnitTables_PrintsWords(t *testing.T) {
	if *unitTables == 0 {
		t.Skip("SKIPPED: an experiment of half an hour; -unit-tables 1 makes a small one")
	}
	on, err := device.Open(t.Context(), "auto")
	must(err)
	defer on.Close()
	for planted := range strings.SplitSeq(*unitPlanted, ",") {
		counted, alarms, high, runs, silent, share := map[string]*tally{}, 0, 0, 0, 0, 0.0
		for kind := range strings.SplitSeq(*unitKinds, ",") {
			for rep := *unitFirst; rep < *unitFirst+*unitTables; rep++ {
				p, settings := unitTable(t, kind, planted == "true", rep)
				r, err := study.Stable(t.Context(), on, p.data, settings, study.StabilityOptions{Pairs: *unitPairs, Decoys: true})
				must(err)
				p.count(r, counted)
				runs, share = runs+1, share+r.Decoys.Share
				likely, causal := 0, 0
				for _, g := range r.Genes {
					if g.Word == "certain" || g.Word == "likely" {
						likely++
						if p.alike[g.Index] >= study.Alike {
							causal++
						}
					}
				}
				if r.Decoys.Alarm {
					alarms++
				}
				if likely > 0 {
					high++
				}
				if r.FewRows() {
					silent++
				}
				t.Logf("planted %s, %s, %d: units %+v, decoys took %.2f, at most %d, alarm %v, too few %v, likely %d of them causal %d, groups %v", planted, kind, rep, r.Units,
					r.Decoys.Share, r.Decoys.Top, r.Decoys.Alarm, r.FewRows(), likely, causal, r.Genes[0].Group)
			}
		}
		t.Logf("planted %s: %d tables, %d with too few for words, alarm in %d, likely or certain in %d, decoys took %.3f of the picks\n| | features | causal | 95 %% | or look-alike | 95 %% |\n|---|---|---|---|---|---|",
			planted, runs, silent, alarms, high, share/float64(runs))
		for _, what := range slices.Sorted(maps.Keys(counted)) {
			c := counted[what]
			low, high := wilson(c.causal, c.n)
			lowAlike, highAlike := wilson(c.alike, c.n)
			t.Logf("| %s | %d | %.2f | %.2f to %.2f | %.2f | %.2f to %.2f |", what, c.n, portion(c.causal, c.n), low, high, portion(c.alike, c.n),
				lowAlike, highAlike)
		}
	}
}

// unitTable makes a table of donors, pairs or single rows, with sites and a
// quantity if the kind says so. A donor has an effect of its own on every
// column, as large as what varies within it, and so has a site. In a planted
// table five columns are related to the label.
func unitTable(t *testing.T, kind string, planted bool, rep int) (planting, config.Settings) {
	t.Helper()
	r := num.RNG(int64(rep), fmt.Sprintf("unit table %s %v", kind, planted))
	unit := strings.TrimRight(strings.Split(kind, "+")[0], "0123456789")
	units, size := 60, 1
	if n, err := strconv.Atoi(strings.TrimPrefix(strings.Split(kind, "+")[0], unit)); err == nil {
		units, size = n, 4
	}
	if unit == "pairs" {
		size = 2
	}
	sites, quantity := strings.HasSuffix(kind, "sites"), strings.HasSuffix(kind, "quantity")

	row := func(scale float64) []float64 {
		x := make([]float64, unitColumns)
		for j := range x {
			x[j] = scale * r.NormFloat64()
			if first := j - j%unitModule; j/unitModule%2 == 1 && j > first {
				x[j] = 0.95*x[first] + math.Sqrt(1-0.95*0.95)*x[j]
			}
		}
		return x
	}
	p := planting{alike: make([]float64, unitColumns), true: make([]bool, unitColumns)}
	effect := make([]float64, unitColumns)
	for k := range unitCausal {
		c := 7 * k
		if !planted {
			break
		}
		p.true[c], p.alike[c] = true, 1
		effect[c] = *unitEffect * (1 + 0.4*float64(k))
		if c/unitModule%2 == 1 {
			for j := c - c%unitModule; j < c-c%unitModule+unitModule; j++ {
				effect[j], p.alike[j] = effect[c], 1
			}
		}
	}
	shifts := [][]float64{row(1), row(1), row(1)}
	var text strings.Builder
	text.WriteString("label,unit,site")
	for j := range unitColumns {
		fmt.Fprintf(&text, ",G%03d", j)
	}
	for u := range units {
		own, site, value := row(1), r.IntN(3), r.NormFloat64()
		for k := range size {
			class, label := u%2, ""
			if unit == "pairs" || unit == "mixed" {
				class = k % 2
			}
			level := float64(class) - 0.5
			if label = []string{"ctl", "case"}[class]; quantity {
				level, label = value/2, fmt.Sprintf("%.4f", value+0.001*r.NormFloat64())
			}
			x := row(1)
			fmt.Fprintf(&text, "\n%s,u%d,s%d", label, u, site)
			for j, v := range x {
				if v += 2 * effect[j] * level; size > 1 {
					v += own[j]
				}
				if sites {
					v += shifts[site][j]
				}
				fmt.Fprintf(&text, ",%.4f", v)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "table.csv")
	must(os.WriteFile(file, []byte(text.String()+"\n"), 0o600))
	c := config.Config{Data: file, Label: "label", K: unitCausal, Seed: int64(rep), TestFraction: new(0.2)}
	switch {
	case unit == "pairs":
		c.Pairs = "unit"
	case size > 1:
		c.Groups = "unit"
	default:
		c.Ignore = append(c.Ignore, "unit")
	}
	if c.Nuisance = "site"; !sites {
		c.Nuisance, c.Ignore = "", append(c.Ignore, "site")
	}
	if quantity {
		c.Task = config.Regression
	}
	settings, err := c.Resolve()
	must(err)
	p.data, err = dataset.Open(t.Context(), settings, "")
	must(err)
	return p, settings
}
