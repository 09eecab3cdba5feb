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

// Method selects features, or predicts, or both. A value of a method is its settings; its zero value has the defaults.
type Method interface {
	// Entry is what the method is.
	Entry() Entry
	// Fit selects o.K features of data and, where the method predicts, learns to. It does not change or keep data. It returns an error
	// of kind Request where data or options do not suit, and of kind Interrupted where ctx was cancelled.
	Fit(ctx context.Context, data Data, o Options) (*Model, error)
	// Memory is how many bytes a Fit takes at the most besides the data and the program, on host and device together.
	Memory(s Sizes) int64
}

// Entry describes a method.
type Entry struct {
	Name       string // by which it is asked for
	About      string // one line
	Selects    bool   // else it uses every feature, and K is 0
	Predicts   bool   // its Model has a Predictor, and a Regressor where it was fitted to quantities
	Regression bool   // it also takes quantities
	Neural     bool   // it trains a network on Options.Device
	Kernels    bool   // its kernels are computed on Options.Device

	// Version goes up when the method selects, scores or predicts otherwise than before: for the same data, settings, K and seed, also
	// where what changed is a default or the program that all neural methods share. Figures of two versions do not belong in one table.
	Version int
}

// Refusal is an error of kind Request.
func (e Entry) Refusal(remedy, format string, args ...any) error {
	return errs.New(errs.Request, remedy, e.Name+": "+format, args...)
}

// Options are what every method takes.
type Options struct {
	K        int            // features to select, 1…d; 0 for methods that use every feature
	Seed     int64          // everything random is a function of it
	Progress func(Progress) // nil, or called now and then from the goroutine that called Fit
	Memory   int64          // bytes that Fit may take besides the data; 0: what this machine has free
	Device   *device.Scope  // where networks and kernels are computed, with what was compiled before; nil: one is opened for this Fit
}

// Progress says how far a Fit has come.
type Progress struct {
	Stage       string // what is being done, such as "kernels"
	Done, Total int    // steps of this stage
}

// checkK refuses what K cannot be.
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

// settings are the keys in the order of the fields, and by key what is allowed and the field.
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

// Settings are the keys that the name of a method can be followed by, as in "mrmr:criterion=miq". m is a pointer
// to its struct.
func Settings(m Method) []string {
	keys, _, _ := settings(m)
	return keys
}

// Set gives a method, m being a pointer to its struct, the settings of a text such as "key=value,key=value". They are the fields with a tag
// set: the key and the least and the largest value, or, of a word, those that are allowed. The tag default is what 0 stands for
// ([Defaulted]):
//
//	Epochs int `set:"epochs,1,1e6" default:"300"`
//
// It returns an error of kind Request for a key that is not known and for a value that is not allowed.
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

// assign sets a field. Where the value is none of those that are allowed it says which are.
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

// Defaulted is a method with the defaults of the settings that are 0.
func Defaulted[M any](m M) M {
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

// number is one of a tag, which the program itself has written.
func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("baseline: a tag is no number: " + text)
	}
	return x
}
