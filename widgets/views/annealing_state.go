package views

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// nowState is where the training stands, and why the choice does not depend on what can be drawn, where it does not.
func nowState(s session.Status) map[string]any {
	idle := map[string]any{}
	for _, d := range both() {
		if why := d.idle(s.Config); why != "" {
			idle[string(d)] = why
		}
	}
	return map[string]any{
		"idle":    idle,
		"session": s.Session, "step": s.Step, "steps": s.Steps, "epoch": s.Epoch, "epochs": s.Config.Epochs, "state": string(s.State),
		"tau": s.Tau, "schedule": s.Config.Schedule, "by_epoch": s.Config.TauEvery == config.TauEpoch,
		"sharpness": s.Sharpness, "sharpness_schedule": s.Config.SharpnessSchedule,
		"settled": s.SettledRows, "per_epoch": s.StepsPerEpoch,
	}
}

// pastState is the curve of what was in force, thinned to what can be seen.
func (d Drawn) pastState(h session.History) []byte {
	c := h.Curves[string(d)].Thin(pastPoints)
	per := float64(max(1, h.PerEpoch))
	bytes := []byte{}
	for i := range min(len(c.Steps), len(c.Values)) {
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(float32(float64(c.Steps[i])/per)))
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(float32(c.Values[i])))
	}
	return bytes
}

// annealingRows is the selectors by number: lists without names, since they are sent often. An entry that is not there is nil.
func annealingRows(selected []session.Selected) []any {
	list := slices.SortedFunc(slices.Values(selected), func(a, b session.Selected) int { return cmp.Compare(a.Selector, b.Selector) })
	rows := make([]any, len(list))
	for i, s := range list {
		var at, lost any
		if s.SettlesAt != nil {
			at = *s.SettlesAt
		}
		if s.LostTo != nil {
			lost = *s.LostTo
		}
		rows[i] = []any{
			s.Selector, s.Leader.Name, s.Leader.Probability, s.Entropy, s.Leader.Probability - s.Second.Probability, s.Second.Name,
			s.Changes, s.LeadsSince, at, lost, s.Name, s.Probability,
		}
	}
	return rows
}
