// Package xlaplugin is what FsNet does around XLA's PJRT plugins: it finds what the CUDA plugin needs ([CUDADriver], [CUDALibraries]), joins
// XLA's flags with the user's ([MergeFlags]), and keeps what a plugin compiles on disk ([OpenStore], [Wrap]).
//
// # Caveats
//
// A CUDA plugin looks for its libraries by name, in places relative to itself, and not all of them know the way to each other. A library
// that is loaded already is found by every later look-up of that name, so [CUDALibraries] loads them first, as JAX does. What is loaded
// stays loaded until the process ends.
//
// XLA reads XLA_FLAGS once in a process, when a plugin's client is made, and ends the process over a flag that it does not know.
//
// What the store keeps is machine code, and is run: a directory that others could write to is refused. Whatever else goes wrong - a file
// that is damaged, a disk that is full, a directory that cannot be written - the plugin compiles.
package xlaplugin
