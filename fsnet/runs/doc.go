// Package runs holds what outlives the process of a session: its run directory.
//
// # Nouns
//
//   - a place is the folder of all runs of a working directory: .fsnet/runs in it or, where it cannot be written to,
//     $XDG_STATE_HOME/fsnet/runs/HASH with the hash of its path;
//   - a [Directory] is the run of one session in a place, locked: one process at a time writes there;
//   - a [File] is a checkpoint in it. What is in a checkpoint is not known here.
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
// Only the owner may read or write a run (0700, files 0600), and git ignores it. Files are numbered in the order of their writing: the
// number says which is newer, the step says where the training stood, and a rewind makes the step smaller. The newest two always stay;
// of older ones at most two for each doubling of their distance to the newest stay, and no more than [MaxBytes] altogether.
//
// The lock is flock's: it ends with the process, however that ends. On a file system without such locks two processes can write one run;
// each checkpoint is whole all the same.
package runs
