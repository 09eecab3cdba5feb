package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// anotherRow is the error for a row that is not what the plan has in its place, and for all others that differ in the same way.
func anotherRow(row Row, cell Identity, cells map[cellKey]Identity, rows []Row) error {
	what, remedy := row.differs(cell)
	alike := 0
	for _, r := range rows {
		if c, ok := cells[r.key()]; ok && r.Identity != c {
			if w, _ := r.differs(c); w == what {
				alike++
			}
		}
	}
	return fault.New(fault.Request, remedy, "%d of its %s %s %s; the first: %s", alike, count.Of(len(rows), "row"), count.Be(alike), what, row.place())
}

// differs says what the first difference is between a row and what is to be in its place, and what to do about it.
func (i Identity) differs(now Identity) (what, remedy string) {
	const again = "name another file, or remove these rows to have them made again"
	switch {
	case i.Data != now.Data:
		return fmt.Sprintf("of other data called %s (hash %s, and now %s)", i.Dataset, i.Data, now.Data), again
	case i.Seed != now.Seed:
		return fmt.Sprintf("of another first seed, %d and not %d", i.Seed-int64(i.Split), now.Seed-int64(now.Split)), fmt.Sprintf("name another file, or use --seed %d", i.Seed-int64(i.Split))
	case i.Settings != now.Settings && settingValues(i.Settings)["program"] != settingValues(now.Settings)["program"]:
		return fmt.Sprintf("of another program called %s (hash %s, and now %s)", i.Method, settingValues(i.Settings)["program"],
			settingValues(now.Settings)["program"]), again
	case i.Settings != now.Settings && settingsDiffer(i.Settings, now.Settings) == "":
		return dataset.MarksDiffer(settingValues(i.Settings), settingValues(now.Settings)),
			"bring the file back as it was, name another output, or remove these rows to have them made again"
	case i.Settings != now.Settings:
		return "of other settings: " + settingsDiffer(i.Settings, now.Settings), "name another file, or use the settings from then"
	case i.Version != now.Version:
		name, _, _ := strings.Cut(i.Method, ":")
		return fmt.Sprintf("of version %d of %s, which is now at version %d and may give other figures",
			i.Version, name, now.Version), again
	case i.Judge != now.Judge:
		return fmt.Sprintf("of version %s of splits, scaling and judge, which are now at version %s and may give other figures",
			i.Judge, now.Judge), again
	}
	return fmt.Sprintf("made on %s, and this is %s", i.Device, now.Device), "name another file, or use --backend " + i.Device
}

// settingsDiffer names the keys that differ, with both values; "" where only what files say does.
func settingsDiffer(then, now string) string {
	a, b := settingValues(then), settingValues(now)
	var list []string
	for _, name := range config.Names() {
		_, there := a[name]
		_, here := b[name]
		if x, y := a.of(name), b.of(name); (there || here) && x != y {
			list = append(list, fmt.Sprintf("%s = %s, and now %s", name, cmp.Or(x, "that of the seed"), cmp.Or(y, "that of the seed")))
		}
	}
	if len(list) == 0 && dataset.MarksDiffer(a, b) == "" { // what neither knows, in a file that somebody wrote
		return fmt.Sprintf("%q, and now %q", then, now)
	}
	return strings.Join(list, "; ")
}

// valuesOf are settings as a row has them: what is not there is as the protocol has it.
type valuesOf map[string]string

func settingValues(text string) valuesOf {
	v := valuesOf{}
	for _, pair := range splitNames(text) {
		name, value, _ := strings.Cut(pair, "=")
		v[name] = value
	}
	return v
}

func (v valuesOf) of(name string) string {
	if value, ok := v[name]; ok {
		return value
	}
	protocol := config.FsNet
	if p, ok := v["protocol"]; ok && !slices.Contains(sharedKeys(), name) {
		protocol = p
	}
	if name == "protocol" {
		return protocol
	}
	return defaultOf(name, protocol)
}
