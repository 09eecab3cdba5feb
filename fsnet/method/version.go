package method

// Version rises when FsNet selects or predicts differently for the same data, settings and seed:
// with other arithmetic, noise or defaults. Figures of two versions do not belong in one table.
// Another format of checkpoints that changes no step raises only their version.
const Version = 15
