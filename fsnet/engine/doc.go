// Package engine is FsNet compiled: programs that make many steps in one call of a device, and look
// at what they have learned.
//
// # Nouns
//
//   - an [Engine] holds one training's state and inputs on a device;
//   - a [MemoryPlan] bounds the memory of a training before it is taken;
//   - a [Stopwatch] times steps.
//
// # Basics
//
// Every step is a function of (state, seed, step, live values), however steps are divided into
// calls. A call makes up to [ChunkCapacity] steps.
//
// # Caveats
//
// GoMLX panics while it builds graphs. Every graph is built behind one boundary that turns a panic
// into an error naming the program and its shapes. An Engine is for one goroutine at a time.
package engine
