package report

import (
	"cmp"
	"fmt"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/phrase"
)

// openSettings returns the settings with which the session was opened. It
// starts from the current ones and undoes all changes, from the last to the
// first.
func (s Session) openSettings() config.Config {
	c := s.Status.Config.Config()
	for i := len(s.Curves.Events) - 1; i >= 0; i-- {
		for _, change := range s.Curves.Events[i].Changes {
			_ = c.Set(change.Key, change.From) // it was in force before
		}
	}
	return c
}

// changedKeys returns the keys whose values differ from the protocol's
// defaults, without data and without empty values.
func changedKeys(c config.Config) (keys []config.Key) {
	protocol := cmp.Or(c.Text("protocol"), config.FsNet)
	for _, key := range config.Keys() {
		text := c.Text(key.Name)
		if text != key.Default(protocol) && text != "" && key.Name != "data" {
			keys = append(keys, key)
		}
	}
	return keys
}

// Again returns notebook lines that repeat the session, with every change of a
// live key at its step.
func (s Session) Again() []string {
	c := s.openSettings()
	open := "%fsnet open " + s.Status.Session + " data=" + phrase.Word(c.Text("data"))
	for _, key := range changedKeys(c) {
		open += " " + key.Name + "=" + phrase.Word(c.Text(key.Name))
	}

	lines, at := []string{open}, 0

	run := func(step int) {
		if step > at {
			lines, at = append(lines, fmt.Sprintf("%%fsnet run step=%d", step)), step
		}
	}

	for _, e := range s.Curves.Events {
		if len(e.Changes) == 0 {
			continue
		}
		run(e.Step)

		set := "%fsnet set"
		for _, change := range e.Changes {
			set += " " + change.Key + "=" + phrase.Word(change.To)
		}
		lines = append(lines, set)
	}

	run(s.Status.Step)
	return append(lines, "%fsnet report "+s.Status.Session)
}

// Command returns the command line that repeats the fit. It returns "" if there
// is none, because live keys were changed or the training hasn't ended.
func (s Session) Command() string {
	for _, e := range s.Curves.Events {
		if len(e.Changes) > 0 {
			return ""
		}
	}

	if s.Status.Step < s.Status.Steps && s.Status.Reason == "" {
		return ""
	}

	c := s.openSettings()
	line := "fsnet fit " + phrase.Word(c.Text("data"))
	for _, key := range changedKeys(c) {
		if !key.Session {
			line += " --" + strings.ReplaceAll(key.Name, "_", "-") + "=" + phrase.Word(c.Text(key.Name))
		}
	}
	return line
}
