// Package kernelspec tells Jupyter that the kernel is there: a folder named [Name] with kernel.json, which says how to start it, and the
// logo.
//
// # Basics
//
//	dir, err := kernelspec.Directory() // where this program's kernelspec is, or would be
//	err = kernelspec.Install(dir, "/home/me/.local/share/fsnet/bin/fsnet", nil)
//	err = kernelspec.Check(dir) // what would keep Jupyter from starting the kernel
//
// # Caveats
//
// [Install] replaces a kernelspec of ours, and no other one of that name. A command that begins with [ResourceDir] lies beside the
// kernelspec, as in a wheel, which may be unpacked anywhere; any other is an absolute path, so that a program that was moved has to be
// installed again, which Check says.
package kernelspec
