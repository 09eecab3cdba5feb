package train

import (
	"encoding/json"
	"fmt"
	"slices"

	"fsnetlab/fsnet/method/repair"
	"fsnetlab/fsnet/nn"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/safetensors"
)

// endingText is an [ending] in the metadata of a checkpoint's file.
type endingText struct {
	Step     int              `json:"step"`
	Contest  *session.Contest `json:"contest"`
	Chosen   []int            `json:"chosen"`
	Features []int            `json:"features"`
	Held     []int            `json:"held"`
	By       []string         `json:"by"`
	Scores   finalScores      `json:"scores"`
}

// writeEnding puts the ending, if there is one, and the weights of its final
// networks into a file.
func (c *Checkpoint) writeEnding(f *safetensors.File) error {
	e := c.ending
	if e == nil {
		return nil
	}
	text, err := json.Marshal(endingText{e.step, e.contest, e.chosen, e.features, e.held, e.by, c.scores})
	if err != nil {
		return fmt.Errorf("its %s: %w", metaEnding, err)
	}
	f.Metadata[metaEnding] = string(text)

	networks, err := e.networks()
	if err != nil {
		return err
	}
	for i, l := range networks[0].Layers {
		out := len(l.Biases)
		var weights, biases []float32 // They were trained in 32 bits.
		for _, network := range networks {
			weights, biases = append(weights, narrow(network.Layers[i].Weights)...), append(biases, narrow(network.Layers[i].Biases)...)
		}
		f.Tensors[finalTensor(i, "weights")] = safetensors.Of(weights, len(networks), len(l.Weights)/out, out)
		f.Tensors[finalTensor(i, "biases")] = safetensors.Of(biases, len(networks), out)
	}
	return nil
}

// finalTensor returns the name of the tensor with the weights or biases of a
// layer of the final networks.
func finalTensor(layer int, what string) string {
	return fmt.Sprintf("%s%d/%s", tensorFinal, layer, what)
}

// narrow returns values as float32.
func narrow(values []float64) []float32 {
	list := make([]float32, len(values))
	for i, v := range values {
		list[i] = float32(v)
	}
	return list
}

// ending reads the ending, if the file has one, into c. It fails if the
// ending does not fit K or the step.
func (r *checkpointReader) ending(c *Checkpoint) {
	if _, ok := r.File.Metadata[metaEnding]; !ok {
		return
	}
	var text endingText
	r.JSON(metaEnding, &text)

	k := c.Settings.K
	for _, list := range []struct {
		features []int
		least    int
	}{{text.Chosen, 0}, {text.Features, 0}, {text.Held, -1}} {
		if list.features == nil && list.least < 0 {
			continue
		}
		if len(list.features) != k || slices.Min(list.features) < list.least {
			r.Fail("%s has %v for %d selectors", metaEnding, list.features, k)
			return
		}
	}

	if text.Step < 1 || text.Step > c.Step || text.Held != nil && len(text.By) != k {
		r.Fail("%s is at step %d, with %d reasons", metaEnding, text.Step, len(text.By))
		return
	}

	networks := make([]nn.Perceptron, repair.HeadCount)
	widths, in := slices.Clone(c.Settings.Hidden), k
	if last := r.File.Tensors[finalTensor(len(widths), "biases")]; len(last.Shape) == 2 {
		widths = append(widths, last.Shape[1])
	} else {
		r.Fail("its final networks have no outputs")
	}

	for i, out := range widths {
		weights := Finite[float32](&r.Reader, finalTensor(i, "weights"), len(networks), in, out)
		biases := Finite[float32](&r.Reader, finalTensor(i, "biases"), len(networks), out)
		if r.Err != nil {
			return
		}
		for n := range networks {
			networks[n].Layers = append(networks[n].Layers,
				nn.Layer{Weights: weights[n*in*out : (n+1)*in*out], Biases: biases[n*out : (n+1)*out]})
		}
		in = out
	}

	c.ending = &ending{step: text.Step, contest: text.Contest, chosen: text.Chosen, features: text.Features, held: text.Held, by: text.By,
		networks: func() ([]nn.Perceptron, error) { return networks, nil }}
	c.scores = text.Scores
	c.record.hold(text.Step, text.Held)
}

// fits reports whether an ending belongs to a training with this many
// features. For a nil ending it returns true.
func (e *ending) fits(features int) bool {
	return e == nil || slices.Max(slices.Concat(e.chosen, e.features, e.held)) < features
}

// resumeEnding holds the selectors on the features of c's ending. Older
// versions saved no ending, but repeated the contest for each answer. If c is
// of such a version and at its end, resumeEnding runs the contest now.
func (t *Training) resumeEnding(c *Checkpoint) error {
	if c.older && t.endsHere() {
		if err := t.finish(); err != nil {
			return err
		}
		return t.scoreFinal()
	}
	return t.hold(t.held())
}
