package fsnet

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"
	"fsnetlab/fsnet/output"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/safetensors"
	"fsnetlab/internal/system"
)

// The file of a model is a safetensors file. Its metadata describe the model;
// lists and settings are JSON.
const (
	modelFormat        = "fsnet-model"
	modelFormatVersion = "4" // raised by every change that makes another version misread a file

	metaFeatures = "features" // d
	metaClasses  = "classes"
	metaSelected = "selected" // names, by rank
	// metaReasons holds, by rank, how each feature was chosen and what it
	// replaced. Files of older versions lack it.
	metaReasons = "reasons"
	metaSites   = "sites" // values of the nuisance
	metaHeads   = "heads" // number of networks that predict together, if there are several
	metaWords   = "words" // by covariate; optional
)

// The tensors other than those of the layers (encoder/0/weights, in×out,
// encoder/0/biases, …, classifier/0/biases). Values trained or measured as
// float32 are F32, so that no bit is lost. Margins are differences in
// float64, and rows are scaled in float64.
const (
	tensorIndex       = "selected/index"         // K, by rank like all of selected/
	tensorSelector    = "selected/selector"      // K
	tensorSettled     = "selected/settled_since" // K
	tensorProbability = "selected/probability"   // K, F64
	tensorMargin      = "selected/margin"        // K, F64
	tensorMean        = "scaling/mean"           // K, by selector, F64
	tensorScale       = "scaling/scale"          // K, by selector, F64
	// tensorSeen is 2×K, by selector, F64: the means and standard deviations of
	// the training rows, even with scaling=none.
	tensorSeen      = "scaling/measured"
	tensorSiteMean  = "nuisance/mean"  // sites×K, by selector, F64
	tensorSiteScale = "nuisance/scale" // sites×K, by selector, F64
	tensorSlots     = "classes/slots"  // C: the class of each output of the network
	// tensorUnit is 2, F64: the mean and the scale of a quantity. A model of a
	// quantity has it instead of the slots.
	tensorUnit = "quantity/unit"
)

// IsModel reports whether a file is a model. It reads only the header.
func IsModel(path string) bool { return output.IsSafetensors(modelFormat)(path) }

// Save writes the model to a file in the safetensors format that Load reads. It
// replaces an existing model completely or not at all, and does not replace any
// other file. The same model gives the same bytes. The file holds the names of
// features and classes and the settings, but no rows of the data.
//
// If the disk is full, the error is of kind Failed. If the file cannot be
// written or is not a model, or if m was not made by Fit, [ModelOf] or Load,
// the error is of kind Request.
func (m *Model) Save(path string) error {
	if len(m.heads) == 0 || len(m.Selected) != len(m.readers) {
		return errs.New(errs.Request, "use one from Fit, ModelOf or Load", "%s is not written: the model is empty", path)
	}
	metadata, err := m.metadata(path)
	if err != nil {
		return err
	}

	k := len(m.Selected)
	mean, scale := func(r reader) float64 { return r.mean }, func(r reader) float64 { return r.scale }
	f := &safetensors.File{Metadata: metadata, Tensors: map[string]safetensors.Tensor{
		tensorIndex:       safetensors.Of(listOf(m.Selected, func(s session.Selected) int64 { return int64(s.Index) }), k),
		tensorSelector:    safetensors.Of(listOf(m.Selected, func(s session.Selected) int64 { return int64(s.Selector) }), k),
		tensorSettled:     safetensors.Of(listOf(m.Selected, func(s session.Selected) int64 { return int64(s.LeadsSince) }), k),
		tensorProbability: safetensors.Of(listOf(m.Selected, func(s session.Selected) float64 { return s.Probability }), k),
		tensorMargin:      safetensors.Of(listOf(m.Selected, func(s session.Selected) float64 { return s.Margin }), k),
		tensorMean:        safetensors.Of(listOf(m.readers, mean), k),
		tensorScale:       safetensors.Of(listOf(m.readers, scale), k),
	}}

	if m.seen != nil {
		f.Tensors[tensorSeen] = safetensors.Of(m.seen, 2, k)
	}
	if len(m.sites) > 0 {
		all := slices.Concat(m.within...)
		f.Tensors[tensorSiteMean] = safetensors.Of(listOf(all, mean), len(m.sites), k)
		f.Tensors[tensorSiteScale] = safetensors.Of(listOf(all, scale), len(m.sites), k)
	}
	if m.Regression() {
		f.Tensors[tensorUnit] = safetensors.Of([]float64{m.unit.Mean, m.unit.Scale}, 2)
	} else {
		f.Tensors[tensorSlots] = safetensors.Of(listOf(m.slots, func(class int) int64 { return int64(class) }), len(m.slots))
	}

	narrow := func(v float64) float32 { return float32(v) } // They were trained in 32 bits.
	for h, head := range m.heads {
		for i, l := range head.Layers {
			stack, number := "encoder", i
			if i == len(head.Layers)-1 {
				stack, number = "classifier", 0
			}
			out, prefix := len(l.Biases), headPrefix(h, len(m.heads))
			f.Tensors[prefix+method.ParameterName(stack, number, "weights")] = safetensors.Of(listOf(l.Weights, narrow), len(l.Weights)/out, out)
			f.Tensors[prefix+method.ParameterName(stack, number, "biases")] = safetensors.Of(listOf(l.Biases, narrow), out)
		}
	}

	r := &modelReader{train.Reader{File: f}}
	if r.readModel(); r.Err != nil { // No file is better than one that Load rejects.
		return errs.Wrap(r.Err, errs.Request, "use a model from Fit, ModelOf or Load", "%s is not written", path)
	}

	content, err := safetensors.Encode(f)
	if err != nil {
		return err
	}
	return output.File{Path: path, Verb: "Save", Own: IsModel}.Write(nil, content)
}

// metadata returns the metadata of the model's file. A name that is not
// UTF-8 is an error. path is only for that error.
func (m *Model) metadata(path string) (map[string]string, error) {
	names := m.names()
	for _, list := range [][]string{names, m.Classes, {m.Dataset}, m.sites} {
		for _, name := range list {
			if !utf8.ValidString(name) { // JSON would write another name.
				return nil, errs.New(errs.Request, "rename it in the data", "%s is not written: the name %q is not UTF-8", path, name)
			}
		}
	}

	metadata := map[string]string{
		train.MetaFormat: modelFormat, train.MetaFormatVersion: modelFormatVersion, train.MetaFsnetVersion: system.Version(),
		train.MetaDataset: m.Dataset, train.MetaDatasetHash: m.DatasetHash,
		metaFeatures: strconv.Itoa(m.Features), train.MetaStep: strconv.Itoa(m.Step),
	}
	lists := map[string]any{train.MetaSettings: m.Settings, metaClasses: m.Classes, metaSelected: names}
	if m.Selected[0].ChosenBy != "" {
		lists[metaReasons] = listOf(m.Selected, func(s session.Selected) reason { return reason{s.ChosenBy, s.Replaced} })
	}
	if len(m.sites) > 0 {
		lists[metaSites] = m.sites
	}
	if len(m.heads) > 1 {
		metadata[metaHeads] = strconv.Itoa(len(m.heads))
	}
	if m.words != nil {
		lists[metaWords] = m.words
	}
	for key, value := range lists {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, errs.Wrap(err, errs.Request, "use a model from Fit, ModelOf or Load", "%s is not written: its %s", path, key)
		}
		metadata[key] = string(text)
	}
	return metadata, nil
}

// reason is how a feature was chosen. See [session.Selected].
type reason struct {
	ChosenBy string         `json:"chosen_by"`
	Replaced *session.Entry `json:"replaced,omitempty"`
}

// listOf returns of(e) for each element e of list.
func listOf[E, V any](list []E, of func(E) V) []V {
	values := make([]V, len(list))
	for i, element := range list {
		values[i] = of(element)
	}
	return values
}

// Load reads a model that Save wrote. It predicts what the saved model
// predicts, bit for bit, and needs neither the data nor a device.
//
// If the file is not a model, has another format version or is damaged, the
// error is of kind Request and names the file and the difference. If the file
// does not exist, the error is of kind NotFound.
func Load(path string) (*Model, error) {
	f, err := train.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if format := f.Metadata[train.MetaFormat]; format != modelFormat {
		return nil, errs.New(errs.Request, "name a file that fsnet fit --save or Model.Save wrote",
			"%s is not an FsNet model: its format is %.40q, not %q", path, format, modelFormat)
	}
	if v := f.Metadata[train.MetaFormatVersion]; v != modelFormatVersion {
		return nil, errs.New(errs.Request, "use that fsnet, or train the model again",
			"%s has format version %.20q, written by fsnet %.40s; this one reads version %q",
			path, v, f.Metadata[train.MetaFsnetVersion], modelFormatVersion)
	}
	r := &modelReader{train.Reader{File: f}}
	if !f.Checked {
		r.Fail("it has no checksums")
	}
	m := r.readModel()
	if r.Err != nil {
		return nil, errs.Wrap(r.Err, errs.Request, "copy the file again, or train the model again", "%s is not a complete model", path)
	}
	return m, nil
}

// modelReader reads a model from a file.
type modelReader struct{ train.Reader }

// readModel reads the whole file. The caller must check r.Err: if it is set, the
// result is invalid. model fails if the file has tensors that the settings do
// not require.
func (r *modelReader) readModel() *Model {
	m := &Model{
		Dataset: r.Text(train.MetaDataset), DatasetHash: r.Text(train.MetaDatasetHash), Settings: r.Settings(train.MetaSettings),
		Features: r.Count(metaFeatures), Step: r.Count(train.MetaStep),
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

	if r.File.Metadata[metaWords] != "" {
		r.JSON(metaWords, &m.words)
	}
	m.Selected = r.selected(names, m.Features)
	m.readers = r.readers(m.Selected)
	if _, there := r.File.Tensors[tensorSeen]; there {
		m.seen = train.Finite[float64](&r.Reader, tensorSeen, 2, k)
	}
	if m.Settings.Nuisance != "" || r.File.Metadata[metaSites] != "" {
		r.within(m)
	}

	outputs := len(m.Classes)
	if m.Settings.Regression() {
		outputs = 1
		r.readUnit(m)
	} else {
		m.slots = r.Distinct(tensorSlots, outputs, outputs)
	}

	heads := 1
	if r.File.Metadata[metaHeads] != "" {
		heads = r.Count(metaHeads)
	}
	if heads < 1 || heads > len(r.File.Tensors) {
		r.Fail("it has %d heads", heads)
		return nil
	}

	for h := range heads {
		in, prefix, head := k, headPrefix(h, heads), nn.Perceptron{}
		for i, width := range m.Settings.Hidden {
			head.Layers = append(head.Layers, r.readLayer(prefix+"encoder", i, in, width))
			in = width
		}
		head.Layers = append(head.Layers, r.readLayer(prefix+"classifier", 0, in, outputs))
		m.heads = append(m.heads, head)
	}

	if r.TensorsRead != len(r.File.Tensors) {
		r.Fail("it has %d tensors; the model that its settings describe has %d", len(r.File.Tensors), r.TensorsRead)
	}
	return m
}

// headPrefix returns the prefix of the names of the tensors of a head. If
// there is only one head, it returns "".
func headPrefix(head, heads int) string {
	if heads == 1 {
		return ""
	}
	return fmt.Sprintf("heads/%d/", head)
}

// readUnit reads the mean and scale of a quantity into m.
func (r *modelReader) readUnit(m *Model) {
	unit := train.Finite[float64](&r.Reader, tensorUnit, 2)
	if r.Err != nil {
		return
	}
	if m.unit = (dataset.Unit{Mean: unit[0], Scale: unit[1]}); m.unit.Scale <= 0 {
		r.Fail("number 1 of %s is %v", tensorUnit, m.unit.Scale)
	}
}

// selected reads the selected features, by rank. names are their names, and d
// is the number of columns of the training table.
func (r *modelReader) selected(names []string, d int) []session.Selected {
	k := len(names)
	index, selector := r.Distinct(tensorIndex, k, d), r.Distinct(tensorSelector, k, k)
	settled := train.Values[int64](&r.Reader, tensorSettled, k)
	probability, margin := train.Values[float64](&r.Reader, tensorProbability, k), train.Values[float64](&r.Reader, tensorMargin, k)
	reasons := make([]reason, k)
	if r.File.Metadata[metaReasons] != "" {
		if r.JSON(metaReasons, &reasons); r.Err == nil && len(reasons) != k {
			r.Fail("it has %d reasons for %d features", len(reasons), k)
		}
	}
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
			ChosenBy: reasons[i].ChosenBy, Replaced: reasons[i].Replaced,
		}
	}
	return list
}

// isShare reports whether x is from 0 to 1, with room for rounding in float32.
// It returns false for NaN.
func isShare(x float64) bool { return x >= 0 && x <= 1.0001 }

// readers reads the reader of each selector over all training rows. After an
// error it returns nil.
func (r *modelReader) readers(selected []session.Selected) []reader {
	k := len(selected)
	mean, scale := train.Finite[float64](&r.Reader, tensorMean, k), r.scales(tensorScale, k)
	if r.Err != nil {
		return nil
	}
	list := make([]reader, k)
	for _, s := range selected {
		list[s.Selector] = reader{s.Index, mean[s.Selector], scale[s.Selector]}
	}
	return list
}

// scales returns numbers that readers divide by. It calls Fail if one of them
// is 0 or not finite, and returns the list even then.
func (r *modelReader) scales(name string, shape ...int) []float64 {
	list := train.Finite[float64](&r.Reader, name, shape...)
	if i := slices.IndexFunc(list, func(v float64) bool { return v == 0 }); i >= 0 {
		r.Fail("number %d of %s is %v", i, name, list[i])
	}
	return list
}

// within reads the values of the nuisance, and the readers of each value, into
// m.
func (r *modelReader) within(m *Model) {
	r.JSON(metaSites, &m.sites)
	if len(m.sites) == 0 || slices.Contains(m.sites, "") {
		r.Fail("it has the nuisance %q and %d values of it", m.Settings.Nuisance, len(m.sites))
	}
	if r.Err != nil {
		return
	}

	k := len(m.readers)
	mean := train.Finite[float64](&r.Reader, tensorSiteMean, len(m.sites), k)
	scale := r.scales(tensorSiteScale, len(m.sites), k)
	if r.Err != nil {
		return
	}
	for b := range m.sites {
		m.within = append(m.within, slices.Clone(m.readers))
		for at := range k {
			m.within[b][at].mean, m.within[b][at].scale = mean[b*k+at], scale[b*k+at]
		}
	}
}

// readLayer reads the weights of a layer, in×out, and its biases. It fails if
// one is not finite.
func (r *modelReader) readLayer(stack string, number, in, out int) nn.Layer {
	return nn.Layer{
		Weights: train.Finite[float32](&r.Reader, method.ParameterName(stack, number, "weights"), in, out),
		Biases:  train.Finite[float32](&r.Reader, method.ParameterName(stack, number, "biases"), out),
	}
}
