package errs_test

import (
	"fmt"
	"io"
	"strings"

	"fsnetlab/fsnet/errs" //nolint:depguard // an example shows the package as its users see it
)

// An error says what was wrong and what to do; its kind says who can mend it, and with which status a program ends.
func ExampleNew() {
	err := errs.New(errs.Request, "use k=7129 or less", "k = %d is more than the %d features", 8000, 7129)
	fmt.Println(err)
	fmt.Println(errs.Is(err, errs.Request), errs.ExitStatus(err))
	// Output:
	// k = 8000 is more than the 7129 features - use k=7129 or less
	// true 2
}

// Errors from elsewhere get a place and a remedy; one without a kind is a failure.
func ExampleWrap() {
	err := errs.Wrap(io.ErrUnexpectedEOF, errs.Failed, "copy it again", "reading %s", "x.csv")
	fmt.Println(err)
	fmt.Println(errs.With(io.EOF, errs.Unavailable, "start it again"))
	fmt.Println(errs.NotWritten(io.ErrShortWrite))
	fmt.Println(errs.Of(io.EOF).Kind)
	// Output:
	// reading x.csv: unexpected EOF - copy it again
	// EOF - start it again
	// short write - free some space or choose another place
	// failed
}

// What a reader of lines says, with the file before it.
func ExampleAt() {
	err := errs.New(errs.Request, "write k=10", "k = ten is not a number")
	fmt.Println(errs.At(err, "%s, line %d", "plan.txt", 3))
	// Output: plan.txt, line 3: k = ten is not a number - write k=10
}

// A panic in one piece of work becomes its error, and the rest goes on.
func ExampleGuard() {
	log := func(string, ...any) {} // slog.Error, elsewhere
	err := errs.Guard(log, "the matrix", func() error { panic("no row") })
	fmt.Println(errs.Is(err, errs.Failed), strings.HasPrefix(err.Error(), "the matrix failed unexpectedly in errs_test.ExampleGuard"))
	// Output: true true
}
