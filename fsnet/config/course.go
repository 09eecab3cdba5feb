package config

// Course is what moves from step to step by itself: the temperature, the sharpness, the selector's rate and the repulsion.
type Course struct {
	live           Live
	tau, sharpness Schedule
}

// Course reads the schedules.
func (l Live) Course() (Course, error) {
	tau, err := ParseSchedule(l.Schedule)
	if err != nil {
		return Course{}, err
	}
	sharpness, err := ParseSchedule(l.SharpnessSchedule)
	return Course{l, tau, sharpness}, err
}

// Tau is the temperature τ at an epoch, which may be a fraction.
func (c Course) Tau(epoch float64) float64 { return c.tau.Tau(epoch, c.live) }

// Sharpness is σ at an epoch: from 1 to the key sharpness.
func (c Course) Sharpness(epoch float64) float64 {
	if c.sharpness.kind == inverse {
		return 1 / c.Tau(epoch)
	}
	return c.sharpness.between(epoch, c.live.Epochs, 1, c.live.Sharpness)
}

// SelectorRate is the selector's learning rate at an epoch: η (growth)^(e/E).
func (c Course) SelectorRate(epoch float64) float64 {
	return Schedule{}.between(epoch, c.live.Epochs, c.live.SelectorLearningRate, c.live.SelectorLearningRate*c.live.SelectorGrowth)
}

// Slowing is what both learning rates of a step are divided by: 1 + c t/E with learning_rate_decay c.
func (l Live) Slowing(step int) float64 {
	return 1 + l.LearningRateDecay*float64(step)/float64(l.Epochs)
}

// Repulsion is the weight of Σ_{k≠l} ⟨P_k, P_l⟩/K at an epoch: 0 over the first half, then growing to the key repulsion.
func (c Course) Repulsion(epoch float64) float64 {
	return c.live.Repulsion * secondHalf(min(epoch/float64(c.live.Epochs), 1))
}
