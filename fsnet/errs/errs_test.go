package errs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// The exit status follows from the kind of the error, also of a wrapped one.
func TestExitStatus_Kinds(t *testing.T) {
	for want, list := range map[int][]error{
		0:   {nil},
		1:   {io.EOF, New(Failed, "", "x"), New(Unavailable, "", "x"), New(Busy, "", "x")},
		2:   {New(Request, "", "x"), New(NotFound, "", "x"), fmt.Errorf("row 3: %w", New(Request, "", "x"))},
		130: {New(Interrupted, "", "x")},
	} {
		for _, err := range list {
			if got := ExitStatus(err); got != want {
				t.Errorf("%v: exit status %d, not %d", err, got, want)
			}
		}
	}
}

// The text around a wrapped error stays, and so does its kind.
func TestOf_KeepsContext(t *testing.T) {
	inner := New(Request, "mend it", "bad value")
	if Of(inner) != inner {
		t.Error("an Error is not returned as it is")
	}
	outer := Of(fmt.Errorf("row 3: %w", inner))
	if outer.Kind != Request || outer.Error() != "row 3: bad value - mend it" {
		t.Errorf("%s: %s", outer.Kind, outer)
	}
	if wrapped := Wrap(io.EOF, Failed, "", "reading %s", "x.csv"); !errors.Is(wrapped, io.EOF) || wrapped.Error() != "reading x.csv: EOF" {
		t.Error(wrapped)
	}
	if Of(nil) != nil || Of(io.EOF).Kind != Failed {
		t.Error("nil or a foreign error")
	}
}

// A missing folder isn't reported as a lack of space.
func TestNotWritten_MissingFolder(t *testing.T) {
	err := os.WriteFile(filepath.Join(t.TempDir(), "missing", "a.png"), nil, 0o600)
	if got := Of(NotWritten(err)).Remedy; got != "choose a directory that exists and that you may write to" {
		t.Error(got)
	}
}
