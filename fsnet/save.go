package fsnet

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/installation"
	"fsnetlab/internal/safetensors"
)

// A model's file is a safetensors file. Its metadata say what it is; lists and settings are JSON.
const (
	modelFormat        = "fsnet-model"
	modelFormatVersion = "4" // goes up with every change that makes another program misread a file

	metaFeatures = "features" // d
	metaClasses  = "classes"
	metaSelected = "selected" // names, by rank
	metaSites    = "sites"    // values of the nuisance
)

// Its tensors, beside the layers' (encoder/0/weights, in×out, encoder/0/biases, …, classifier/0/biases). Everything is F32 that was
// trained or measured as float32, so that no bit is lost; margins are differences made in float64, and rows are scaled in it.
const (
	tensorIndex       = "selected/index"         // K, by rank, as all of selected/
	tensorSelector    = "selected/selector"      // K
	tensorSettled     = "selected/settled_since" // K
	tensorProbability = "selected/probability"   // K, F64
	tensorMargin      = "selected/margin"        // K, F64
	tensorMean        = "scaling/mean"           // K, by selector, F64
	tensorScale       = "scaling/scale"          // K, by selector, F64
	tensorSiteMean    = "nuisance/mean"          // sites×K, by selector, F64
	tensorSiteScale   = "nuisance/scale"         // sites×K, by selector, F64
	tensorSlots       = "classes/slots"          // C: the class of each output of the network
	tensorUnit        = "quantity/unit"          // 2, F64: the mean and the scale of a quantity, instead of the slots
)

// Save writes the model to a file in the safetensors format, which Load reads; a file that is there is replaced, whole or not at
// all. The same model gives the same bytes. It holds names of features and classes and the settings, but no rows of the data.
//
// The error is of kind Failed where the disk is full or may not be written to, and of kind Request where the model is not one that Fit,
// [ModelOf] or Load made.
func (m *Model) Save(path string) error {
	if len(m.network.Layers) == 0 || len(m.Selected) != len(m.readers) {
		return fault.New(fault.Request, "use one from Fit, ModelOf or Load", "%s is not written: the model is empty", path)
	}
	metadata, err := m.metadata(path)
	if err != nil {
		return err
	}
	f := &safetensors.File{Metadata: metadata, Tensors: map[string]safetensors.Tensor{}}
	k := len(m.Selected)
	index, selector, settled := make([]int64, k), make([]int64, k), make([]int64, k)
	probability, margin := make([]float64, k), make([]float64, k)
	for i, s := range m.Selected {
		index[i], selector[i], settled[i] = int64(s.Index), int64(s.Selector), int64(s.LeadsSince)
		probability[i], margin[i] = s.Probability, s.Margin
	}
	mean, scale := make([]float64, k), make([]float64, k)
	for i, r := range m.readers {
		mean[i], scale[i] = r.mean, r.scale
	}
	if len(m.sites) > 0 {
		var means, scales []float64
		for _, readers := range m.within {
			for _, r := range readers {
				means, scales = append(means, r.mean), append(scales, r.scale)
			}
		}
		f.Tensors[tensorSiteMean], f.Tensors[tensorSiteScale] = safetensors.Of(means, len(m.sites), k), safetensors.Of(scales, len(m.sites), k)
	}
	slots := make([]int64, len(m.slots))
	for i, class := range m.slots {
		slots[i] = int64(class)
	}
	if m.Regression() {
		f.Tensors[tensorUnit] = safetensors.Of([]float64{m.unit.Mean, m.unit.Scale}, 2)
	} else {
		f.Tensors[tensorSlots] = safetensors.Of(slots, len(slots))
	}
	f.Tensors[tensorIndex], f.Tensors[tensorSelector], f.Tensors[tensorSettled] = safetensors.Of(index, k), safetensors.Of(selector, k),
		safetensors.Of(settled, k)
	f.Tensors[tensorProbability], f.Tensors[tensorMargin] = safetensors.Of(probability, k), safetensors.Of(margin, k)
	f.Tensors[tensorMean], f.Tensors[tensorScale] = safetensors.Of(mean, k), safetensors.Of(scale, k)
	for i, l := range m.network.Layers {
		stack, number := "encoder", i
		if i == len(m.network.Layers)-1 {
			stack, number = "classifier", 0
		}
		out := len(l.Biases)
		f.Tensors[method.ParameterName(stack, number, "weights")] = safetensors.Of(narrowed(l.Weights), len(l.Weights)/out, out)
		f.Tensors[method.ParameterName(stack, number, "biases")] = safetensors.Of(narrowed(l.Biases), out)
	}
	r := &modelReader{train.Reader{File: f}}
	if r.model(); r.Err != nil { // better no file than one that Load refuses
		return fault.Wrap(r.Err, fault.Request, "use a model from Fit, ModelOf or Load", "%s is not written", path)
	}
	return fault.NotWritten(safetensors.Write(path, f))
}

func (m *Model) metadata(path string) (map[string]string, error) {
	names := make([]string, len(m.Selected))
	for i, s := range m.Selected {
		names[i] = s.Name
	}
	for _, list := range [][]string{names, m.Classes, {m.Dataset}, m.sites} {
		for _, name := range list {
			if !utf8.ValidString(name) { // JSON would write another name
				return nil, fault.New(fault.Request, "rename it in the data", "%s is not written: the name %q is not UTF-8", path, name)
			}
		}
	}
	metadata := map[string]string{
		train.MetaFormat: modelFormat, train.MetaFormatVersion: modelFormatVersion, train.MetaFsnetVersion: installation.Version(),
		train.MetaDataset: m.Dataset, train.MetaDatasetHash: m.DatasetHash,
		metaFeatures: strconv.Itoa(m.Features), train.MetaStep: strconv.Itoa(m.Step),
	}
	lists := map[string]any{train.MetaSettings: m.Settings, metaClasses: m.Classes, metaSelected: names}
	if len(m.sites) > 0 {
		lists[metaSites] = m.sites
	}
	for key, value := range lists {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fault.Wrap(err, fault.Request, "use a model from Fit, ModelOf or Load", "%s is not written: its %s", path, key)
		}
		metadata[key] = string(text)
	}
	return metadata, nil
}

// narrowed are numbers that were trained in 32 bits, in them again.
func narrowed(values []float64) []float32 {
	list := make([]float32, len(values))
	for i, v := range values {
		list[i] = float32(v)
	}
	return list
}
