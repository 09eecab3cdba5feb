package magic

import (
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
)

// Method is one that compare takes, as far as a line that is being written needs to know it.
type Method struct {
	Name     string
	Settings []string // keys that the name can be followed by, as in "mrmr:criterion=miq"
}

// fsnet is the name of FsNet among them: its settings are keys.
const fsnet = "fsnet"

// methods are what the last of a comparison's methods, which stand with commas between, could become: its name, or behind a colon its
// settings. typed is all of them as they are written so far.
func methods(known []Method, typed string) []string {
	parts := strings.Split(typed, ",")
	last := len(parts) - 1
	before := typed[:len(typed)-len(parts[last])]
	var list []string
	if m, at, found := ownerOf(known, parts); found {
		setting := parts[last]
		if at == last {
			name, rest, _ := strings.Cut(setting, ":")
			before, setting = before+name+":", rest
		}
		if key, _, has := strings.Cut(setting, "="); has {
			if k, err := config.Lookup(key); err == nil && m.Name == fsnet && slices.Contains(m.Settings, key) {
				for _, value := range keyValues(k) {
					list = append(list, before+key+"="+value)
				}
			}
			return list
		}
		if list = m.settings(before, parts[at:last]); at == last {
			return list
		}
	}
	for _, m := range append([]Method{{Name: "all"}}, known...) {
		if !slices.Contains(parts[:last], m.Name) {
			list = append(list, before+m.Name)
		}
	}
	return list
}

// ownerOf is the method that the last part would be a setting of, and the part that names it: the settings of one have commas between as
// well.
func ownerOf(known []Method, parts []string) (m Method, at int, found bool) {
	for at, part := range slices.Backward(parts) {
		name, _, has := strings.Cut(part, ":")
		name = strings.TrimLeft(name, `"'`)
		if i := slices.IndexFunc(known, func(m Method) bool { return m.Name == name }); has && i >= 0 {
			return known[i], at, true
		}
		if at < len(parts)-1 && !strings.Contains(part, "=") && strings.Trim(part, "0123456789. ") != "" { // else it may be inside a value
			break
		}
	}
	return m, 0, false
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
