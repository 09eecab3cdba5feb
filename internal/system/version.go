package system

import (
	"path"
	"runtime/debug"
)

// number is the release of this source, or the next one.
const number = "0.1.0"

// Version returns the release number, followed by the commit if the build knows
// it, as in 0.1.0+1a2b3c4.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return number
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 7 {
			return number + "+" + s.Value[:7]
		}
	}
	return number
}

// Libraries returns the modules that affect numerical results, each with its
// version. If the build does not know them, it returns nil.
func Libraries() []string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	var list []string
	for _, module := range info.Deps {
		switch module.Path {
		case "github.com/gomlx/gomlx", "github.com/gomlx/go-xla", "github.com/gomlx/compute":
			list = append(list, path.Base(module.Path)+" "+module.Version)
		}
	}
	return list
}
