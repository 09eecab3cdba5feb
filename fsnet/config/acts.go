package config

import (
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
)

// What a key acts on, as [Settings.ActsOn] says.
const (
	OnChoice  = "choice"  // the features that are chosen
	OnNetwork = "network" // only what the network predicts from them
	OnNothing = ""
)

// gradientOnly are the keys that act on selectors which follow a gradient, and on nothing else.
func gradientOnly() []string {
	return []string{"objective", "selector_learning_rate", "selector_growth", "selector_logits", "repulsion"}
}

// networkOnly are the keys that act on the network alone where closed-form errors choose.
func networkOnly() []string {
	return []string{"lambda", "reconstruction", "dropout", "learning_rate", "learning_rate_decay", "hidden", "predictor_hidden", "embedding",
		"tau0", "tau_end", "schedule", "tau_every", "tau_pace", "class_weight"}
}

// ActsOn says what a key of the training acts on under these settings.
func (s Settings) ActsOn(key string) string {
	if why, _ := s.idle(key); why != "" {
		return OnNothing
	}
	if s.Prior == Conditional && slices.Contains(networkOnly(), key) {
		return OnNetwork
	}
	return OnChoice
}

// Idle says why the choice of features does not depend on a key under these settings; "" where it does. Such a key is refused, unless a
// schedule that has values of its own stands in for it: then it waits for another schedule.
func (s Settings) Idle(key string) (why string) {
	if why, _ = s.idle(key); why != "" {
		return why
	}
	if s.ActsOn(key) == OnNetwork {
		return key + " acts on the network only: under " + s.Protocol + " the choice does not depend on it"
	}
	schedule, value := "schedule", s.Schedule
	switch key {
	case "sharpness":
		schedule, value = "sharpness_schedule", s.SharpnessSchedule
	case "tau0", "tau_end":
	default:
		return ""
	}
	if !ownValues(value) {
		return ""
	}
	kind, _, _ := strings.Cut(value, ":")
	return schedule + "=" + kind + " has values of its own"
}

// ownValues reports whether a schedule says its values itself, instead of going between those of other keys.
func ownValues(schedule string) bool {
	return strings.HasPrefix(schedule, "hold:") || strings.HasPrefix(schedule, "points:")
}

// idle says why a key does nothing under these settings, and what to do about it; "" where it acts.
func (s Settings) idle(key string) (why, remedy string) {
	switch {
	case key == "prior_weight" && s.Prior != Learned:
		return "it weighs the score that prior=learned adds, and prior is " + s.Prior, "leave it out, or use prior=learned"
	case key == "standardize_embedding" && s.Embedding == "class-t":
		return "embedding=class-t has its own scale", "leave it out, or use embedding=class-deviation"
	case key == "sharpness_schedule" && s.Sharpness == 1 && !ownValues(s.SharpnessSchedule):
		return "sharpness is 1 from beginning to end", "leave it out, or use sharpness=20"
	case key == "repulsion" && s.FeatureGroups != "":
	case s.Prior == Conditional && slices.Contains(gradientOnly(), key):
		return "closed-form errors choose the features, not the gradient that " + key + " acts on", "leave it out, or use protocol=" + FsNet
	}
	return "", ""
}

// checkIdle refuses a key that has a value of its own and does nothing: no knob is silently dead.
func (s Settings) checkIdle() error {
	for _, key := range Keys() {
		why, remedy := s.idle(key.Name)
		if why != "" && s.Text(key.Name) != key.Default(s.Protocol) {
			return fault.New(fault.Request, remedy, "%s = %s does nothing: %s", key.Name, s.Text(key.Name), why)
		}
	}
	return nil
}
