package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/safetensors"
)

// The keys of the metadata that models and checkpoints share.
const (
	MetaFormat        = "format"
	MetaFormatVersion = "format_version"
	MetaFsnetVersion  = "fsnet_version" // version of the program that wrote the file
	MetaDataset       = "dataset"
	MetaDatasetHash   = "dataset_hash"
	MetaStep          = "step"
	MetaSettings      = "settings" // every key, as in force at that step
)

// ReadFile reads a safetensors file. The error is of kind NotFound if the
// file is missing, and of kind Request if it is damaged or not readable.
func ReadFile(path string) (*safetensors.File, error) {
	f, err := safetensors.Read(path)
	damage := new(safetensors.Damage)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errs.New(errs.NotFound, "check the path", "%s: there is no such file", path)
	case errors.As(err, &damage):
		return nil, errs.With(err, errs.Request, "copy the file again, or make a new one")
	}
	return f, errs.With(err, errs.Request, "name a safetensors file that you may read")
}

// Reader reads the parts of a model or checkpoint from a file. It remembers its
// first error in Err and does nothing after it. So you can read all parts and
// then check Err once.
type Reader struct {
	File        *safetensors.File
	TensorsRead int // number of tensors read so far
	Err         error
}

// Fail records the first error.
func (r *Reader) Fail(format string, args ...any) {
	if r.Err == nil {
		r.Err = fmt.Errorf(format, args...)
	}
}

// Text returns a value of the metadata. It fails if the key is missing.
func (r *Reader) Text(key string) string {
	value, ok := r.File.Metadata[key]
	if !ok {
		r.Fail("%s is missing from its metadata", key)
	}
	return value
}

// Count returns a non-negative integer from the metadata. It fails if the value
// is not one.
func (r *Reader) Count(key string) int {
	text := r.Text(key)
	n, err := strconv.ParseUint(text, 10, strconv.IntSize-1)
	if err != nil {
		r.Fail("%s = %.20q is not a whole number from 0 on", key, text)
	}
	return int(n)
}

// JSON decodes a value of the metadata into the variable that into points to.
// It fails if the value has unknown fields or is followed by other text.
func (r *Reader) JSON(key string, into any) {
	text := r.Text(key)
	if r.Err != nil {
		return
	}

	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		r.Fail("%s = %.60q: %w", key, text, err)
		return
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		r.Fail("%s = %.60q has something after its end", key, text)
	}
}

// Settings decodes settings and checks them as if a user had entered them. It
// fails if a key does not accept its value.
func (r *Reader) Settings(key string) config.Settings {
	var s config.Settings
	r.JSON(key, &s)
	if r.Err != nil {
		return s
	}
	s, err := s.Config().Resolve()
	if err != nil {
		r.Fail("%s: %s", key, errs.Of(err).What)
	}
	return s
}

// Values returns the numbers of a tensor, or nil after an error. It fails if
// the tensor is missing or has another type or shape. It counts the tensors
// that it has read.
func Values[T safetensors.Number](r *Reader, name string, shape ...int) []T {
	if r.Err == nil {
		list, err := safetensors.Values[T](r.File, name, shape...)
		if err == nil {
			r.TensorsRead++
			return list
		}
		r.Fail("%w", err)
	}
	return nil
}

// Finite returns the numbers of a tensor as float64. It fails if one is not
// finite.
func Finite[T float32 | float64](r *Reader, name string, shape ...int) []float64 {
	list := Values[T](r, name, shape...)
	wide := make([]float64, len(list))
	for i, v := range list {
		wide[i] = float64(v)
		if math.IsNaN(wide[i]) || math.IsInf(wide[i], 0) {
			r.Fail("number %d of %s is %v", i, name, v)
		}
	}
	return wide
}

// Distinct returns n integers that must be different and in the range from 0 to
// limit-1. Otherwise it fails.
func (r *Reader) Distinct(name string, n, limit int) []int {
	list := Values[int64](r, name, n)
	out := make([]int, len(list))
	seen := make(map[int64]bool, len(list))
	for i, v := range list {
		if v < 0 || v >= int64(limit) || seen[v] {
			r.Fail("number %d of %s is %d; they are different, from 0 to %d", i, name, v, limit-1)
		}
		seen[v] = true
		out[i] = int(v)
	}
	return out
}
