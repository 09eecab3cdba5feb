package train

// Names are the features of the data, by column of the file. Nobody may change them.
func (t *Training) Names() []string { return t.data.Features }

// Weights is the largest entry of P that each column of the file has, over the selectors: max_k P_kj, D values, 0 for the columns that
// were set aside. Before the first step, when P is by chance, it is nil.
func (t *Training) Weights() ([]float32, error) {
	if t.step == 0 {
		return nil, nil
	}
	largest, err := t.engine.Weights(t.look(t.step))
	if err != nil {
		return nil, err
	}
	weights := make([]float32, t.data.D)
	for j := range t.columns {
		weights[t.data.Kept[t.columns[j]]] = largest[j]
	}
	return weights, nil
}
