package boundary

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
)

func index(list []int, i int) int { return list[i] }

func TestDo(t *testing.T) {
	plain := errors.New("plain")
	var text strings.Builder
	log := slog.New(slog.NewTextHandler(&text, nil))
	if err := Do(log, "it", func() error { return plain }); err != plain || text.Len() > 0 { //nolint:errorlint // it is the same
		t.Errorf("%v, %q", err, text.String())
	}
	for want, work := range map[string]func() error{
		`boundary\.index \(boundary_test\.go:14\): runtime error: index out of range \[3\] with length 0 - `: func() error { return fmt.Errorf("%d", index(nil, 3)) },
		`boundary\.TestDo\.func\d+ \(boundary_test\.go:\d+\): two lines - `:                                  func() error { panic("two\nlines") },
		`boundary\.TestDo\.func\d+ \(boundary_test\.go:\d+\): runtime error: invalid memory`:                 func() error { return *new(struct{ of *error }).of },
	} {
		text.Reset()
		err := Do(log, "the matrix", work)
		if !errs.Is(err, errs.Failed) || !regexp.MustCompile(`^the matrix failed unexpectedly in `+want).MatchString(err.Error()) {
			t.Errorf("%v, want %s", err, want)
		}
		if line := text.String(); strings.Count(line, "\n") != 1 || !regexp.MustCompile(`level=ERROR msg=panic doing="the matrix" .* calls=".*boundary_test\.go.* < testing\.tRunner`).MatchString(line) {
			t.Errorf("the log says %s", line)
		}
	}
}
