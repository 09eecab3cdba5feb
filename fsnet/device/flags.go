package device

import (
	"os"

	"fsnetlab/internal/xlaflags"
)

const xlaFlags = "XLA_FLAGS"

// olderEmitters has XLA's CPU compiler write loops as it did before it had MLIR for that: it compiles in half the time and memory, the
// steps take as long, and some sums differ in their last digit (docs/performance.md). XLA ends the process over a flag that it does not
// know; this one is as old as the plugins are, and what is in it is passed over where XLA does not know it.
const olderEmitters = "--xla_backend_extra_options=xla_cpu_disable_new_fusion_emitters=true"

// setCPUEnvironment sets what a plugin for the processor reads from the environment, once, when it is opened, and returns how to take it
// back. The user's own flags win.
func setCPUEnvironment() (restore func(), err error) {
	user, err := xlaflags.User(os.Getenv(xlaFlags))
	if err != nil {
		return nil, err
	}
	merged, _ := xlaflags.Merge(user, []string{olderEmitters})
	return setEnvironment(map[string]string{xlaFlags: merged}), nil
}

// setEnvironment sets variables and returns how to take it back.
func setEnvironment(values map[string]string) (restore func()) {
	old := map[string]*string{}
	for name, value := range values {
		if before, ok := os.LookupEnv(name); ok {
			old[name] = &before
		} else {
			old[name] = nil
		}
		os.Setenv(name, value) //nolint:errcheck // fails for an empty name only
	}
	return func() {
		for name, value := range old {
			if value == nil {
				os.Unsetenv(name) //nolint:errcheck // as above
			} else {
				os.Setenv(name, *value) //nolint:errcheck // as above
			}
		}
	}
}
