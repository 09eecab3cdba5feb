package method

// Version rises when FsNet selects or predicts differently for the same
// data, settings and seed, because arithmetic, noise or defaults have
// changed. Figures of two versions don't belong in one table. If only the
// format of checkpoints changes, but no step, only the version of
// checkpoints rises.
const Version = 15
