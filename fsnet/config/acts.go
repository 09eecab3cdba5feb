package config

import (
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
)

// Idle says why a key does nothing to the choice of features under these settings, and what to do about it; why is "" where it acts. A key
// that does nothing is refused with these words where it is given, and views grey it. The remedy is "" where the key only waits for another
// schedule, which has values of its own: it is greyed, and not refused.
func (s Settings) Idle(key string) (why, remedy string) {
	switch {
	case key == "standardize_embedding" && s.Embedding == ClassT && !s.Stepwise():
		return "embedding=class-t has its own scale", "leave it out, or use embedding=class-deviation"
	case s.Stepwise() && (key == "sharpness" || key == "sharpness_schedule"):
		return "under protocol=stepwise P is as sharp as 1/τ", "use tau0, tau_end or schedule, or protocol=" + FsNet
	case key == "sharpness_schedule" && s.Sharpness == 1 && !ownValues(s.SharpnessSchedule):
		return "sharpness is 1 from beginning to end", "leave it out, or use sharpness=20"
	case s.Stepwise() && slices.Contains(ofGradient(), key):
		return "under protocol=stepwise closed-form errors choose the features, not the gradient", "leave it out, or use protocol=" + FsNet
	case s.Stepwise() && slices.Contains(ofNetwork(), key):
		return key + " acts on the network only, and under protocol=stepwise the choice does not depend on it",
			"leave it out, or use protocol=" + FsNet
	case (key == "tau0" || key == "tau_end") && ownValues(s.Schedule):
		return "schedule=" + kindOf(s.Schedule) + " has values of its own", ""
	case key == "sharpness" && ownValues(s.SharpnessSchedule):
		return "sharpness_schedule=" + kindOf(s.SharpnessSchedule) + " has values of its own", ""
	}
	return "", ""
}

// ownValues reports whether a schedule says its values itself, instead of going between those of other keys.
func ownValues(schedule string) bool {
	return strings.HasPrefix(schedule, "hold:") || strings.HasPrefix(schedule, "points:")
}

func kindOf(schedule string) string {
	kind, _, _ := strings.Cut(schedule, ":")
	return kind
}

// ofGradient are the keys of selectors that follow a gradient.
func ofGradient() []string {
	return []string{"selector_learning_rate", "selector_growth", "selector_logits", "repulsion"}
}

// ofNetwork are the keys of the network, and of what it reads of the features.
func ofNetwork() []string {
	return []string{"lambda", "reconstruction", "dropout", "learning_rate", "learning_rate_decay", "hidden", "predictor_hidden", "embedding", "bins",
		"standardize_embedding", "class_weight"}
}

// checkIdle refuses a key that has a value of its own and does nothing: no knob is silently dead.
func (s Settings) checkIdle() error {
	for _, key := range Keys() {
		why, remedy := s.Idle(key.Name)
		if remedy != "" && s.Text(key.Name) != key.Default(s.Protocol) {
			return fault.New(fault.Request, remedy, "%s = %s does nothing: %s", key.Name, s.Text(key.Name), why)
		}
	}
	return nil
}
