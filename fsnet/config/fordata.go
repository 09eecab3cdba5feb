package config

import "fmt"

// Words of the keys objective and prior.
const (
	Network     = "network"
	Ridge       = "ridge"
	KernelRidge = "kernel-ridge"
	NoPrior     = "none"
	Learned     = "learned"
	Conditional = "conditional"
)

// What auto stands for.
const (
	ridgeClasses    = 4    // from so many classes on the ridge error tells features apart better than the network's cross-entropy
	MostConditional = 4096 // features: a conditional prior reads d² numbers
	conditionalRows = 150  // from so many training rows on a closed form selects better than steps along a gradient
	networkSteps    = 1500
	closedSteps     = 600
)

// ForData replaces every auto by what suits the training rows, and says which it took and why; "" where there was none. Nothing but
// the numbers of training rows, of features after screening and of classes is looked at.
func (s Settings) ForData(rows, features, classes int) (Settings, string) {
	why := ""
	if s.Prior == auto {
		s.Prior = Learned
		if rows >= conditionalRows && features <= MostConditional {
			s.Prior = Conditional
		}
		why = fmt.Sprintf("prior = %s (%d training rows of %d features; conditional from %d rows, up to %d features)", s.Prior, rows, features, conditionalRows, MostConditional)
	}
	if s.Objective == auto {
		s.Objective = Network
		if classes >= ridgeClasses && s.Prior != Conditional {
			s.Objective = KernelRidge
		}
		if why != "" {
			why += ", "
		}
		why += fmt.Sprintf("objective = %s (%d classes; kernel-ridge from %d)", s.Objective, classes, ridgeClasses)
	}
	steps := closedSteps
	if s.Objective == Network && s.Prior != Conditional {
		steps = networkSteps
	}
	if s.Batch == Auto {
		s.Batch = map[string]int{Network: 8, Ridge: 24, KernelRidge: 48}[s.Objective]
		if s.Prior == Conditional {
			s.Batch = 48
		}
	}
	if s.Epochs == Auto {
		batch := s.Batch
		if batch == 0 || batch > rows {
			batch = rows
		}
		each := (rows + batch - 1) / batch
		s.Epochs = (steps + each - 1) / each
	}
	return s, why
}
