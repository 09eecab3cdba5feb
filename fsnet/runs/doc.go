// Package runs manages what outlives the process of a session: its run directory.
//
// # Nouns
//
//   - a place is the folder of all runs of a working directory: .fsnet/runs in it or, if that is
//     not writable, $XDG_STATE_HOME/fsnet/runs/HASH with the hash of its path;
//   - a [Directory] is the run of one session in a place, locked: one process at a time writes
//     there;
//   - a [File] is a checkpoint in it. This package does not know what a checkpoint contains.
//
// # Basics
//
//	d, err := runs.Acquire(".", "leukemia")
//	defer d.Release()
//	files, err := d.Files()        // the newest first
//	err = d.Write(step, save)      // whole or not at all; old ones are thinned
//
// # Caveats
//
// Only the owner may read or write a run (0700, files 0600), and git ignores it. Files are numbered
// in the order of writing: the number says which is newer, the step says where the training stood,
// and a rewind makes the step smaller. The newest two always stay; of older files at most two stay
// for each doubling of their distance to the newest, and all together hold at most [MaxBytes].
//
// The lock is flock's and ends with the process, however it ends. On a file system without such
// locks two processes can write to one run; each checkpoint is still complete.
package runs
