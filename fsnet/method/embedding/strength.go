package embedding

import "math"

// StrengthOffset keeps the logarithm finite if F is 0.
const StrengthOffset = 0.1

// Strength returns log(F + 0.1) for each of the d features (see [Target.F]),
// centred over the features and divided by their standard deviation. It
// measures how much each feature by itself tells about the target, whatever its
// sign. If t cannot be read, it returns an error.
func Strength(t Table, y Target) ([]float64, error) {
	strength, err := y.F(t.Each, t.Width())
	for j, f := range strength {
		strength[j] = math.Log(min(f, math.MaxFloat32) + StrengthOffset)
	}
	Standardize(strength, t.Width())
	return strength, err
}
