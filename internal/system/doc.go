// Package system is what FsNet asks of the operating system beyond Go's os.
//
//   - Files: [WriteFile] replaces a file whole or not at all, also over a crash. [LockExclusive] and [LockShared] lock an open file and
//     closing it unlocks it; [IsAt] checks that the locked file is still the one at its path. [TakeLock] is a lock that says who has it.
//   - Processes: [Alive] asks about any process; [WithProcess] gives a context that ends with one. Process numbers are used again, so an
//     old number may name another process.
//   - Sockets: [Accept] takes connections and holds out where there are too many.
//   - Limits: [AvailableMemory], [CPUQuota] and the control [Groups] of Linux. What is available is looked at, not reserved.
//   - The installation: [Version], [Home], [Prefix] and [Libraries].
package system
