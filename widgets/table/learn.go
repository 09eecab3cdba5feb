package table

import (
	"maps"
	"strconv"
	"time"

	"fsnetlab/fsnet/session"
)

const (
	pause      = 500 * time.Millisecond // between two features during a run
	remembered = 500                    // features that are not selected any more
)

// learn asks for what is not known of the selected features, one after another.
func (v *View) learn() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.asking || v.unknown() == nil || v.Life.Err() != nil {
		return
	}
	v.asking = true
	go v.Do(v.ask)
}

// unknown is a selected feature of which nothing is known; nil where there is none. The caller holds the lock.
func (v *View) unknown() *session.Selected {
	for i := range v.selected {
		if _, ok := v.known[v.selected[i].Index]; !ok {
			return &v.selected[i]
		}
	}
	return nil
}

func (v *View) ask() {
	for {
		v.mu.Lock()
		next := v.unknown()
		if next == nil || v.Life.Err() != nil {
			v.asking = false
			v.mu.Unlock()
			return
		}
		index, name, known := next.Index, next.Name, v.known
		v.mu.Unlock()
		f, err := v.Session.Feature(v.Life, name)
		if err != nil {
			v.mu.Lock()
			v.asking = false
			v.mu.Unlock()
			if v.Life.Err() == nil {
				v.Fail(err)
			}
			return
		}
		v.mu.Lock()
		known[index] = factsOf(f)
		facts := v.facts()
		v.mu.Unlock()
		v.Set(map[string]any{"facts": facts})
		v.Changed()
		if v.Status().State == session.Running {
			select {
			case <-time.After(pause):
			case <-v.Life.Done():
			}
		}
	}
}

// facts are what the page is told: of the selected features only. In a long run many others were selected for a while; of those some are
// remembered. The caller holds the lock.
func (v *View) facts() map[string]any {
	facts := map[string]any{}
	for _, s := range v.selected {
		if fact, ok := v.known[s.Index]; ok {
			facts[strconv.Itoa(s.Index)] = fact
		}
	}
	if len(v.known) > remembered+len(facts) {
		maps.DeleteFunc(v.known, func(column int, _ []any) bool {
			_, shown := facts[strconv.Itoa(column)]
			return !shown
		})
	}
	return facts
}

// factsOf are the information in bits and each class's mean over the training rows, nil where there are no values.
func factsOf(f session.Feature) []any {
	facts := []any{Information(f.Bins.Counts)}
	for _, c := range f.Classes {
		if c.N == 0 {
			facts = append(facts, nil)
			continue
		}
		facts = append(facts, c.Mean)
	}
	return facts
}
