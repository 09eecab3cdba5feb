// Package kernelspec registers the kernel with Jupyter. It writes a folder
// named [Name] with the logo and kernel.json, the file that holds the command
// that starts the kernel.
//
// # Basics
//
//	dir, err := kernelspec.Directory() // where this program's kernelspec is, or would be
//	err = kernelspec.Install(dir, "/home/me/.local/share/fsnet/bin/fsnet", nil)
//	err = kernelspec.Check(dir) // what would keep Jupyter from starting the kernel
//
// Start reading with [Install].
//
// # Caveats
//
// [Install] replaces a kernelspec of ours, but no other one of that name. A
// command that starts with [ResourceDir] lies next to the kernelspec, as in a
// wheel, which you may unpack anywhere. Any other command is an absolute path.
// If the program moves, you must install it again, as Check reports.
package kernelspec
