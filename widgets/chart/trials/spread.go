package trials

import "fsnetlab/widgets/chart/scene"

// ComparedSpread is a mean over splits with its standard deviation and 95 % interval.
type ComparedSpread struct {
	Mean float64  `json:"mean"`
	SD   float64  `json:"sd"`
	Low  *float64 `json:"low"` // nil of one split, as High: there is no interval
	High *float64 `json:"high"`
}

// interval is what there is to draw from: the mean alone where there is no interval.
func (s ComparedSpread) interval() (low, high float64, ok bool) {
	if s.Low == nil || s.High == nil {
		return s.Mean, s.Mean, false
	}
	return *s.Low, *s.High, true
}

// facts are what is known of a mark.
func (s ComparedSpread) facts(least, most float64, of ...any) []scene.Fact {
	of = append(of, "mean", scene.Rounded(s.Mean))
	if low, high, ok := s.interval(); ok {
		of = append(of, "from", scene.Rounded(max(low, least)), "to", scene.Rounded(min(high, most)))
	}
	return scene.About(of...)
}
