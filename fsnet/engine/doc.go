// Package engine is FsNet compiled: programs that make many steps in one call of a device, and look into what they have learnt.
//
// # Nouns
//
//   - an [Engine] holds one training's state and inputs on a device;
//   - a [MemoryPlan] says what a training will take before it takes it;
//   - a [Stopwatch] times steps.
//
// # Basics
//
// Every step is a function of (state, seed, step, live values), whatever the chunks in which steps are made. A call makes up to
// [ChunkCapacity] of them.
//
// # Caveats
//
// GoMLX panics while it builds graphs; every graph is built behind one boundary that turns a panic into an error naming the program and
// its shapes. An Engine is for one goroutine at a time.
package engine
