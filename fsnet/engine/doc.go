// Package engine is FsNet compiled: programs that make many steps in one
// call of a device, and look at what they have learned.
//
// Start with [Engine.Advance].
//
// # Nouns
//
//   - An [Engine] holds the state and inputs of one training on a device.
//   - A [MemoryPlan] bounds the memory of a training in advance.
//   - A [Stopwatch] times steps.
//
// # Basics
//
// Every step is a function of (state, seed, step, live values), no matter
// how you divide steps into calls. A call makes up to [ChunkCapacity] steps.
//
// # Caveats
//
// GoMLX panics while it builds graphs. Every graph is built behind one
// boundary that turns a panic into an error naming the program and its
// shapes. Only one goroutine may use an Engine at a time.
package engine
