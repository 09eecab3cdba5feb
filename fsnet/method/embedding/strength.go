package embedding

import "math"

// StrengthOffset keeps the logarithm finite if F is 0.
const StrengthOffset = 0.1

// Strength returns log(F + 0.1) of [Target.F], d numbers, centred over the
// features and divided by their standard deviation. It says how much each
// single feature tells about the target, with either sign. The error comes
// from reading t.
func Strength(t Table, y Target) ([]float64, error) {
	strength, err := y.F(t.Each, t.Width())
	for j, f := range strength {
		strength[j] = math.Log(min(f, math.MaxFloat32) + StrengthOffset)
	}
	Standardize(strength, t.Width())
	return strength, err
}
