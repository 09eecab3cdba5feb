package fake

import (
	"context"
	"encoding/json"
	"os"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/system"
)

// saved is the content of a training's file.
type saved struct {
	Opened, Settings config.Settings
	Step, Looks      int
	Singly           []int
	Weight           float64
	State            session.State
	Reason           string
	Events           []session.Event
}

// Checkpoint copies the current state, and returns a function that saves it.
func (t *Training) Checkpoint() (save func(path string) error, err error) {
	defer t.alone()()
	text, err := json.Marshal(saved{t.opened, t.settings, t.step, t.looks, t.singly, t.weight, t.state, t.reason, t.events})
	if err != nil {
		return nil, err
	}
	return func(path string) error { return system.WritePrivate(path, text) }, nil // the process may be killed at any moment
}

// Resume returns the training of the newest complete file.
func Resume(ctx context.Context, files []string, dir string) (training session.Training, damaged []error, err error) {
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, damaged, err
		}
		var s saved
		if err := json.Unmarshal(text, &s); err != nil {
			damaged = append(damaged, errs.New(errs.Request, "take the one before", "%s is damaged", path))
			continue
		}
		if training, err = Open(ctx, s.Opened, dir); err != nil {
			return nil, damaged, err
		}
		t := training.(*Training)
		t.settings, t.step, t.looks, t.singly, t.weight = s.Settings, s.Step, s.Looks, s.Singly, s.Weight
		t.state, t.reason, t.events = s.State, s.Reason, s.Events
		return t, damaged, nil
	}
	return nil, damaged, errs.New(errs.Request, "open it with replace=true", "none of %d checkpoints can be read", len(files))
}
