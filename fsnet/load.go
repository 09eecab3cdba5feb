package fsnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
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
	if v := f.Metadata[metaFormatVersion]; v != modelFormatVersion {
		return nil, fault.New(fault.Request, "use that fsnet, or train the model again", "%s has format version %.20q, written by fsnet %.40s; this one reads version %q",
			path, v, f.Metadata[metaFsnetVersion], modelFormatVersion)
	}
	r := &modelReader{file: f}
	if !f.Checked {
		r.fail("it has no checksums")
	}
	m := r.model()
	if r.err != nil {
		return nil, fault.Wrap(r.err, fault.Request, "copy the file again, or train the model again", "%s is not a whole model", path)
	}
	return m, nil
}

// modelReader takes a model out of a file. After its first error it does nothing more, and what it returned is not to be used.
type modelReader struct {
	file *safetensors.File
	read int // tensors
	err  error
}

func (r *modelReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *modelReader) model() *Model {
	m := &Model{
		Dataset: r.text(metaDataset), DatasetHash: r.text(metaDatasetHash), Settings: r.settings(),
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

func (r *modelReader) text(key string) string {
	value, ok := r.file.Metadata[key]
	if !ok {
		r.fail("%s is missing from its metadata", key)
	}
	return value
}

func (r *modelReader) count(key string) int {
	text := r.text(key)
	n, err := strconv.ParseUint(text, 10, strconv.IntSize-1)
	if err != nil {
		r.fail("%s = %.20q is not a whole number from 0 on", key, text)
	}
	return int(n)
}

func (r *modelReader) json(key string, into any) {
	text := r.text(key)
	if r.err != nil {
		return
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		r.fail("%s = %.60q: %w", key, text, err)
		return
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		r.fail("%s = %.60q has something after its end", key, text)
	}
}

// settings are checked as if a user had asked for them.
func (r *modelReader) settings() config.Settings {
	var s config.Settings
	r.json(metaSettings, &s)
	if r.err != nil {
		return s
	}
	s, err := s.Config().Resolve()
	if err != nil {
		r.fail("%s: %s", metaSettings, fault.Of(err).What)
	}
	return s
}

// values are the numbers of one tensor, or zeros of that shape after an error.
func values[T safetensors.Number](r *modelReader, name string, shape ...int) []T {
	if r.err == nil {
		list, err := safetensors.Values[T](r.file, name, shape...)
		if err == nil {
			r.read++
			return list
		}
		what := strings.TrimPrefix(fault.Of(err).What, r.file.Path+": ")
		r.fail("%s", what)
	}
	return nil
}

// finite are the numbers of a float32 tensor as float64.
func (r *modelReader) finite(name string, shape ...int) []float64 {
	list := values[float32](r, name, shape...)
	wide := make([]float64, len(list))
	for i, v := range list {
		wide[i] = float64(v)
		if math.IsNaN(wide[i]) || math.IsInf(wide[i], 0) {
			r.fail("number %d of %s is %v", i, name, v)
		}
	}
	return wide
}

// distinct reads n different whole numbers from 0 to limit-1.
func (r *modelReader) distinct(name string, n, limit int) []int {
	list := values[int64](r, name, n)
	out := make([]int, len(list))
	seen := make(map[int64]bool, len(list))
	for i, v := range list {
		if v < 0 || v >= int64(limit) || seen[v] {
			r.fail("number %d of %s is %d; they are different, from 0 to %d", i, name, v, limit-1)
		}
		seen[v] = true
		out[i] = int(v)
	}
	return out
}

// selected is the selection by rank.
func (r *modelReader) selected(names []string, d int) []session.Selected {
	k := len(names)
	index, selector := r.distinct(tensorIndex, k, d), r.distinct(tensorSelector, k, k)
	settled := values[int64](r, tensorSettled, k)
	probability, margin := values[float64](r, tensorProbability, k), values[float64](r, tensorMargin, k)
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
	mean, scale := r.finite(tensorMean, k), r.finite(tensorScale, k)
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
	w, b := r.finite(parameterName(stack, number, "weights"), in, out), r.finite(parameterName(stack, number, "biases"), out)
	l := layer{b: b}
	for row := range slices.Chunk(w, out) {
		l.w = append(l.w, row)
	}
	return l
}
