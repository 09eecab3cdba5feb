// Package cuda finds what XLA's CUDA plugin needs beside itself: NVIDIA's driver and NVIDIA's libraries.
//
// # Nouns
//
//   - driver: libcuda.so.1, which comes with the system and which FsNet cannot install.
//   - libraries: cuBLAS, cuDNN and the others, in a directory called nvidia near the plugin, as NVIDIA's Python packages lay them out.
//
// # Basics
//
// [Driver] says whether there is one, [Libraries] loads the libraries, and [GPUs] asks nvidia-smi what the driver sees.
//
// # Caveats
//
// The plugin looks for its libraries by name, in places relative to itself, and not all of them know the way to each other. A library
// that is loaded already is found by every later look-up of that name, so [Libraries] loads them first, as JAX does. What is loaded
// stays loaded until the process ends.
package cuda
