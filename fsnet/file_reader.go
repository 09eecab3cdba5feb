package fsnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/safetensors"
)

// The words that the metadata of models and checkpoints share.
const (
	metaFormat        = "format"
	metaFormatVersion = "format_version"
	metaFsnetVersion  = "fsnet_version" // of the program that wrote it
	metaDataset       = "dataset"
	metaDatasetHash   = "dataset_hash"
	metaStep          = "step"
	metaSettings      = "settings" // every key, as in force at that step
)

// fileReader takes the parts of a model or checkpoint out of a file. After its first error it does nothing more, and what it returned is
// not to be used.
type fileReader struct {
	file *safetensors.File
	read int // tensors
	err  error
}

func (r *fileReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *fileReader) text(key string) string {
	value, ok := r.file.Metadata[key]
	if !ok {
		r.fail("%s is missing from its metadata", key)
	}
	return value
}

func (r *fileReader) count(key string) int {
	text := r.text(key)
	n, err := strconv.ParseUint(text, 10, strconv.IntSize-1)
	if err != nil {
		r.fail("%s = %.20q is not a whole number from 0 on", key, text)
	}
	return int(n)
}

func (r *fileReader) json(key string, into any) {
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

// settings are checked as if a user had asked for them. Files that are older than the key tau_every do not have it.
func (r *fileReader) settings(key string) config.Settings {
	var s config.Settings
	s.TauEvery = config.TauStep
	r.json(key, &s)
	if r.err != nil {
		return s
	}
	s, err := s.Config().Resolve()
	if err != nil {
		r.fail("%s: %s", key, fault.Of(err).What)
	}
	return s
}

// values are the numbers of one tensor, or zeros of that shape after an error.
func values[T safetensors.Number](r *fileReader, name string, shape ...int) []T {
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

// finite are the numbers of a tensor as float64.
func finite[T float32 | float64](r *fileReader, name string, shape ...int) []float64 {
	list := values[T](r, name, shape...)
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
func (r *fileReader) distinct(name string, n, limit int) []int {
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
