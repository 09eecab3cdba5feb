package fsnet

import (
	"math"
	"slices"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/safetensors"
)

// LoadModel reads a model that Save wrote. It predicts what the saved one predicts, bit for bit, and needs neither the data nor a device.
//
// A file that is not such a model, of another format version, or damaged is refused: the error, of kind Request, names the file and the
// difference; it is of kind NotFound where there is no file.
func LoadModel(path string) (*Model, error) {
	f, err := safetensors.Read(path)
	if err != nil {
		return nil, err
	}
	if format := f.Metadata[metaFormat]; format != modelFormat {
		return nil, fault.New(fault.Request, "name a file that fsnet fit --save or Model.Save wrote", "%s is no model of FsNet: its format is %.40q, not %q", path, format, modelFormat)
	}
	if v := f.Metadata[metaFormatVersion]; v != modelFormatVersion && v != modelFormatFirst {
		return nil, fault.New(fault.Request, "use that fsnet, or train the model again", "%s has format version %.20q, written by fsnet %.40s; this one reads versions %q and %q",
			path, v, f.Metadata[metaFsnetVersion], modelFormatFirst, modelFormatVersion)
	}
	r := &modelReader{fileReader{file: f}}
	if !f.Checked {
		r.fail("it has no checksums")
	}
	m := r.model()
	if r.err != nil {
		return nil, fault.Wrap(r.err, fault.Request, "copy the file again, or train the model again", "%s is not a whole model", path)
	}
	return m, nil
}

// modelReader takes a model out of a file.
type modelReader struct{ fileReader }

func (r *modelReader) model() *Model {
	m := &Model{
		Dataset: r.text(metaDataset), DatasetHash: r.text(metaDatasetHash), Settings: r.settings(metaSettings),
		Features: r.count(metaFeatures), Step: r.count(metaStep),
	}
	var names []string
	r.json(metaClasses, &m.Classes)
	r.json(metaSelected, &names)
	k := m.Settings.K
	if len(names) != k || k > m.Features {
		r.fail("it has %d selected features of %d, and k = %d", len(names), m.Features, k)
	}
	if len(m.Classes) < 2 {
		r.fail("it has %d classes", len(m.Classes))
	}
	if r.err != nil {
		return nil
	}
	m.Selected = r.selected(names, m.Features)
	m.readers = r.readers(m.Selected)
	m.slots = r.distinct(tensorSlots, len(m.Classes), len(m.Classes))
	in := k
	for i, width := range m.Settings.Hidden {
		m.layers = append(m.layers, r.layer("encoder", i, in, width))
		in = width
	}
	m.layers = append(m.layers, r.layer("classifier", 0, in, len(m.Classes)))
	m.layers[len(m.layers)-1].last = true
	if r.read != len(r.file.Tensors) {
		r.fail("it has %d tensors; the model that its settings describe has %d", len(r.file.Tensors), r.read)
	}
	return m
}

// selected is the selection by rank.
func (r *modelReader) selected(names []string, d int) []session.Selected {
	k := len(names)
	index, selector := r.distinct(tensorIndex, k, d), r.distinct(tensorSelector, k, k)
	settled := values[int64](&r.fileReader, tensorSettled, k)
	probability, margin := values[float64](&r.fileReader, tensorProbability, k), values[float64](&r.fileReader, tensorMargin, k)
	if r.err != nil {
		return nil
	}
	list := make([]session.Selected, k)
	for i, name := range names {
		if !isShare(probability[i]) || !isShare(math.Abs(margin[i])) || settled[i] < 0 || settled[i] > math.MaxInt32 {
			r.fail("feature %.40q has probability %v, margin %v, settled since %d", name, probability[i], margin[i], settled[i])
		}
		list[i] = session.Selected{
			Rank: i + 1, Index: index[i], Name: name, Selector: selector[i],
			Probability: probability[i], Margin: margin[i], SettledSince: int(settled[i]),
		}
	}
	return list
}

// isShare leaves room for the rounding of float32; NaN is none.
func isShare(x float64) bool { return x >= 0 && x <= 1.0001 }

func (r *modelReader) readers(selected []session.Selected) []reader {
	k := len(selected)
	numbers := finite[float64]
	if r.file.Metadata[metaFormatVersion] == modelFormatFirst {
		numbers = finite[float32]
	}
	mean, scale := numbers(&r.fileReader, tensorMean, k), numbers(&r.fileReader, tensorScale, k)
	if r.err != nil {
		return nil
	}
	if i := slices.IndexFunc(scale, func(v float64) bool { return v <= 0 }); i >= 0 {
		r.fail("number %d of %s is %v", i, tensorScale, scale[i])
	}
	list := make([]reader, k)
	for _, s := range selected {
		list[s.Selector] = reader{s.Index, mean[s.Selector], scale[s.Selector]}
	}
	return list
}

func (r *modelReader) layer(stack string, number, in, out int) layer {
	w, b := finite[float32](&r.fileReader, parameterName(stack, number, "weights"), in, out), finite[float32](&r.fileReader, parameterName(stack, number, "biases"), out)
	l := layer{b: b}
	for row := range slices.Chunk(w, out) {
		l.w = append(l.w, row)
	}
	return l
}
