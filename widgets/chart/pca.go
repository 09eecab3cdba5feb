package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// PCARequest returns the request for the rows that PCA draws.
func PCARequest() session.RowsRequest { return session.RowsRequest{Random: true} }

// PCA draws the training rows on the first two principal components of the
// selected features. If r has random features, it also draws the rows on
// components of those, next to it. Features are standardised, and missing
// values count as the mean. Both axes have the same scale, and state their
// share of the variance. Starting with the eleventh class, colours repeat with
// another shape.
//
// The error is of kind Failed if the rows are inconsistent.
func PCA(r session.Rows) (Picture, error) {
	if err := check(r); err != nil {
		return Picture{}, err
	}
	d := pcaOf(r)
	return draw(d.spec(), true, 0, fixed(d.text())), nil
}

// pca describes the picture.
type pca struct {
	session.Rows
	title string
	plots []projection
}

// projection holds the rows on the components of some features.
type projection struct {
	title  string
	shares []float64    // of the variance, by component
	at     [][2]float64 // position of each row
}

// pcaOf projects the training rows on the selected features and, if the rows
// include them, on random ones.
func pcaOf(r session.Rows) pca {
	d := pca{Rows: r, title: "Training rows of " + words.Plain(r.Session) + " on principal components"}
	d.plots = append(d.plots, projectionOf(r.Features, "the "+phrase.Count(len(r.Features), "selected feature")))
	if len(r.Random) > 0 {
		d.plots = append(d.plots, projectionOf(r.Random, fmt.Sprintf("%s by chance (seed %d)", phrase.Count(len(r.Random), "feature"), r.Seed)))
	}
	return d
}

// projectionOf decomposes the standardised features, rows × features = U S Vᵀ.
// The positions of the rows are U S, and a component holds the share s²/Σs² of
// the variance. The sign of a component is chosen so that its loadings sum to a
// positive number. If no feature varies, all positions and shares are 0.
func projectionOf(features []session.RowFeature, title string) projection {
	n, k := len(features[0].Train), len(features)

	x := mat.NewDense(n, k, nil)
	for j, f := range features {
		for i, v := range scaleOf(f.Train).apply(f.Train) {
			if words.Finite(v) {
				x.Set(i, j, v)
			}
		}
	}

	p := projection{title: title, at: make([][2]float64, n), shares: []float64{0, 0}}

	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) { // fails only for values that aren't finite
		return p
	}

	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)

	values, sum := svd.Values(nil), 0.0
	for _, s := range values {
		sum += s * s
	}

	if !(sum > 0) {
		return p
	}

	p.shares = make([]float64, max(len(values), 2))
	for c, s := range values {
		p.shares[c] = s * s / sum
		if c > 1 || p.shares[c] < 1e-12 {
			continue
		}

		sign := 0.0
		for j := range k {
			sign += v.At(j, c)
		}
		for i := range n {
			p.at[i][c] = math.Copysign(s, sign) * u.At(i, c)
		}
	}
	return p
}

// share returns the share of the variance in the first two components.
func (p projection) share() float64 { return p.shares[0] + p.shares[1] }

// summary returns the shares of the variance in the first two components of
// each plot.
func (d pca) summary() string {
	text := fmt.Sprintf("two components hold %s of the variance of %s", words.Percent(d.plots[0].share()), d.plots[0].title)
	if len(d.plots) > 1 {
		text += fmt.Sprintf(", and %s of %s", words.Percent(d.plots[1].share()), d.plots[1].title)
	}
	return text
}

// pcaSide is the side of a plot, in points.
const pcaSide = 260.0

// spec draws the plots next to each other, with one legend.
func (d pca) spec() spec.Spec {
	s := spec.Spec{Title: d.title, Subtitle: []string{fmt.Sprintf("%s · %s", stepText(d.Rows), rowsText(d.Train, "training row")), d.summary()},
		Alt: d.title + ", " + d.summary() + "."}
	var row []spec.Panel
	for i, p := range d.plots {
		panel := d.plot(p)
		panel.NoLegend = i < len(d.plots)-1
		row = append(row, panel)
	}
	s.Rows = [][]spec.Panel{row}
	return s
}

// plot draws one square. Both axes have the same range, so that you can compare
// lengths.
func (d pca) plot(p projection) spec.Panel {
	reach := 1.0
	for _, at := range p.at {
		reach = max(reach, math.Abs(at[0]), math.Abs(at[1]))
	}
	reach *= 1.05

	panel := spec.Panel{Title: p.title, Width: pcaSide, Height: pcaSide, X: spec.Axis{Title: component(1, p.shares[0]), Low: -reach, High: reach},
		Y: spec.Axis{Title: component(2, p.shares[1]), Low: -reach, High: reach}, Legend: "class (rows)"}

	classes := members(d.Train)
	for c, at := range classes {
		if len(at) > 0 {
			panel.Series = append(panel.Series, spec.Kind(className(d.Rows, d.Train, c, len(at)), c))
		}
	}

	dots := spec.Layer{Mark: spec.Point, Size: 3.2, Tips: []string{"class", "row", "PC1", "PC2"}}
	order := num.Indices(len(classes))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(classes[b]), len(classes[a])) })
	for _, c := range order { // small classes on top
		for _, i := range classes[c] {
			dots.Data = append(dots.Data, spec.Datum{X: p.at[i][0], Y: p.at[i][1], Series: className(d.Rows, d.Train, c, len(classes[c])),
				Tips: []any{words.Plain(d.Classes[c]), d.Train.Row[i], spec.Round(p.at[i][0]), spec.Round(p.at[i][1])}})
		}
	}

	panel.Layers = []spec.Layer{dots}
	return panel
}

// component returns the title of an axis.
func component(number int, share float64) string {
	return fmt.Sprintf("PC%d (%s of the variance)", number, words.Percent(share))
}

// text lists the shares of at most five components, and the mean of each class
// on the first two.
func (d pca) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s · %s\n%s\n", d.title, stepText(d.Rows), rowsText(d.Train, "training row"), d.summary())
	for _, p := range d.plots {
		t := words.Table{{Title: p.title}, {Title: "share of the variance"}}
		for c, share := range p.shares[:min(len(p.shares), 5)] {
			t[0].Cells = append(t[0].Cells, fmt.Sprintf("PC%d", c+1))
			t[1].Cells, t[1].Bars = append(t[1].Cells, words.Percent(share)), append(t[1].Bars, words.Share{Value: share})
		}
		b.WriteString(t.Text(20, 0))

		t = words.Table{{Title: "mean of class", Name: true}, {Title: "PC1", Right: true}, {Title: "PC2", Right: true}}
		for c, at := range members(d.Train) {
			if len(at) == 0 {
				continue
			}
			mean := [2]float64{}
			for _, i := range at {
				mean[0], mean[1] = mean[0]+p.at[i][0]/float64(len(at)), mean[1]+p.at[i][1]/float64(len(at))
			}
			t.Add(className(d.Rows, d.Train, c, len(at)), words.Fixed(mean[0], 2), words.Fixed(mean[1], 2))
		}
		b.WriteString(t.Text(0, classLength+8))
	}
	return b.String()
}
