package boundary

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"fsnetlab/fsnet/fault"
)

func index(list []int, i int) int { return list[i] }

func TestDo(t *testing.T) {
	plain := errors.New("plain")
	var log strings.Builder
	if err := Do(&log, "it", func() error { return plain }); err != plain || log.Len() > 0 { //nolint:errorlint // it is the same
		t.Errorf("%v, %q", err, log.String())
	}
	for want, work := range map[string]func() error{
		`boundary\.index \(boundary_test\.go:13\): runtime error: index out of range \[3\] with length 0 - `: func() error { return fmt.Errorf("%d", index(nil, 3)) },
		`boundary\.TestDo\.func\d+ \(boundary_test\.go:\d+\): two lines - `:                                  func() error { panic("two\nlines") },
		`boundary\.TestDo\.func\d+ \(boundary_test\.go:\d+\): runtime error: invalid memory`:                 func() error { return *new(struct{ of *error }).of },
	} {
		log.Reset()
		err := Do(&log, "the matrix", work)
		if !fault.Is(err, fault.Failed) || !regexp.MustCompile(`^the matrix failed unexpectedly in `+want).MatchString(err.Error()) {
			t.Errorf("%v, want %s", err, want)
		}
		if !strings.Contains(log.String(), "goroutine ") || !strings.Contains(log.String(), "boundary_test.go") {
			t.Errorf("the log has no stack: %s", log.String())
		}
	}
}
