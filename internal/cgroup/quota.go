package cgroup

import (
	"fmt"
	"io/fs"
)

// Quota is how many cores' time this process may use at the most, such as 1.5, whichever cores they are; 0 where nobody says.
func Quota(root fs.FS) float64 {
	least := 0.0
	for _, g := range Around(root, "cpu") {
		var quota, period int64
		if g.First {
			quota, _ = g.Number("cpu.cfs_quota_us") // −1: no limit
			period, _ = g.Number("cpu.cfs_period_us")
		} else if _, err := fmt.Sscan(g.Text("cpu.max"), &quota, &period); err != nil {
			continue // max 100000: no limit
		}
		if quota <= 0 || period <= 0 {
			continue
		}
		if cores := float64(quota) / float64(period); least == 0 || cores < least {
			least = cores
		}
	}
	return least
}
