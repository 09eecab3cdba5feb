// Package version says which FsNet this is.
package version

import "runtime/debug"

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
