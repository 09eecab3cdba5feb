package study

import (
	"math"
	"slices"
)

// Decoys is what permuted copies of the columns were chosen for: an alarm for the choice as a whole, and no verdict on a feature. It is
// calibrated for "not related to the label": a column that merely goes along with a causal one is related.
type Decoys struct {
	Share float64 `json:"share"` // of all picks that decoys took; half or more where nothing says anything of the label
	// Q is the estimated share of chance among the groups of features above the best threshold t on how often a group was chosen:
	//
	//	q = min_t (1 + decoys' groups from t on) / (features' groups from t on)      at most 1
	Q float64 `json:"q"`
	// Alarm: chance is not excluded. Q is above MostChance, which it is wherever fewer than five groups stand out, and no group stands out by
	// itself: seen in half of the half-samples, which none was where labels were permuted, and twice as often as any of the decoys'.
	Alarm  bool        `json:"alarm"`
	Groups []FromCount `json:"groups"` // counts behind q, null where there are none
}

// FromCount is how many groups were chosen in a share of the half-samples or more.
type FromCount struct {
	Frequency float64 `json:"frequency"` // share of the half-samples
	Features  int     `json:"features"`  // groups of features chosen so often or more
	Decoys    int     `json:"decoys"`    // groups of decoys chosen so often or more
}

// MostChance is the q above which chance is not excluded by the groups together.
const MostChance = 0.2

// newDecoys compares the groups of columns with those of decoys, which took so many of all picks.
func newDecoys(columns, decoys geneFamily, taken, all, done int) *Decoys {
	from := func(groups []int, count int) (n int) {
		for _, c := range groups {
			if c >= count && c > 0 {
				n++
			}
		}
		return n
	}
	d := &Decoys{Q: 1, Share: float64(taken) / float64(max(all, 1))}
	thresholds := slices.Clone(columns.groups)
	slices.Sort(thresholds)
	for _, t := range slices.Compact(thresholds) {
		if t > 0 {
			d.Q = min(d.Q, float64(1+from(decoys.groups, t))/float64(from(columns.groups, t)))
		}
	}
	top, chance := slices.Max(append([]int{0}, columns.groups...)), slices.Max(append([]int{0}, decoys.groups...))
	d.Alarm = d.Q > MostChance && (2*top < done || top < 2*chance)
	for _, frequency := range []float64{0.1, 0.25, 0.5, 0.75} {
		count := int(math.Ceil(frequency * float64(done)))
		d.Groups = append(d.Groups, FromCount{frequency, from(columns.groups, count), from(decoys.groups, count)})
	}
	return d
}
