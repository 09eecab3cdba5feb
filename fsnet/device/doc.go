// Package device runs graphs: on XLA, which uses a GPU or a CPU through a
// PJRT plugin, or on the Go backend of GoMLX.
//
// # Nouns
//
//   - A [Device] is an open backend with the programs compiled for it.
//   - [Programs] are compiled graphs, cached by a key. The device doesn't
//     know what they compute.
//
// # Basics
//
//	d, err := device.Open(ctx, "auto") // the best that works here; d.Reason says why
//	defer d.Close()
//
// Start with [Open] and [Scope.Call]. Trainings and goroutines may share a
// Device.
//
// # Caveats
//
// You must free tensors with [Free], because the garbage collector doesn't
// see the memory of a device. A GPU is opened with the flags that make
// training reproducible ([CUDAFlags]).
package device
