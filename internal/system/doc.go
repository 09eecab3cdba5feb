// Package system contains what FsNet needs from the operating system beyond
// package os. Start with [WriteFile] and [TakeLock].
//
//   - Files: [WriteFile] replaces a file completely or not at all, even if the
//     machine crashes. [LockExclusive] and [LockShared] lock an open file, and
//     closing it unlocks it. [IsAt] checks that the locked file is still the one
//     at its path. [TakeLock] takes a lock that names its holder.
//   - Processes: [Alive] checks any process, and [WithProcess] returns a context
//     that ends with a process. The system reuses process numbers, so an old
//     number may refer to another process.
//   - Sockets: [Accept] accepts connections and survives having too many.
//   - Limits: [AvailableMemory], [CPUQuota] and Linux's control [Groups]. They
//     read what is available but do not reserve it.
//   - The installation: [Version], [Home], [Prefix] and [Libraries].
package system
