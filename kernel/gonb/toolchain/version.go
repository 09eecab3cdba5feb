package toolchain

import (
	"debug/buildinfo"

	"fsnetlab/fsnet/fault"
)

// Version is the GoNB whose ways package gonb knows: what it publishes, asks, remembers and writes. The installer builds it from [patched].
const Version = "v0.11.5"

// patched is the folder of the source that the patches in install/gonb were applied to, as a binary that was built from it tells. Its number
// rises with what package gonb needs of them; install/binaries.sh has it, too.
const patched = "./patched-2"

// CheckVersion reads which version a GoNB was built from, without starting it. Kind Unavailable: it is not Version with our patches; Go
// cells may work all the same.
func CheckVersion(path string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		info = &buildinfo.BuildInfo{} // a script around it, for example
	}
	version := versionOf(info)
	if version == Version {
		return nil
	}
	return fault.New(fault.Unavailable, "run ./install.sh, which builds "+Version,
		"%s is gonb of %s, not the patched %s: Go cells may fail, or misreport their errors", path, version, Version)
}

// versionOf is the version of a GoNB by what its binary says of itself.
func versionOf(info *buildinfo.BuildInfo) string {
	switch {
	case info.Main.Path != "github.com/janpfeifer/gonb" || info.Main.Version == "":
		return "an unknown version"
	case info.Main.Replace == nil:
		return info.Main.Version + ", unpatched"
	case info.Main.Replace.Path != patched:
		return info.Main.Version + ", altered"
	}
	return info.Main.Version
}
