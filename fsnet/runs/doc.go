// Package runs keeps what outlives the process of a session: its run directory.
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
// Everything is for its owner alone (0700, files 0600), and git ignores it. Files are numbered as they are written; a number says which is newer, the
// step where the training stood, which a rewind makes smaller. The newest two always stay; of older ones at most two for each
// doubling of their distance to the newest, and no more than [MaxBytes] altogether.
//
// The lock is flock's: it goes with the process, however that ends. On a file system without such locks there is none, and two
// processes that write one run overwrite each other's checkpoints, each of which is whole.
package runs
