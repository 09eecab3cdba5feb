package compare

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

// Check refuses rows that this plan would not make on this kind of device, so that nobody continues one comparison as another: rows of
// other data, methods, K, splits or seeds, made with other settings, by another version of a method, or on another kind of device. The
// error is of kind Request, and says what differs, in how many rows, and what to do.
func (p *Plan) Check(kind string, rows []Row) error {
	cells := map[key]Identity{}
	for _, c := range p.Cells() {
		c.Device = kind
		cells[c.key()] = c.Identity
	}
	seen := map[key]bool{}
	features := map[string]map[string]bool{}
	for _, d := range p.Data {
		if d.Features != nil { // else the plan is one to merge by
			features[d.Name] = featureNames(d)
		}
	}
	for _, row := range rows {
		cell, ok := cells[row.key()]
		switch {
		case !ok:
			return fault.New(fault.Request, "name another file, or ask for these rows, too", "a row that was not asked for: %s", row.place())
		case seen[row.key()]:
			return fault.New(fault.Request, "take one of them out", "two rows of %s", row.place())
		case row.Identity != cell:
			return another(row, cell, cells, rows)
		case row.Error == "" && row.AccuracySVM == nil && row.R2 == nil:
			return fault.New(fault.Request, "name another file, or take the row out", "a row without figures, and without an error that says why: %s",
				row.place())
		case !selectedFrom(features[row.Dataset], row.Selected):
			return fault.New(fault.Request, "name another file, or take the row out", "a row with features that do not exist, or twice: %s", row.place())
		}
		seen[row.key()] = true
	}
	return nil
}

func featureNames(d *dataset.Dataset) map[string]bool {
	names := make(map[string]bool, d.D)
	for _, name := range d.Features {
		names[name] = true
	}
	return names
}

// selectedFrom allows for features that nobody knows, which are nil.
func selectedFrom(features map[string]bool, selected []string) bool {
	seen := map[string]bool{}
	return !slices.ContainsFunc(selected, func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again || features != nil && !features[name]
	})
}

// place is a row in words.
func (i Identity) place() string {
	return fmt.Sprintf("%s, %s, k = %d, split %d", i.Dataset, i.Method, i.K, i.Split)
}

// another is the error for a row that is not what the plan has in its place, and for all others that differ in the same way.
func another(row Row, cell Identity, cells map[key]Identity, rows []Row) error {
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
	case i.Settings != now.Settings && values(i.Settings)["program"] != values(now.Settings)["program"]:
		return fmt.Sprintf("of another program called %s (hash %s, and now %s)", i.Method, values(i.Settings)["program"],
			values(now.Settings)["program"]), again
	case i.Settings != now.Settings && settingsDiffer(i.Settings, now.Settings) == "":
		return dataset.MarksDiffer(values(i.Settings), values(now.Settings)),
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
	a, b := values(then), values(now)
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

func values(text string) valuesOf {
	v := valuesOf{}
	for _, pair := range split(text) {
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
