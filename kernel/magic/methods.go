package magic

import (
	"slices"
	"strings"

	"fsnetlab/fsnet/baseline"
)

// methods are what the last of a comparison's methods, which stand with commas between, could become: its name, or behind a colon its
// settings. typed is all of them as they are written so far.
func methods(typed string) []string {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	given := strings.Split(strings.TrimSuffix(before, ","), ",")
	last := typed[len(before):]
	entries := baseline.Methods()
	of := func(name string) (e baseline.Entry, found bool) {
		at := slices.IndexFunc(entries, func(e baseline.Entry) bool { return e.Name == name })
		if at < 0 {
			return e, false
		}
		return entries[at], true
	}
	var values []string
	if name, _, has := strings.Cut(last, ":"); has { // the settings of the one that is being written
		if e, found := of(strings.TrimLeft(name, `"'`)); found {
			values = settings(before+name+":", e, nil)
		}
		return values
	}
	// Settings have commas between as well: those of the one before may go on.
	for at, part := range slices.Backward(given) {
		name, _, has := strings.Cut(part, ":")
		if e, found := of(strings.TrimLeft(name, `"'`)); has && found {
			values = settings(before, e, given[at:])
		}
		if has || !strings.Contains(part, "=") {
			break
		}
	}
	known := []string{"all", "fsnet"}
	for _, e := range entries {
		known = append(known, e.Name)
	}
	for _, name := range known {
		if !slices.Contains(given, name) {
			values = append(values, before+name)
		}
	}
	return values
}

// settings are those of a method that are not given yet, behind what is written so far.
func settings(before string, e baseline.Entry, given []string) []string {
	var values []string
	for _, key := range e.Settings() {
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
