package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/errs"
)

// settings are the defaults, changed by words such as "k=3".
func settings(t testing.TB, words ...string) config.Settings {
	t.Helper()
	var c config.Config
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		if err := c.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	return must(c.Resolve())(t)
}

// write makes a file in a directory of the test's own.
func write(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func openText(t testing.TB, name, content string, words ...string) (*Dataset, error) {
	t.Helper()
	path := write(t, name, []byte(content))
	s := settings(t, words...)
	s.Data = path
	return Open(context.Background(), s, "")
}

// parsed is what is read in a file of this content; other formats than that of
// the extension may find themselves in it.
func parsed(path, extension string, content []byte, s config.Settings) (*read.Frame, error) {
	file := bytes.NewReader(content)
	f, err := read.Detect(path, extension, file)
	if err != nil {
		return nil, err
	}
	return f.Read(context.Background(), s, read.Options{Alone: true})
}

// isFault checks that an error is one line for people: a request that names all
// the parts and says what to do.
func isFault(t testing.TB, err error, parts ...string) {
	t.Helper()
	var f *errs.Error
	if !errors.As(err, &f) {
		t.Fatalf("%v (%T) is not a fault", err, err)
	}
	if f.Kind != errs.Request && f.Kind != errs.NotFound {
		t.Errorf("%v is of kind %s", err, f.Kind)
	}
	if f.Remedy == "" {
		t.Errorf("%v has no remedy", err)
	}
	if strings.ContainsAny(err.Error(), "\n\r") {
		t.Errorf("%q is more than one line", err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

// isWhole checks what holds for every data set.
func isWhole(t testing.TB, d *Dataset) {
	t.Helper()
	if d.N < 1 || d.D < 1 || !d.Sparse() && len(d.X) != d.N*d.D || len(d.Y) != d.N || len(d.Features) != d.D || d.Samples != nil && len(d.Samples) != d.N {
		t.Fatalf("shapes: N %d, D %d, X %d, Y %d, features %d, samples %d", d.N, d.D, len(d.X), len(d.Y), len(d.Features), len(d.Samples))
	}
	names := map[string]bool{}
	for _, name := range d.Features {
		if name == "" || names[name] {
			t.Fatalf("feature name %q is empty or repeated", name)
		}
		names[name] = true
	}
	present := make([]bool, len(d.Classes))
	for _, y := range d.Y {
		present[y] = true
	}
	for c, name := range d.Classes {
		if name == "" || !present[c] {
			t.Fatalf("class %q has no name or no rows", name)
		}
	}
	if len(d.Hash) != 64 || d.Name == "" || d.Source == "" {
		t.Fatalf("name %q, source %q, hash %q", d.Name, d.Source, d.Hash)
	}
}

// summary returns features|samples|Y of Classes|X.
func summary(d *Dataset) string {
	return fmt.Sprintf("%s|%s|%v of %s|%v", strings.Join(d.Features, " "), strings.Join(d.Samples, " "), d.Y, strings.Join(d.Classes, " "), d.X)
}

// must is the value that there is, or ends the test.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
