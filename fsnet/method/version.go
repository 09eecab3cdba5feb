package method

// Version goes up when FsNet selects or predicts otherwise than before, for the same data, settings and seed: with other arithmetic,
// other noise, or other defaults. Figures of two versions do not belong in one table. A new form of the checkpoints' files that changes
// no step raises theirs alone.
const Version = 12
