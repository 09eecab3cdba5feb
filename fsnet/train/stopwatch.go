package train

import "fsnetlab/fsnet/engine"

// Stopwatch begins at the parameters that the training has now, with step 0's temperature and batches. Its first steps compile the graph
// if the device has no program of this shape. Close it before the training.
func (t *Training) Stopwatch() (*engine.Stopwatch, error) {
	return t.engine.Stopwatch(t.settings.Live, engine.ChunkCapacity)
}

// Defined is the same training with the step as the paper's definition has it (package method), one a call: no hand-made gradients, no
// blocks, no parts. It is what the ratio of fsnet bench refers to.
func (t *Training) Defined() (*engine.Stopwatch, error) { return t.engine.Defined(t.settings.Live) }

// WriteInputs writes a safetensors file with everything that n steps of this training read but their noise: phi b×d, x rows×d, y rows×C
// (one-hot; of a quantity rows×1; behind them the rows' weights where they have some), theta (the flat parameters), and for each step rows
// n×B, masks n×B and hypers n×7 (temperature, learning rate, the selector's, λ, dropout, sharpness, repulsion). With it another program can
// make the same steps, but for what is known of features beforehand.
func (t *Training) WriteInputs(path string, n int) error {
	return t.engine.WriteInputs(path, n, t.settings.Live)
}
