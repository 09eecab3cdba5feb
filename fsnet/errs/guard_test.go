package errs

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
)

func element(list []int, i int) int { return list[i] }

// A panic becomes one line with the work and the place, and the log gets the
// call stack.
func TestGuard_Panic(t *testing.T) {
	plain := errors.New("plain")
	var text strings.Builder
	log := slog.New(slog.NewTextHandler(&text, nil))
	if err := Guard(log.Error, "it", func() error { return plain }); err != plain || text.Len() > 0 { //nolint:errorlint // it is the same
		t.Errorf("%v, %q", err, text.String())
	}
	for want, work := range map[string]func() error{
		`errs\.element \(guard_test\.go:12\): runtime error: index out of range \[3\] with length 0 - `: func() error { return fmt.Errorf("%d", element(nil, 3)) },
		`errs\.TestGuard_Panic\.func\d+ \(guard_test\.go:\d+\): two lines - `:                           func() error { panic("two\nlines") },
		`errs\.TestGuard_Panic\.func\d+ \(guard_test\.go:\d+\): runtime error: invalid memory`:          func() error { return *new(struct{ of *error }).of },
	} {
		text.Reset()
		err := Guard(log.Error, "the matrix", work)
		if !Is(err, Failed) || !regexp.MustCompile(`^the matrix failed unexpectedly in `+want).MatchString(err.Error()) {
			t.Errorf("%v, want %s", err, want)
		}
		if line := text.String(); strings.Count(line, "\n") != 1 || !regexp.MustCompile(`level=ERROR msg=panic doing="the matrix" .* calls=".*guard_test\.go.* < testing\.tRunner`).MatchString(line) {
			t.Errorf("the log says %s", line)
		}
	}
}
