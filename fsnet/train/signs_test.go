package train

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/devicetest"
)

// signedData returns 60 rows of 90 columns with labels (three classes, or two)
// and a quantity. Over the training rows column 0 has the same mean in each
// class, so that the classes do not say which way it is high. Sparse kinds have
// many zeros instead.
func signedData(kind string) (x []float32, labels []string, target []float64) {
	data := planted(60, 90)
	x = data.X
	for _, y := range data.Y {
		labels = append(labels, data.Classes[y])
	}
	switch kind {
	case "sparse", "streamed", "streamed unscaled", "sparse quantity", "streamed quantity":
		x, labels = counts(60, 90)
	case "two classes":
		for i := range labels {
			labels[i] = []string{"a", "b"}[i/3%2]
			x[i*90+7] += 3 * float32(i/3%2)
		}
		fallthrough
	default:
		classes := must(dataset.New("classes", slices.Clone(x), nil, labels))
		rows := make([][]int, len(classes.Classes))
		for _, i := range must(dataset.Split(classes, must(config.Config{K: 1}.Resolve()))).Train {
			rows[classes.Y[i]] = append(rows[classes.Y[i]], i)
		}
		for _, of := range rows {
			for at, i := range of {
				x[i*90] = float32(2*(at%2) - 1)
			}
			if len(of)%2 == 1 {
				x[of[0]*90] = 0
			}
		}
	}
	for row := range slices.Chunk(x, 90) {
		target = append(target, 40+3*float64(row[5])-2*float64(row[45])+float64(row[7]))
	}
	return x, labels, target
}

// signed makes a data set of this kind.
func signed(kind string, x []float32, labels []string, target []float64) *dataset.Dataset {
	switch kind {
	case "sparse", "streamed", "streamed unscaled":
		return must(dataset.NewSparse(context.Background(), "signed", stored(x, 90), nil, labels))
	case "sparse quantity", "streamed quantity":
		return must(dataset.NewSparseRegression(context.Background(), "signed", stored(x, 90), nil, target))
	case "quantity":
		return must(dataset.NewRegression("signed", x, nil, target))
	}
	data := must(dataset.New("signed", x, nil, labels))
	switch kind {
	case "weights":
		weights := make([]float64, len(labels))
		for i := range weights {
			weights[i] = 1 + float64(i%4)
		}
		return must(data.WithWeights(weights))
	case "nuisance":
		values := make([]string, len(labels))
		for i := range values {
			values[i] = fmt.Sprint("site ", i%4)
		}
		return must(data.WithNuisance(values))
	}
	return data
}

// The sign of a column decides nothing: if any columns are multiplied by −1,
// the same features are chosen with the same probabilities and the same
// network, bit for bit, and views show a feature in the file's own sign.
func TestTraining_SignsChangeNothing(t *testing.T) {
	on := devicetest.All(t)[0]
	masks := map[string]func(j int) bool{
		"all":      func(int) bool { return true },
		"the even": func(j int) bool { return j%2 == 0 },
		"one":      func(j int) bool { return j == 7 },
	}
	for kind, c := range map[string]config.Config{
		"two classes":       {},
		"classes":           {},
		"all features":      {Screen: new(0)}, // reconstruction includes those that no class tells apart
		"quantity":          {Task: config.Regression},
		"unscaled":          {Scaling: "none"},
		"weights":           {ClassWeight: "balanced"},
		"nuisance":          {},
		"missing":           {Missing: "mean"},
		"stepwise":          {Protocol: config.Stepwise},
		"sparse":            {},
		"streamed":          {},
		"streamed unscaled": {Scaling: "none"},
		"sparse quantity":   {Task: config.Regression},
		"streamed quantity": {Task: config.Regression, Screen: new(0)},
	} {
		t.Run(kind, func(t *testing.T) {
			if c.K, c.Epochs = 3, 20; c.Screen == nil {
				c.Screen = new(40)
			}
			most := engine.MostDense
			if strings.HasPrefix(kind, "streamed") {
				most = 0
			}
			trained := func(turned func(j int) bool) *Training {
				x, labels, target := signedData(kind)
				if kind == "missing" {
					for i := 11; i < len(x); i += 29 {
						x[i] = float32(math.NaN())
					}
				}
				for i, v := range x {
					if turned(i % 90) {
						x[i] = -v
					}
				}
				data := signed(kind, x, labels, target)
				training := must(openWith(context.Background(), on, data, must(c.Resolve()), most))
				t.Cleanup(training.Close)
				size := training.engine.Layout.Size()
				training.engine.Fork(make([]float32, size), make([]float32, size)) // so that its programs stay
				run(t, training)
				return training
			}
			want := trained(func(int) bool { return false })
			weights, test := must(want.Weights()), must(want.predict(want.data.Parts.Test))
			parameters, _ := parametersOf(t, want)
			for name, turned := range masks {
				got := trained(turned)
				if !slices.Equal(names(t, got), names(t, want)) || !slices.Equal(must(got.Weights()), weights) {
					t.Errorf("%s multiplied by −1: chosen is %v, not %v, or P is another", name, names(t, got), names(t, want))
				}
				if other, _ := parametersOf(t, got); !slices.Equal(other, parameters) {
					t.Errorf("%s multiplied by −1: other parameters", name)
				}
				if other := must(got.predict(got.data.Parts.Test)); !slices.Equal(other.classes, test.classes) ||
					!slices.Equal(other.quantities, test.quantities) || other.reconstruction != test.reconstruction {
					t.Errorf("%s multiplied by −1: other predictions", name)
				}
				checkSigns(t, got, want, turned)
			}
		})
	}
}

// checkSigns checks that views of a training with turned columns show them
// turned.
func checkSigns(t *testing.T, turned, plain *Training, isTurned func(j int) bool) {
	t.Helper()
	rows, plainRows := must(turned.Rows(session.RowsRequest{})), must(plain.Rows(session.RowsRequest{}))
	for i, f := range rows.Features {
		sign := session.Value(1)
		if isTurned(f.Index) {
			sign = -1
		}
		for at, v := range f.Train {
			if want := sign * plainRows.Features[i].Train[at]; v != want && v == v {
				t.Fatalf("%s of row %d is shown as %v, not %v", f.Name, rows.Train.Row[at], v, want)
			}
		}
		page, plainPage := must(turned.Feature(f.Name)), must(plain.Feature(f.Name))
		low, high := plainPage.All.Min, plainPage.All.Max
		if sign < 0 {
			low, high = -high, -low
		}
		if page.All.Min != low || page.All.Max != high || math.Abs(page.Bins.Edges[0]-low) > 1e-3*(high-low) {
			t.Errorf("%s goes from %v to %v, not from %v to %v; its bins begin at %v", f.Name, page.All.Min, page.All.Max, low, high, page.Bins.Edges[0])
		}
	}
}
