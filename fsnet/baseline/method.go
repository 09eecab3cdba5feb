package baseline

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// Method selects features, or predicts, or both. A value of a method holds
// its settings. The zero value has the defaults.
type Method interface {
	// Entry describes the method.
	Entry() Entry
	// Fit selects o.K features of data and, if the method predicts, learns
	// to predict. It neither changes nor keeps data. The error is of kind
	// Request if data or options do not suit, and of kind Interrupted if ctx
	// was canceled.
	Fit(ctx context.Context, data Data, o Options) (*Model, error)
}

// PathFitter is a Method that selects features for several K in the time of
// one fit.
type PathFitter interface {
	Method
	// FitPath returns the models that Fit would return for each K of ks. ks
	// must rise, and its last element replaces o.K.
	FitPath(ctx context.Context, data Data, o Options, ks []int) ([]*Model, error)
}

// FitOne implements the Fit of a method that has a FitPath.
func FitOne(ctx context.Context, m PathFitter, data Data, o Options) (*Model, error) {
	models, err := m.FitPath(ctx, data, o, []int{o.K})
	if err != nil {
		return nil, err
	}
	return models[0], nil
}

// Entry describes a method.
type Entry struct {
	Name       string
	About      string // one line
	Selects    bool   // selects K features; otherwise it uses every feature, and K is 0
	Predicts   bool   // its Model has a Predictor, or a Regressor if it was fitted to quantities
	Regression bool   // also accepts quantities
	Neural     bool   // trains a network on Options.Device
	Kernels    bool   // computes kernels on Options.Device
	Square     bool   // holds a number for each pair of rows

	// Version rises whenever the method selects, scores or predicts
	// differently for the same data, settings, K and seed, even if only a
	// default has changed, or the program that all neural methods share.
	// Figures of two versions should not appear in one table.
	Version int
}

// Refusal returns an error of kind Request that names the method.
func (e Entry) Refusal(remedy, format string, args ...any) error {
	return errs.New(errs.Request, remedy, e.Name+": "+format, args...)
}

// Options are the options of every method.
type Options struct {
	K        int            // number of features to select, 1…d; 0 for methods that use every feature
	Seed     int64          // seed of everything random
	Progress func(Progress) // called now and then from the goroutine that called Fit; may be nil
	// Device computes networks and kernels, and caches their compiled
	// programs. If it is nil, each Fit opens one for itself.
	Device *device.Scope
}

// Progress says how far a Fit has come.
type Progress struct {
	Stage       string // what is being done, e.g. "kernels"
	Done, Total int    // steps of this stage
}

// checkK rejects an impossible K.
func (o Options) checkK(e Entry, d int) error {
	switch {
	case !e.Selects && o.K != 0:
		return e.Refusal("leave k out; for fewer features fit it to those that another method selected",
			"k = %d, but it uses every feature", o.K)
	case e.Selects && o.K < 1:
		return e.Refusal("use k=1 or more", "k = %d", o.K)
	case o.K > d:
		return e.Refusal("use k="+strconv.Itoa(d)+" or less", "k = %d is more than the %s", o.K, phrase.Count(d, "feature"))
	}
	return nil
}

// settings returns the keys of the settings in the order of the fields and,
// by key, the allowed values and the field.
func settings(m Method) (keys []string, allowed map[string][]string, fields map[string]reflect.Value) {
	allowed, fields = map[string][]string{}, map[string]reflect.Value{}
	v := reflect.ValueOf(m).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if tag, ok := f.Tag.Lookup("set"); ok {
			words := strings.Split(tag, ",")
			keys = append(keys, words[0])
			allowed[words[0]], fields[words[0]] = words[1:], v.FieldByIndex(f.Index)
		}
	}
	return keys, allowed, fields
}

// Settings returns the keys that can follow the name of a method, as in
// "mrmr:criterion=miq". m must be a pointer to its struct.
func Settings(m Method) []string {
	keys, _, _ := settings(m)
	return keys
}

// Set changes settings of a method as described by text of the form
// "key=value,key=value". m must be a pointer to its struct.
//
// Settings are fields with a tag set. The tag holds the key and the smallest
// and largest value or, for a word, the allowed words. The tag default is
// the value that 0 stands for, see [WithDefaults]:
//
//	Epochs int `set:"epochs,1,1e6" default:"300"`
//
// The error is of kind Request if a key is unknown or a value is not
// allowed.
func Set(m Method, text string) error {
	e := m.Entry()
	keys, allowed, fields := settings(m)
	seen := map[string]bool{}
	for pair := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch {
		case len(keys) == 0:
			return e.Refusal("write "+e.Name, "%q: it has no settings", pair)
		case !slices.Contains(keys, key):
			return e.Refusal(phrase.DidYouMean(key, keys), "setting %q is not known", key)
		case !ok:
			return e.Refusal("write "+e.Name+":"+key+"=VALUE", "setting %q has no value", key)
		case seen[key]:
			return e.Refusal("give it once", "setting %q is given twice", key)
		}

		seen[key] = true
		if remedy := assign(fields[key], value, allowed[key]); remedy != "" {
			return e.Refusal(remedy, "%s = %q", key, value)
		}
	}
	return nil
}

// assign sets a field. If the value is not allowed, it sets nothing and
// returns a remedy that names the allowed values. Otherwise it returns "".
func assign(field reflect.Value, value string, allowed []string) (remedy string) {
	if field.Kind() == reflect.String {
		value = strings.ToLower(value)
		if !slices.Contains(allowed, value) {
			return "use one of " + strings.Join(allowed, ", ")
		}
		field.SetString(value)
		return ""
	}

	least, most := number(allowed[0]), number(allowed[1])
	if field.CanInt() {
		x, err := strconv.Atoi(value)
		if err != nil || float64(x) < least || float64(x) > most {
			return fmt.Sprintf("use a whole number from %.0f to %.0f", least, most)
		}
		field.SetInt(int64(x))
		return ""
	}

	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !(x >= least && x <= most) {
		return fmt.Sprintf("use a number from %g to %g", least, most)
	}
	field.SetFloat(x)
	return ""
}

// WithDefaults returns a copy of a method in which every setting that is 0 has
// the default of its tag. A setting without a default stays 0.
func WithDefaults[M any](m M) M {
	v := reflect.ValueOf(&m).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		text, ok := f.Tag.Lookup("default")
		switch field := v.FieldByIndex(f.Index); {
		case !ok || !field.IsZero():
		case field.CanInt():
			field.SetInt(int64(number(text)))
		default:
			field.SetFloat(number(text))
		}
	}
	return m
}

// number parses a number in a tag. Tags are part of the program, so it
// panics on anything else.
func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("baseline: a tag does not hold a number: " + text)
	}
	return x
}
