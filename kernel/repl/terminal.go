package repl

import (
	"os"

	"golang.org/x/sys/unix"
)

func isTerminal(f *os.File) bool {
	if f == nil {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	return err == nil
}

// columnsOf is the width of a terminal; 0 where it is not known.
func columnsOf(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// withoutEcho keeps what is typed while a verb runs from being shown amid its progress; it is there at the next prompt. Ctrl-C still
// interrupts.
func withoutEcho(f *os.File) (restore func()) {
	fd := int(f.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return func() {}
	}
	silent := *before
	silent.Lflag &^= unix.ECHO
	unix.IoctlSetTermios(fd, setTermios, &silent)                  //nolint:errcheck // typing is shown, then
	return func() { unix.IoctlSetTermios(fd, setTermios, before) } //nolint:errcheck // nothing else can be done
}
