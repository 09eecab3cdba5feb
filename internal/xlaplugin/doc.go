// Package xlaplugin supports XLA's PJRT plugins. It finds what the CUDA plugin
// needs ([CUDADriver], [CUDALibraries]), combines XLA's flags with the user's
// ([MergeFlags]), and keeps compiled programs on disk ([OpenStore], [Wrap]).
// Start with [Wrap].
//
// # Caveats
//
// A CUDA plugin looks for its libraries by name, in places relative to itself,
// and not all libraries find one another. Once a library is loaded, every later
// lookup finds it. So [CUDALibraries] loads them first, as JAX does. They stay
// loaded until the process ends.
//
// XLA reads XLA_FLAGS once in a process, when a plugin's client is created. If
// it does not know a flag, it aborts the process.
//
// The store holds machine code that will be executed, so we reject a directory
// that other users can write to. After any other failure, such as a damaged
// file, a full disk or a directory that is not writable, the plugin compiles.
package xlaplugin
