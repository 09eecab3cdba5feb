package panel

import (
	"encoding/json"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/live"
)

// pressed takes what a person pressed, and a page that asks for the curves. A verb may take long and another one, such as Pause, end it: so
// none waits for the one before.
func (v *View) pressed(content json.RawMessage) {
	var message struct {
		Do     string `json:"do"`
		N      int    `json:"n"`      // of step
		Step   int    `json:"step"`   // of rewind and fork; now is the present one
		As     string `json:"as"`     // of fork
		Pace   string `json:"pace"`   // of run
		Column int    `json:"column"` // of feature; below 0 is none
	}
	message.Step = now
	err := json.Unmarshal(content, &message)
	verbs := map[string]func(){
		"step":    func() { v.step(message.N) },
		"run":     func() { v.run(message.Pace) },
		"pause":   v.pause,
		"rewind":  func() { v.rewind(message.Step) },
		"reset":   v.reset,
		"feature": func() { v.feature(message.Column) },
		"fork":    func() { v.fork(message.As, message.Step) },
	}
	if err == nil && message.Do == "curves" {
		v.curves.TellAll()
		return
	}
	verb, known := verbs[message.Do]
	if err != nil || !known {
		v.Fail(fault.New(fault.Request, "nothing changed; reload the page if it happens again",
			"a message to the panel asks for something it cannot do"))
		return
	}
	v.Follow()
	go v.Do(verb)
}

// step makes n steps, or adds them to those that are being made.
func (v *View) step(n int) {
	v.mu.Lock()
	v.wanted += n
	if v.stepping {
		v.mu.Unlock()
		return
	}
	v.stepping = true
	v.mu.Unlock()
	for {
		v.mu.Lock()
		n := v.wanted
		v.wanted = 0
		v.stepping = n > 0
		v.mu.Unlock()
		if n == 0 {
			return
		}
		v.Say(count.Of(n, "step") + " …")
		status, err := v.Session.Step(v.Life, n)
		if err != nil {
			v.forgetSteps()
			v.Fail(err)
			continue
		}
		v.show(status) // at once: the watch tells it within a tenth of a second
		v.Say(ended(status))
	}
}

func (v *View) forgetSteps() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.wanted = 0
}

// run begins a run in the background.
func (v *View) run(pace string) {
	v.Say("starting …")
	status, err := v.Session.Run(v.Life, session.Until{Wait: new(false), Pace: pace})
	if err != nil {
		v.Fail(err)
		return
	}
	v.Say("")
	if status.State != session.Running { // it was at its end
		v.show(status)
		v.Say(ended(status))
	}
}

// feature shows the feature of a column below the curves, or none.
func (v *View) feature(column int) {
	if column < 0 {
		v.Set(map[string]any{"feature": nil})
		return
	}
	f, err := v.Session.Feature(v.Life, v.curves.Leader(column))
	if err != nil {
		v.Fail(err)
		return
	}
	v.Set(map[string]any{"feature": live.FeatureState(f)})
}

// pause ends what runs, and the steps that are waiting.
func (v *View) pause() {
	v.forgetSteps()
	v.Say("pausing …")
	status, err := v.Session.Pause(v.Life)
	if err != nil {
		v.Fail(err)
		return
	}
	v.show(status)
	v.Say("")
}

// set changes a live key from the next step on.
func (v *View) set(key, text string) {
	v.Follow()
	var changes session.Config
	err := changes.Set(key, text)
	var event session.Event
	if err == nil {
		event, err = v.Session.Set(v.Life, changes)
	}
	if err != nil {
		v.Fail(err)
		v.show(v.Status()) // the controls show what is in force
		return
	}
	v.Say(event.String())
	if status, err := v.Session.Status(v.Life); err == nil {
		v.show(status)
	}
}
