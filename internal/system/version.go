package system

import (
	"path"
	"runtime/debug"
)

// number is the release that this source is, or leads to.
const number = "0.1.0"

// Version is the release number, with the commit where the build knows it.
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

// Libraries names the modules that decide what a number is, with their versions.
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
