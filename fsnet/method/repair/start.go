package repair

const (
	strengthStart = 1.0 // weight of the strength of a feature in log δ of every selector
	classStart    = 3.0 // weight of its own class in log δ of a selector
)

// Start adds to the first weights of the predictor of the selectors, K×rows,
// what each selector looks for at the beginning: features that alone tell
// much about the target (the last row of Φ, [embedding.Strength]) and, from
// three classes on, features in which its own class lies high (class k mod C
// for selector k, the first rows of Φ). Selectors that begin alike want the
// same marker and have no reason to part: without either of them the loss is
// the same. If there are fewer selectors than classes, Start adds nothing,
// because one selector has to tell several classes apart, and the strongest
// feature, which tells only one, is a bad start (.03 less accurate, K = 3 of
// 4 to 9 classes). classes is 0 for a quantity.
func Start(weights []float32, k, classes int) {
	rows := len(weights) / k
	for selector := range k {
		own := weights[selector*rows : (selector+1)*rows]
		if classes >= 3 && k < classes {
			continue
		}
		own[rows-1] += strengthStart
		if classes < 3 {
			continue
		}
		for c := range classes {
			if c == selector%classes {
				own[c] += classStart
			} else {
				own[c] -= classStart / float32(classes-1)
			}
		}
	}
}
