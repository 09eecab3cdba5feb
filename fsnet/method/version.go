package method

import "fsnetlab/fsnet/config"

// Version goes up when FsNet selects or predicts otherwise than before, for the same data, settings and seed: with other arithmetic,
// other noise, or other defaults. Figures of two versions do not belong in one table. What auto takes for the prior has changed once more
// since everything else did, so settings that leave it to the data have a version of their own. A new form of the checkpoints' files that
// changes no step raises theirs alone.
func Version(s config.Settings) int {
	if s.PriorByData() {
		return 9
	}
	return 8
}
