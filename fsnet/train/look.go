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
