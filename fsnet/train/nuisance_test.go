package train

import (
	"fmt"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/devicetest"
)

// atSites is data of two sites, each of which has more of one class. Feature
// "site" tells sites apart, and with them most classes; "gene" tells the
// classes apart a little less well; the others are noise.
func atSites(t *testing.T) (*dataset.Dataset, []string) {
	const n, d = 400, 12
	r := num.RNG(3, "sites")
	var x []float32
	var labels, values []string
	features := make([]string, d)
	for j := range features {
		features[j] = fmt.Sprintf("noise%d", j)
	}
	features[4], features[7] = "site", "gene"
	for i := range n {
		class, site := i%2, i%2
		if i%40 >= 34 {
			site = 1 - site // a few of each class
		}
		labels, values = append(labels, fmt.Sprint("class ", class)), append(values, fmt.Sprint("site ", site))
		for j := range d {
			v := r.NormFloat64()
			switch j {
			case 4:
				v = 0.1*v + 3*float64(site)
			case 7:
				v = 1.2*v + 2*float64(class)
			}
			x = append(x, float32(v))
		}
	}
	data := must(dataset.New("sites", x, features, labels))
	return data, values
}

// A gene that only tells sites apart is chosen if nothing says what the sites
// are, and isn't if the site is a nuisance.
func TestTraining_NuisanceIsNotChosen(t *testing.T) {
	devices := devicetest.All(t)
	data, values := atSites(t)
	within := must(data.WithNuisance(values))
	for name, c := range map[string]config.Config{
		"fsnet":    {Epochs: 40},
		"stepwise": {Protocol: config.Stepwise, Epochs: 60},
	} {
		t.Run(name, func(t *testing.T) {
			c.K, c.TestFraction = 1, new(0.2)
			for i, data := range []*dataset.Dataset{data, within} {
				training := open(t, devices[len(devices)-1], data, c)
				run(t, training)
				if got, want := names(t, training), []string{"site", "gene"}[i:i+1]; !slices.Equal(got, want) {
					t.Errorf("chosen is %q, not %q", got, want)
				}
			}
		})
	}
}

// The histogram of a feature has the units of the file, even if sites are
// scaled separately.
func TestFeature_WithNuisance(t *testing.T) {
	data, values := atSites(t)
	within := must(data.WithNuisance(values))
	training := open(t, devicetest.All(t)[0], within, config.Config{K: 1, Epochs: 1})
	for _, name := range []string{"site", "gene"} {
		f := must(training.Feature(name))
		checkFeature(t, training, f)
	}
}
