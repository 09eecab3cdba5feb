package magic

import (
	"slices"
	"strings"
)

// Method is one that compare takes, as far as a line that is being written needs to know it.
type Method struct {
	Name     string
	Settings []string // keys that the name can be followed by, as in "mrmr:criterion=miq"
}

// methods are what the last of a comparison's methods, which stand with commas between, could become: its name, or behind a colon its
// settings. typed is all of them as they are written so far.
func methods(known []Method, typed string) []string {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	given := strings.Split(strings.TrimSuffix(before, ","), ",")
	last := typed[len(before):]
	of := func(name string) (m Method, found bool) {
		at := slices.IndexFunc(known, func(m Method) bool { return m.Name == strings.TrimLeft(name, `"'`) })
		if at < 0 {
			return m, false
		}
		return known[at], true
	}
	var values []string
	if name, _, has := strings.Cut(last, ":"); has { // the settings of the one that is being written
		if m, found := of(name); found {
			values = m.settings(before+name+":", nil)
		}
		return values
	}
	// Settings have commas between as well: those of the one before may go on.
	for at, part := range slices.Backward(given) {
		name, _, has := strings.Cut(part, ":")
		if m, found := of(name); has && found {
			values = m.settings(before, given[at:])
		}
		if has || !strings.Contains(part, "=") {
			break
		}
	}
	for _, m := range append([]Method{{Name: "all"}, {Name: "fsnet"}}, known...) {
		if !slices.Contains(given, m.Name) {
			values = append(values, before+m.Name)
		}
	}
	return values
}

// settings are those of the method that are not given yet, behind what is written so far.
func (m Method) settings(before string, given []string) []string {
	var values []string
	for _, key := range m.Settings {
		if !slices.ContainsFunc(given, func(part string) bool {
			_, setting, has := strings.Cut(part, ":")
			if !has {
				setting = part
			}
			return strings.HasPrefix(setting, key+"=")
		}) {
			values = append(values, before+key+"=")
		}
	}
	return values
}
