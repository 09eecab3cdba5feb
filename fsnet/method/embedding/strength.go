package embedding

import "math"

// StrengthOffset keeps the logarithm of an F of 0 finite.
const StrengthOffset = 0.1

// Strength returns log(F + 0.1) of [Target.F], d numbers, centred over the features and divided by
// their standard deviation: how much each feature says of the target on its own, whatever its sign.
// Its error comes from reading t.
func Strength(t Table, y Target) ([]float64, error) {
	strength, err := y.F(t.Each, t.Width())
	for j, f := range strength {
		strength[j] = math.Log(min(f, math.MaxFloat32) + StrengthOffset)
	}
	Standardize(strength, t.Width())
	return strength, err
}
