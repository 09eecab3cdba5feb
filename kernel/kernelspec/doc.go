// Package kernelspec registers the kernel with Jupyter: a folder named [Name] with the logo and
// kernel.json, which holds the command that starts it.
//
// # Basics
//
//	dir, err := kernelspec.Directory() // where this program's kernelspec is, or would be
//	err = kernelspec.Install(dir, "/home/me/.local/share/fsnet/bin/fsnet", nil)
//	err = kernelspec.Check(dir) // what would keep Jupyter from starting the kernel
//
// # Caveats
//
// [Install] replaces a kernelspec of ours, but no other of that name. A command that begins with
// [ResourceDir] lies beside the kernelspec, as in a wheel, which may be unpacked anywhere. Any
// other command is an absolute path; if the program moves it must be installed again, as Check
// reports.
package kernelspec
