// Package device opens the places where graphs run: XLA on a GPU or a CPU through a PJRT plugin, or GoMLX's own Go backend.
//
// # Nouns
//
//   - a [Device] is one of them, with the programs that were compiled for it;
//   - [Programs] are compiled graphs, kept by a key that says what they are of. The device does not know what they compute.
//
// # Basics
//
//	d, err := device.Open(ctx, "auto") // the best that works here; d.Reason says why
//	defer d.Close()
//
// A Device may be shared by trainings and goroutines.
//
// # Caveats
//
// Tensors are freed with [Free]: the garbage collector does not see the memory of a device. A GPU is opened with the flags that make
// training reproducible ([CUDAFlags]).
package device
