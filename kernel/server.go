package kernel

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"fsnetlab/kernel/internal/process"
)

var serverProgram = regexp.MustCompile(`^jupyter.*(lab|notebook|server|nbclassic|voila|hub|gateway)`)

// underServer reports whether a Jupyter Server with its default limits has
// started this kernel.
func underServer() bool {
	parent := process.Info{ID: os.Getppid()}
	parent.Detail()
	return limitsOutput(parent.Command, os.Getenv("JPY_SESSION_NAME"))
}

// limitsOutput reports whether a program drops what a kernel publishes too
// fast. Jupyter Server names a session for the kernels of notebooks.
func limitsOutput(command []string, session string) bool {
	if line := strings.Join(command, " "); strings.Contains(line, "rate_limit") || strings.Contains(line, "limit_rate") {
		return false // its user has decided
	}
	for _, word := range command[:min(3, len(command))] {
		if serverProgram.MatchString(filepath.Base(word)) {
			return true
		}
	}
	return session != ""
}
