package session_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// wireTypes is everything that travels.
func wireTypes() []any {
	return []any{
		session.OpenRequest{}, session.NameRequest{}, session.StepRequest{}, session.RunRequest{}, session.RewindRequest{}, session.ForkRequest{},
		session.SetRequest{}, session.MatrixRequest{}, session.FeatureRequest{}, session.FeaturesRequest{}, session.RowsRequest{},
		session.HistoryRequest{}, session.EvaluateRequest{}, session.WatchRequest{}, session.Status{}, session.Event{}, session.Selected{},
		session.Selection{}, session.Matrix{}, session.History{}, session.Evaluation{}, session.Progress{}, session.Update{},
		session.Changes{}, session.Feature{}, session.Rows{}, session.Config{}, config.Settings{},
	}
}

// What is written is read back unchanged, whatever it contains.
func TestWire_RoundTrip(t *testing.T) {
	for _, zero := range wireTypes() {
		kind := reflect.TypeOf(zero)
		t.Run(kind.Name(), func(t *testing.T) {
			number := 0
			for _, filled := range []bool{false, true} {
				value := reflect.New(kind).Elem()
				if filled {
					fill(value, &number)
				}
				line, err := json.Marshal(value.Interface())
				require(t, err)
				if strings.ContainsRune(string(line), '\n') {
					t.Errorf("more than one line: %s", line)
				}
				back := reflect.New(kind)
				require(t, json.Unmarshal(line, back.Interface()))
				if !reflect.DeepEqual(back.Elem().Interface(), value.Interface()) {
					t.Errorf("%+v became %+v by %s", value.Interface(), back.Elem().Interface(), line)
				}
			}
			if kind.Kind() == reflect.Struct && number == 0 {
				t.Error("nothing was filled in")
			}
		})
	}
}

// fill gives every field another value.
func fill(v reflect.Value, number *int) {
	*number++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") == "-" {
				continue
			}
			fill(v.Field(i), number)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), number)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), number)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		element := reflect.New(v.Type().Elem()).Elem()
		fill(element, number)
		key := reflect.New(v.Type().Key()).Elem()
		fill(key, number)
		v.SetMapIndex(key, element)
	case reflect.String:
		v.SetString(fmt.Sprintf("τ%d\n\"<&>\u2028", *number))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*number))
	case reflect.Float64:
		v.SetFloat(float64(*number) + 1e-9)
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic("the wire has a " + v.Kind().String())
	}
}

// Names on the wire are those of the vocabulary: lower case, with underscores.
func TestWire_Names(t *testing.T) {
	word := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	for _, zero := range wireTypes() {
		kind := reflect.TypeOf(zero)
		if kind.Kind() != reflect.Struct {
			continue
		}
		for i := range kind.NumField() {
			f := kind.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.Anonymous && !word.MatchString(name) {
				t.Errorf("%s.%s is %q on the wire", kind.Name(), f.Name, name)
			}
		}
	}
}

// A value that hasn't been measured is null, not 0.
func TestWire_UnknownIsNull(t *testing.T) {
	line, err := json.Marshal(session.Status{Session: "leukemia"})
	require(t, err)
	for _, want := range []string{`"max_probability":null`, `"unique_rows":null`, `"validation_score":null`} {
		if !strings.Contains(string(line), want) {
			t.Errorf("no %s in %s", want, line)
		}
	}
}
