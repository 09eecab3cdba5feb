// Command goxla fetches the PJRT CPU plugin that go-xla publishes for this platform, with go-xla's
// installer. install.sh runs it if no plugin with a known hash exists.
package main

import (
	"fmt"
	"os"

	"github.com/gomlx/go-xla/installer"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: goxla DIRECTORY")
		os.Exit(2)
	}
	if err := installer.CPUAutoInstall(os.Args[1], true, installer.Verbose); err != nil {
		fmt.Fprintf(os.Stderr, "go-xla's installer has no plugin for this machine: %v\n", err)
		os.Exit(1)
	}
}
