// Package cuda finds what XLA's CUDA plugin needs beside itself: NVIDIA's driver, NVIDIA's libraries, and the flags under which a
// training is reproducible.
//
// # Nouns
//
//   - driver: libcuda.so.1, which comes with the system and which FsNet cannot install.
//   - libraries: cuBLAS, cuDNN and the others, in a directory called nvidia near the plugin, as NVIDIA's Python packages lay them out.
//   - flags: the environment variable XLA_FLAGS, which XLA reads once, after the plugin is loaded.
//
// # Basics
//
// [Driver] says whether there is one, [Libraries] loads the libraries, [MergeFlags] joins FsNet's flags with those of the user, and
// [GPUs] asks nvidia-smi what the driver sees.
//
// # Caveats
//
// The plugin looks for its libraries by name, in places relative to itself, and not all of them know the way to each other. A library
// that is loaded already is found by every later look-up of that name, so [Libraries] loads them first, as JAX does. What is loaded
// stays loaded until the process ends.
package cuda
