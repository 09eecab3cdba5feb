// Package system holds what FsNet needs from the operating system beyond package os.
//
//   - Files: [WriteFile] replaces a file whole or not at all, even across a crash. [LockExclusive] and
//     [LockShared] lock an open file, and closing it unlocks it; [IsAt] checks that the locked file is
//     still the one at its path. [TakeLock] takes a lock that names its holder.
//   - Processes: [Alive] checks any process; [WithProcess] returns a context that ends with one. The
//     system reuses process numbers, so an old number may name another process.
//   - Sockets: [Accept] accepts connections and survives having too many.
//   - Limits: [AvailableMemory], [CPUQuota] and Linux's control [Groups]. They read what is available and
//     reserve nothing.
//   - The installation: [Version], [Home], [Prefix] and [Libraries].
package system
