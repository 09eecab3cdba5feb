// Package device runs graphs: on XLA on a GPU or a CPU through a PJRT plugin, or on GoMLX's own Go
// backend.
//
// # Nouns
//
//   - a [Device] is an open backend with the programs compiled for it;
//   - [Programs] are compiled graphs, kept by a key. The device does not know what they compute.
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
// Free tensors with [Free], because the garbage collector does not see the memory of a device. A
// GPU is opened with the flags that make training reproducible ([CUDAFlags]).
package device
