// Package xlaplugin supports XLA's PJRT plugins: it finds what the CUDA plugin needs ([CUDADriver],
// [CUDALibraries]), joins XLA's flags with the user's ([MergeFlags]), and keeps compiled programs
// on disk ([OpenStore], [Wrap]).
//
// # Caveats
//
// A CUDA plugin looks for its libraries by name, in places relative to itself, and not all
// libraries find one another. Every later lookup finds a library that is already loaded, so
// [CUDALibraries] loads them first, as JAX does. They stay loaded until the process ends.
//
// XLA reads XLA_FLAGS once in a process, when a plugin's client is created, and aborts the process
// if it does not know a flag.
//
// The store holds machine code that will be executed, so a directory that others can write to is
// refused. After any other failure - a damaged file, a full disk, a directory that is not writable
// - the plugin compiles.
package xlaplugin
