package train

// Weights is the largest entry of P that each column of the file has, over the
// selectors, 0 for the columns that were set aside.
func (t *Training) Weights() ([]float32, error) {
	p, err := t.engine.Probability(t.lookAt(t.step))
	weights := make([]float32, t.data.D)
	for i, x := range p {
		index, _ := t.feature(i % t.engine.Layout.D)
		weights[index] = max(weights[index], x)
	}
	return weights, err
}
