package train

import (
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/engine"
)

// tau is the temperature of the next step, and sharpness its σ, of which P is made.
func (t *Training) tau() float64       { return t.course().Tau(t.epoch()) }
func (t *Training) sharpness() float64 { return t.look(t.step).Sharpness }

// look is what P is looked at with as it was at a step, with the values in force.
func (t *Training) look(step int) engine.Look {
	sharpness := t.course().Sharpness(float64(step) / float64(t.engine.StepsPerEpoch))
	return engine.Look{Sharpness: sharpness, Apart: t.engine.Layout.PullsApart(t.settings.Live) || t.engine.Layout.GroupLimit > 0}
}

func (t *Training) course() config.Course {
	course, err := t.settings.Course()
	if err != nil {
		panic(err) // not reached: settings are checked
	}
	return course
}

// chosen is the feature of each selector now, of P or, with selection=sample, of one noisy M.
func (t *Training) chosen(p []float32) ([]int, error) {
	if t.settings.Selection == config.BySample {
		return t.sampled()
	}
	return t.unique(p), nil
}

// sampled is what the unique argmax chooses of M with the noise and temperature of the next step: a function of the state, seed and step.
func (t *Training) sampled() ([]int, error) {
	m, err := t.engine.Matrix(engine.MatrixSample, t.step, t.tau(), t.look(t.step))
	if err != nil {
		return nil, err
	}
	return t.unique(m), nil
}

// evaluated is the feature of each selector with which the network is evaluated.
func (t *Training) evaluated() ([]int, error) {
	if t.built != nil {
		return t.built, nil
	}
	p, err := t.engine.Probability(t.look(t.step))
	if err != nil {
		return nil, err
	}
	return t.chosen(p)
}
