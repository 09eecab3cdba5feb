package chart

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// sample is k features over rows of classes of these sizes. Feature j is high in class j mod C; a value in fifty is missing.
func sampleRows(k int, sizes []int, test bool) session.Rows {
	random := rand.New(rand.NewPCG(5, uint64(k)))
	genes := []string{"Zyxin", "FAH", "CD33", "APLP2", "LYN", "MYB", "TCF3 (E2A)", "CCND3", "ADM", "LEPR"}
	r := session.Rows{Session: "leukemia", Step: 1200, Seed: 1}
	part := func(from int) (p session.PartRows) {
		for c, n := range sizes {
			p.Of = append(p.Of, n)
			for range n {
				p.Class = append(p.Class, c)
			}
		}
		random.Shuffle(len(p.Class), func(i, j int) { p.Class[i], p.Class[j] = p.Class[j], p.Class[i] })
		for i := range p.Class {
			p.Row = append(p.Row, from+2*i)
		}
		return p
	}
	r.Train = part(0)
	if test {
		p := part(1)
		r.Test, r.TestLooks = &p, 3
	}
	for c := range sizes {
		r.Classes = append(r.Classes,
			[]string{"ALL", "AML", "CLL", "CML", "healthy donor", "T-ALL", "B-ALL", "Burkitt", "myeloma", "mantle cell", "CD4 naive T cell", "CD8 T cell", "NK", "B cell",
				"plasmacytoid dendritic cell"}[c])
	}
	values := func(p *session.PartRows, j int, effect float64) (list []session.Value) {
		if p == nil {
			return nil
		}
		for _, c := range p.Class {
			v := 500 + 120*random.NormFloat64()
			if c == j%len(sizes) {
				v += 300 * effect
			}
			if random.IntN(50) == 0 {
				v = math.NaN()
			}
			list = append(list, session.Value(v))
		}
		return list
	}
	for j := range k {
		name := genes[j%len(genes)]
		if j >= len(genes) {
			name += fmt.Sprintf("_%d", j)
		}
		r.Features = append(r.Features, session.RowFeature{Index: 7 * j, Name: name, Train: values(&r.Train, j, 1), Test: values(r.Test, j, 1)})
		r.Random = append(r.Random,
			session.RowFeature{Index: 7*j + 1, Name: name + "_other", Train: values(&r.Train, j, 0), Test: values(r.Test, j, 0)})
	}
	return r
}

func rowCases() map[string]session.Rows {
	long := sampleRows(3, []int{1, 9, 1, 12}, false)
	for j := range long.Features {
		long.Features[j].Name = "ENSG0000000000000" + fmt.Sprint(j) + " homologue of an uncharacterised transmembrane protein"
	}
	long.Classes[0], long.Classes[2] = "undifferentiated myelodysplastic syndrome", "<b>acute promyelocytic leukaemia</b>"
	flat := sampleRows(1, []int{4, 5}, false)
	for i := range flat.Features[0].Train {
		flat.Features[0].Train[i] = 3
	}
	flat.Random = nil
	many := sampleRows(50, []int{30, 20, 10, 40, 10, 10, 1, 9, 2, 28}, false)
	many.Train.Of = []int{3000, 2000, 1000, 4000, 1000, 1000, 1, 900, 200, 2800}
	return map[string]session.Rows{
		"ten": sampleRows(10, []int{19, 9}, false), "test": sampleRows(10, []int{19, 9, 7}, true), "many": many, "long": long, "flat": flat,
		"cells": sampleRows(10, []int{30, 20, 12, 40, 10, 10, 1, 9, 2, 28, 3, 1, 1, 14, 20}, true),
	}
}

// rowChart is a kind of picture, with the case that has a golden specification.
type rowChart struct {
	golden string
	draw   func(session.Rows) (Picture, error)
}

func rowCharts() map[string]rowChart {
	return map[string]rowChart{"heatmap": {"test", Heatmap}, "pca": {"ten", PCA}, "distributions": {"flat", Distributions}}
}

// Cells have the file's values, standardised, each under its class. A missing
// one has none.
func TestHeatmap_ShowsValues(t *testing.T) {
	r := rowCases()["test"]
	cells := map[string]float64{}
	for _, row := range heatmapOf(r).spec().Rows {
		g := row[0].Layers[1].Grid
		for i, values := range g.Values {
			for j, v := range values {
				if !math.IsNaN(v) {
					cells[fmt.Sprint(row[0].Y.Bands[i+1], " ", row[0].X.Bands[j], " ", g.About[j])] = v
				}
			}
		}
	}
	for _, f := range r.Features {
		mean, sd, n := 0.0, 0.0, 0.0
		for _, v := range f.Train {
			if x := float64(v); x == x {
				mean, n = mean+x, n+1
			}
		}
		mean /= n
		for _, v := range f.Train {
			if x := float64(v); x == x {
				sd += (x - mean) * (x - mean)
			}
		}
		sd = math.Sqrt(sd / n)
		compare := func(p session.PartRows, values []session.Value) {
			for i, v := range values {
				key := fmt.Sprint(f.Name, " ", p.Row[i], " ", r.Classes[p.Class[i]])
				got, there := cells[key]
				if delete(cells, key); there != (v == v) || there && math.Abs(got-(float64(v)-mean)/sd) > 1e-9 {
					t.Errorf("%s: %g is shown as %g, %v", key, v, got, there)
				}
			}
		}
		compare(r.Train, f.Train)
		compare(*r.Test, f.Test)
	}
	if len(cells) > 0 {
		t.Errorf("cells of nothing: %v", cells)
	}
}

// On the components, distances and variances are those of the features. Shares
// are eigenvalues of the correlation.
func TestProjection_Definition(t *testing.T) {
	r := sampleRows(2, []int{12, 8}, false)
	p := projectionOf(r.Features, "")
	x := [][]float64{}
	for _, f := range r.Features {
		z := scaleOf(f.Train).apply(f.Train)
		for i := range z {
			if z[i] != z[i] {
				z[i] = 0
			}
		}
		x = append(x, z)
	}
	for a := range p.at {
		for b := range p.at {
			want := math.Hypot(x[0][a]-x[0][b], x[1][a]-x[1][b])
			if got := math.Hypot(p.at[a][0]-p.at[b][0], p.at[a][1]-p.at[b][1]); math.Abs(got-want) > 1e-9 {
				t.Fatalf("rows %d and %d: %g apart, want %g", a, b, got, want)
			}
		}
	}
	r = sampleRows(6, []int{12, 8}, false)
	p = projectionOf(r.Features, "")
	correlation, total, eigen := mat.NewSymDense(6, nil), 0.0, mat.EigenSym{}
	for a, f := range r.Features {
		for b, g := range r.Features {
			sum := 0.0
			for i, v := range scaleOf(f.Train).apply(f.Train) {
				if w := scaleOf(g.Train).apply(g.Train)[i]; v == v && w == w {
					sum += v * w
				}
			}
			correlation.SetSym(a, b, sum)
		}
		total += correlation.At(a, a)
	}
	if !eigen.Factorize(correlation, false) {
		t.Fatal("no eigenvalues")
	}
	values := eigen.Values(nil) // rising
	slices.Reverse(values)
	for c, share := range p.shares {
		if math.Abs(share-values[c]/total) > 1e-9 {
			t.Errorf("shares %v, want those of the eigenvalues %v", p.shares, values)
		}
	}
}

// Every density has area 1, however many rows its class has, and is where the
// rows are.
func TestDensity_HasAreaOne(t *testing.T) {
	r := sampleRows(1, []int{200, 10}, false)
	d := distributions{r, members(r.Train)}
	a, spread := d.axis(r.Features[0])
	for c := range r.Classes {
		values := d.sortedValues(r.Features[0], c)
		curve, area, centre, mean := densityOf(values, a, spread), 0.0, 0.0, 0.0
		step := (a.High - a.Low) / (densityPoints - 1)
		for i, y := range curve {
			area, centre = area+y*step, centre+y*step*(a.Low+step*float64(i))
		}
		for _, v := range values {
			mean += v / float64(len(values))
		}
		if math.Abs(area-1) > 0.06 || math.Abs(centre/area-mean) > 0.03*spread {
			t.Errorf("class %d: area %g around %g, mean %g", c, area, centre/area, mean)
		}
	}
	if densityOf([]float64{1, 2, 3}, a, spread) != nil {
		t.Error("three values have a density")
	}
}

// Rows that are empty or inconsistent are rejected by every chart of rows.
func TestRows_Rejects(t *testing.T) {
	short := sampleRows(2, []int{3, 3}, false)
	short.Features[1].Train = short.Features[1].Train[1:]
	strange := sampleRows(2, []int{3, 3}, false)
	strange.Train.Class[0] = 2
	for name, r := range map[string]session.Rows{"nothing": {}, "short": short, "strange": strange} {
		for kind, k := range rowCharts() {
			if _, err := k.draw(r); !errs.Is(err, errs.Failed) {
				t.Errorf("%s of %s: %v", kind, name, err)
			}
		}
	}
}

// Names from the data are text.
func TestRows_NamesAreText(t *testing.T) {
	r := rowCases()["long"]
	for _, k := range rowCharts() {
		p, err := k.draw(r)
		if err != nil {
			t.Fatal(err)
		}
		if svg := string(p.SVG()); strings.Contains(svg, "<b>") || !json.Valid(p.VegaLite()) {
			t.Error("a name became markup")
		}
	}
}
