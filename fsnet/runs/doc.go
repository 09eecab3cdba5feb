// Package runs manages what outlives the process of a session: its run
// directory.
//
// # Nouns
//
//   - A place is the folder of all runs of a working directory. It is
//     .fsnet/runs in that directory or, if that is not writable,
//     $XDG_STATE_HOME/fsnet/runs/HASH with the hash of its path.
//   - A [Directory] is the run of one session in a place. It is locked, so
//     only one process at a time writes there.
//   - A [File] is a checkpoint in it. This package doesn't know what a
//     checkpoint contains.
//
// # Basics
//
//	d, err := runs.Acquire(".", "leukemia")
//	defer d.Release()
//	files, err := d.Files()        // the newest first
//	err = d.Write(step, save)      // whole or not at all; old ones are thinned
//
// Start with [Acquire] and [Directory.Write].
//
// # Caveats
//
// Only the owner may read or write a run (0700, files 0600), and git ignores
// it. Files are numbered in the order of writing. The number says which file is
// newer. The step says where the training was, and a rewind makes it smaller.
// The newest two files always stay. Of the older files at most two stay for
// each doubling of their distance to the newest, and all together hold at most
// [MaxBytes].
//
// The lock is one of flock and ends with the process, however that ends. On a
// file system without locks two processes may write to one run, but each
// checkpoint is still complete.
package runs
