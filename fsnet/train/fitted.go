package train

import (
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/session"
)

// Fitted is what a training has come to, as numbers: all that a model is made of.
type Fitted struct {
	Dataset, DatasetHash string
	Settings             config.Settings
	Step                 int
	Features             int                // d: columns of the table
	Classes              []string           // by name; of a quantity none
	Unit                 *dataset.Unit      // of a quantity: what the network says is in it; else nil
	Selected             []session.Selected // by rank; of how the training came to them no more than LeadsSince
	Mean, Scale          []float64          // by selector: its feature enters the network as (x − mean)/scale
	Sites                []string           // of the nuisance, nil where there is none
	SiteMean, SiteScale  [][]float64        // by site and selector
	Layers               []FittedLayer      // encoder and classifier, in their order
	Slots                []int              // the class of each output
}

// FittedLayer is x W + b: weights are in×out, row by row, biases out.
type FittedLayer struct{ Weights, Biases []float32 }

// Fitted takes the present selection and network out of the training.
func (t *Training) Fitted() (Fitted, error) {
	selected, err := t.Selection()
	if err != nil {
		return Fitted{}, err
	}
	theta, _, err := t.engine.Parameters()
	if err != nil {
		return Fitted{}, err
	}
	k := len(selected)
	f := Fitted{
		Dataset: t.data.Name, DatasetHash: t.data.Hash, Settings: t.settings, Step: t.step, Features: t.data.D, Classes: t.data.Classes,
		Selected: make([]session.Selected, k), Mean: make([]float64, k), Scale: make([]float64, k), Slots: make([]int, len(t.slots)),
	}
	if w := t.data.Within; w != nil {
		f.Sites = w.Sites
		for range w.Sites {
			f.SiteMean, f.SiteScale = append(f.SiteMean, make([]float64, k)), append(f.SiteScale, make([]float64, k))
		}
	}
	for i, s := range selected {
		f.Selected[i] = session.Selected{
			Rank: s.Rank, Index: s.Index, Name: s.Name, Selector: s.Selector,
			Probability: s.Probability, Margin: s.Margin, LeadsSince: s.LeadsSince,
		}
		c, _ := slices.BinarySearch(t.data.Kept, s.Index)
		f.Mean[s.Selector], f.Scale[s.Selector] = t.data.Mean[c], t.data.Scale[c]
		for b := range f.Sites {
			f.SiteMean[b][s.Selector], f.SiteScale[b][s.Selector] = t.data.Within.Mean[b][c], t.data.Within.Scale[b][c]
		}
	}
	for class, slot := range t.slots {
		f.Slots[slot] = class
	}
	if t.target.Quantity != nil {
		f.Unit, f.Classes, f.Slots = &t.target.unit, nil, nil
	}
	for _, p := range t.engine.Layout.Parameters() {
		if !p.Predicts() {
			continue
		}
		values := theta[p.Start : p.Start+p.Size()]
		if len(p.Dims) == 2 { // weights come before their biases
			f.Layers = append(f.Layers, FittedLayer{Weights: values})
			continue
		}
		f.Layers[len(f.Layers)-1].Biases = values
	}
	return f, nil
}
