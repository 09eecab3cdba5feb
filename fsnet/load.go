package fsnet

import (
	"math"
	"slices"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"
	"fsnetlab/fsnet/saved"
	"fsnetlab/fsnet/session"
)

// Load reads a model that Save wrote. It predicts what the saved one predicts, bit for bit, and needs neither the data nor a device.
//
// A file that is not such a model, of another format version, or damaged is refused: the error, of kind Request, names the file and the
// difference; it is of kind NotFound where there is no file.
func Load(path string) (*Model, error) {
	f, err := saved.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if format := f.Metadata[saved.MetaFormat]; format != modelFormat {
		return nil, fault.New(fault.Request, "name a file that fsnet fit --save or Model.Save wrote",
			"%s is not an FsNet model: its format is %.40q, not %q", path, format, modelFormat)
	}
	if v := f.Metadata[saved.MetaFormatVersion]; v != modelFormatVersion {
		return nil, fault.New(fault.Request, "use that fsnet, or train the model again",
			"%s has format version %.20q, written by fsnet %.40s; this one reads version %q",
			path, v, f.Metadata[saved.MetaFsnetVersion], modelFormatVersion)
	}
	r := &modelReader{saved.Reader{File: f}}
	if !f.Checked {
		r.Fail("it has no checksums")
	}
	m := r.model()
	if r.Err != nil {
		return nil, fault.Wrap(r.Err, fault.Request, "copy the file again, or train the model again", "%s is not a complete model", path)
	}
	return m, nil
}

// modelReader takes a model out of a file.
type modelReader struct{ saved.Reader }

func (r *modelReader) model() *Model {
	m := &Model{
		Dataset: r.Text(saved.MetaDataset), DatasetHash: r.Text(saved.MetaDatasetHash), Settings: r.Settings(saved.MetaSettings),
		Features: r.Count(metaFeatures), Step: r.Count(saved.MetaStep),
	}
	var names []string
	r.JSON(metaClasses, &m.Classes)
	r.JSON(metaSelected, &names)
	k := m.Settings.K
	if len(names) != k || k > m.Features {
		r.Fail("it has %d selected features of %d, and k = %d", len(names), m.Features, k)
	}
	if regression := m.Settings.Regression(); len(m.Classes) < 2 && !regression || regression && len(m.Classes) > 0 {
		r.Fail("it has %d classes", len(m.Classes))
	}
	if r.Err != nil {
		return nil
	}
	m.Selected = r.selected(names, m.Features)
	m.readers = r.readers(m.Selected)
	if m.Settings.Nuisance != "" || r.File.Metadata[metaSites] != "" {
		r.within(m)
	}
	outputs := len(m.Classes)
	if m.Settings.Regression() {
		outputs = 1
		r.unit(m)
	} else {
		m.slots = r.Distinct(tensorSlots, outputs, outputs)
	}
	in := k
	for i, width := range m.Settings.Hidden {
		m.network.Layers = append(m.network.Layers, r.layer("encoder", i, in, width))
		in = width
	}
	m.network.Layers = append(m.network.Layers, r.layer("classifier", 0, in, outputs))
	if r.TensorsRead != len(r.File.Tensors) {
		r.Fail("it has %d tensors; the model that its settings describe has %d", len(r.File.Tensors), r.TensorsRead)
	}
	return m
}

// unit reads how a quantity is scaled.
func (r *modelReader) unit(m *Model) {
	unit := saved.Finite[float64](&r.Reader, tensorUnit, 2)
	if r.Err != nil {
		return
	}
	if m.unit = (dataset.Unit{Mean: unit[0], Scale: unit[1]}); m.unit.Scale <= 0 {
		r.Fail("number 1 of %s is %v", tensorUnit, m.unit.Scale)
	}
}

// selected is the selection by rank.
func (r *modelReader) selected(names []string, d int) []session.Selected {
	k := len(names)
	index, selector := r.Distinct(tensorIndex, k, d), r.Distinct(tensorSelector, k, k)
	settled := saved.Values[int64](&r.Reader, tensorSettled, k)
	probability, margin := saved.Values[float64](&r.Reader, tensorProbability, k), saved.Values[float64](&r.Reader, tensorMargin, k)
	if r.Err != nil {
		return nil
	}
	list := make([]session.Selected, k)
	for i, name := range names {
		if !isShare(probability[i]) || !isShare(math.Abs(margin[i])) || settled[i] < 0 || settled[i] > math.MaxInt32 {
			r.Fail("feature %.40q has probability %v, margin %v, leads since %d", name, probability[i], margin[i], settled[i])
		}
		list[i] = session.Selected{
			Rank: i + 1, Index: index[i], Name: name, Selector: selector[i],
			Probability: probability[i], Margin: margin[i], LeadsSince: int(settled[i]),
		}
	}
	return list
}

// isShare leaves room for the rounding of float32; NaN is none.
func isShare(x float64) bool { return x >= 0 && x <= 1.0001 }

func (r *modelReader) readers(selected []session.Selected) []reader {
	k := len(selected)
	mean, scale := saved.Finite[float64](&r.Reader, tensorMean, k), saved.Finite[float64](&r.Reader, tensorScale, k)
	if r.Err != nil {
		return nil
	}
	if i := slices.IndexFunc(scale, func(v float64) bool { return v <= 0 }); i >= 0 {
		r.Fail("number %d of %s is %v", i, tensorScale, scale[i])
	}
	list := make([]reader, k)
	for _, s := range selected {
		list[s.Selector] = reader{s.Index, mean[s.Selector], scale[s.Selector]}
	}
	return list
}

// within reads how features lie within the values of the nuisance.
func (r *modelReader) within(m *Model) {
	r.JSON(metaSites, &m.sites)
	if len(m.sites) == 0 || slices.Contains(m.sites, "") {
		r.Fail("it has the nuisance %q and %d values of it", m.Settings.Nuisance, len(m.sites))
	}
	if r.Err != nil {
		return
	}
	k := len(m.readers)
	mean := saved.Finite[float64](&r.Reader, tensorSiteMean, len(m.sites), k)
	scale := saved.Finite[float64](&r.Reader, tensorSiteScale, len(m.sites), k)
	if r.Err != nil {
		return
	}
	if i := slices.IndexFunc(scale, func(v float64) bool { return v <= 0 }); i >= 0 {
		r.Fail("number %d of %s is %v", i, tensorSiteScale, scale[i])
	}
	for b := range m.sites {
		m.within = append(m.within, slices.Clone(m.readers))
		for at := range k {
			m.within[b][at].mean, m.within[b][at].scale = mean[b*k+at], scale[b*k+at]
		}
	}
}

func (r *modelReader) layer(stack string, number, in, out int) nn.Layer {
	return nn.Layer{
		Weights: saved.Finite[float32](&r.Reader, method.ParameterName(stack, number, "weights"), in, out),
		Biases:  saved.Finite[float32](&r.Reader, method.ParameterName(stack, number, "biases"), out),
	}
}
