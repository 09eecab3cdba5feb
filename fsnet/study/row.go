package study

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
)

// Identity identifies a row by everything its figures depend on. Rows with
// the same identity are the same row, no matter where and when they were
// made. If two rows differ in anything except Dataset, Method, K and Split,
// at most one of them belongs in a table.
type Identity struct {
	Dataset string `json:"dataset"` // name of the data set
	Method  string `json:"method"`  // name of the method, with its settings
	// K is the number of features to select. For a method that uses every
	// feature it is d.
	K     int   `json:"k"`
	Split int   `json:"split"` // number of the split or replica, from 0
	Seed  int64 `json:"seed"`  // seed of the method, and of the split unless split_seed is given

	// Settings lists the keys that differ from the protocol, as key=value
	// separated by semicolons. These are the keys of split and scaling and, for
	// FsNet, those of its training. The settings of other methods are part of
	// their names.
	Settings string `json:"settings"`
	// Version is the version of the method. Rows of different versions don't
	// belong together.
	Version int    `json:"version"`
	Judge   string `json:"judge"` // version of what all rows share and of the judges
	// Device is the kind of device: xla:cpu, xla:cuda or go. It is "" for a row
	// that has not been made.
	Device string `json:"device"`
	Data   string `json:"data"` // first twelve digits of the hash of the data set
}

// ID returns the name of the row: sixteen digits of a hash over all fields.
func (i Identity) ID() string {
	text, err := json.Marshal(i)
	if err != nil {
		panic(err) // It holds only texts and whole numbers.
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// place describes a row in words. Replicas have no judge, so it names the
// seed of a replica.
func (i Identity) place() string {
	if i.Judge == strconv.Itoa(rowsVersion) {
		return fmt.Sprintf("%s, k = %d, seed %d", i.Dataset, i.K, i.Seed)
	}
	return fmt.Sprintf("%s, %s, k = %d, split %d", i.Dataset, i.Method, i.K, i.Split)
}

// cellKey identifies a row within a plan.
type cellKey struct {
	dataset, method string
	k, split        int
}

// key returns the part of the identity that identifies a row within a plan.
func (i Identity) key() cellKey { return cellKey{i.Dataset, i.Method, i.K, i.Split} }

// Row holds one method, with one K, on one split of one data set. Figures
// that a method does not have are nil, and left out of files and JSON.
type Row struct {
	Identity
	// Metric is the metric of the scores: accuracy, or r2 for a quantity.
	Metric session.Metric `json:"metric,omitempty"`
	// Score is the score on the test rows that the judge reaches with the
	// selected features. The judge is a support vector machine or, for a
	// quantity, a kernel ridge regression.
	Score *float64 `json:"score,omitempty"`
	Own   *float64 `json:"own,omitempty"` // score of the predictor of the method
	// BalancedAccuracy is the mean recall of the classes, for the judge. It is
	// left out for a quantity.
	BalancedAccuracy  *float64 `json:"balanced_accuracy,omitempty"`
	MutualInformation *float64 `json:"mutual_information,omitempty"` // bits: mean over all pairs of the selected features, test rows
	// ModelKB is the size of the method's predictor in 1000 bytes, without
	// parts that only training uses. If the method has no predictor, it is the
	// size of the judge.
	ModelKB *float64 `json:"model_kb,omitempty"`
	Seconds float64  `json:"seconds"` // seconds that the fit took
	// Selected lists the selected features by rank. It is left out for a method
	// that uses every feature.
	Selected []string `json:"selected,omitempty"`
	// Error says why there are no figures.
	Error string `json:"error,omitempty"`
	// Fit is what fsnet fit --json prints. Replicas have it instead of figures.
	Fit *fsnet.Result `json:"fit,omitempty"`

	err error // the error behind Error, if the row was made here
}

// Err returns the reason why the row has no figures, or nil.
func (r Row) Err() error {
	switch {
	case r.Error == "":
		return nil
	case r.err != nil:
		return r.err
	}
	return errs.New(errs.Failed, "", "%s", r.Error)
}

// failed returns the row without figures, but with the error.
func (r Row) failed(err error) Row {
	return Row{Identity: r.Identity, Error: errs.Of(err).Error(), err: err}
}

// invalidFigure names a figure that is NaN or infinite, because JSON cannot
// hold it. It returns "" if all figures are finite.
func (r *Row) invalidFigure() string {
	for i, x := range []*float64{r.Score, r.Own, r.MutualInformation, r.ModelKB} {
		if x != nil && *x-*x != 0 {
			return []string{r.Metric.Name(), "own " + r.Metric.Name(), "mutual information", "size"}[i]
		}
	}
	return ""
}

// Timeless returns the row without the figures that depend on the machine.
func (r Row) Timeless() Row {
	if r.Seconds = 0; r.Fit != nil {
		r.Fit = new(r.Fit.Timeless())
	}
	return r
}

// Line returns the row as a line of a file, in JSON.
func (r Row) Line() ([]byte, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return nil, errs.Wrap(err, errs.Failed, "", "%s: its row is not JSON", r.place())
	}
	return append(line, '\n'), nil
}

// ReadRows parses rows, one per line. If the writer was stopped, the last
// line may be incomplete; ReadRows returns it as half. The error is of kind
// Request and names the line that is neither a row nor the start of one.
func ReadRows(text []byte) (rows []Row, half []byte, err error) {
	const opening = `{"dataset":"` // of every row, see [Identity]
	for number := 1; ; number++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		text = rest
		var row Row
		read := json.NewDecoder(bytes.NewReader(line))
		read.DisallowUnknownFields()
		err := read.Decode(&row)
		isRow := err == nil && row.Dataset != "" && row.Method != ""
		isHalf := isRow || errors.Is(err, io.ErrUnexpectedEOF) && (bytes.HasPrefix(line, []byte(opening)) || strings.HasPrefix(opening, string(line)))

		switch {
		case !whole && (len(line) == 0 || isHalf):
			return rows, line, nil
		case !whole || !isRow:
			return nil, nil, errs.New(errs.Request, "name a file that fsnet wrote with --output, or take the line out",
				"line %d is not a row of fsnet: %.60q", number, line)
		}
		rows = append(rows, row)
	}
}

// Check rejects rows that this plan would not make on this kind of device,
// so that one study is not continued as another: rows of other data,
// methods, K, splits or seeds, made with other settings, by another version
// of a method, or on another kind of device. The error is of kind Request.
// It says what differs, in how many rows, and what to do.
func (p *Plan) Check(kind string, rows []Row) error { return p.checkRows(kind, p.Cells(), rows) }

// checkRows is Check for callers that already have the cells of the plan.
func (p *Plan) checkRows(kind string, list, rows []Row) error {
	cells := make(map[cellKey]Identity, len(list))
	for _, c := range list {
		c.Device = kind
		cells[c.key()] = c.Identity
	}

	seen := map[cellKey]bool{}
	features := map[string]map[string]bool{} // nil if the plan has no rows
	for _, d := range p.Data {
		for _, name := range d.Features {
			if features[d.Name] == nil {
				features[d.Name] = make(map[string]bool, d.D)
			}
			features[d.Name][name] = true
		}
	}

	const another = "name another file, or take the row out"
	for _, row := range rows {
		cell, ok := cells[row.key()]
		switch {
		case !ok:
			return errs.New(errs.Request, "name another file, or ask for these rows, too", "a row that was not asked for: %s", row.place())
		case seen[row.key()]:
			return errs.New(errs.Request, "take one of them out", "two rows of %s", row.place())
		case row.Identity != cell:
			return anotherRow(row, cell, cells, rows)
		case row.Error == "" && (p.Fits && row.Fit == nil || !p.Fits && row.Score == nil):
			return errs.New(errs.Request, another, "a row without figures, and without an error that says why: %s", row.place())
		case row.Fit != nil && (row.Fit.Seed != row.Seed || row.Fit.K != row.K || len(row.Fit.Selected) != row.K):
			return errs.New(errs.Request, another, "a row with the result of another training: %s", row.place())
		case !selectedFrom(features[row.Dataset], row.Selected):
			return errs.New(errs.Request, another, "a row with features that do not exist, or twice: %s", row.place())
		}
		seen[row.key()] = true
	}
	return nil
}

// selectedFrom reports whether all selected names differ and are in features.
// If features is nil, any names will do.
func selectedFrom(features map[string]bool, selected []string) bool {
	seen := map[string]bool{}
	return !slices.ContainsFunc(selected, func(name string) bool {
		repeated := seen[name]
		seen[name] = true
		return repeated || features != nil && !features[name]
	})
}

// File holds rows and the name of their file.
type File struct {
	Name string
	Rows []Row
}

// Merge combines rows of a plan that were made separately, in the order of
// Cells. The result does not depend on the order of the files or on earlier
// merges. A row that is present more than once counts once, with the
// shortest of its seconds. If one of its copies has figures, copies that
// failed don't count. The error is of kind Request. It names the files if
// [Plan.Check] rejects rows, or if rows with the same identity have
// different figures.
func (p *Plan) Merge(kind string, files []File) ([]Row, error) {
	cells := p.Cells()
	have, from := map[cellKey]Row{}, map[cellKey]string{} // from names the file of each row.
	for _, f := range files {
		if err := p.checkRows(kind, cells, f.Rows); err != nil {
			return nil, errs.At(err, "%s", f.Name)
		}
		for _, row := range f.Rows {
			key := row.key()
			other, again := have[key]
			if again && row.Error == "" && other.Error == "" {
				if what := row.disagrees(other); what != "" {
					return nil, errs.New(errs.Request,
						"one of them has been changed, or a faulty program made it: remove it, or recompute it",
						"%s and %s disagree on %s: %s", from[key], f.Name, row.place(), what)
				}
			}
			if !again || row.before(other) {
				have[key], from[key] = row, f.Name
			}
		}
	}
	return existing(cells, have), nil
}

// fields returns the JSON fields of the row, by name.
func (r Row) fields() map[string]json.RawMessage {
	text, err := json.Marshal(r)
	fields := map[string]json.RawMessage{}
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err != nil {
		panic(err) // It was read from JSON.
	}
	return fields
}

// disagrees describes a difference between the figures of two rows with the
// same identity. If they differ only in figures that depend on the machine, it
// returns "".
func (r Row) disagrees(other Row) string {
	mine, theirs := r.Timeless().fields(), other.Timeless().fields()
	names := maps.Clone(mine)
	maps.Copy(names, theirs)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !bytes.Equal(mine[name], theirs[name]) {
			return fmt.Sprintf("%s is %.60s in one and %.60s in the other", name, theirs[name], mine[name])
		}
	}
	return ""
}

// before orders rows with the same identity: those with figures first, then
// by seconds, then by content.
func (r Row) before(other Row) bool {
	rank := func(row Row) (failed int, seconds float64) {
		if seconds = row.Seconds; row.Fit != nil {
			seconds = row.Fit.Seconds
		}
		return min(len(row.Error), 1), seconds
	}

	failed, seconds := rank(r)
	theirs, longer := rank(other)
	return cmp.Or(cmp.Compare(failed, theirs), cmp.Compare(seconds, longer), strings.Compare(fmt.Sprint(r.fields()), fmt.Sprint(other.fields()))) < 0
}

// Missing says how many cells have no row. It returns "" if no row is
// missing.
func (p *Plan) Missing(rows []Row) string {
	have := make(map[cellKey]bool, len(rows))
	for _, row := range rows {
		have[row.key()] = true
	}
	cells := p.Cells()
	missing := slices.DeleteFunc(slices.Clone(cells), func(c Row) bool { return have[c.key()] })
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s %s missing, the first is %s", len(missing), phrase.Count(len(cells), "row"), phrase.Be(len(missing)),
		missing[0].place())
}

// anotherRow returns the error for a row that the plan would not make. It says
// how many rows differ in the same way.
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
	return errs.New(errs.Request, remedy, "%d of its %s %s %s; the first: %s", alike, phrase.Count(len(rows), "row"), phrase.Be(alike), what, row.place())
}

// differs describes the first difference between a row and the one expected
// in its place, and a remedy.
func (i Identity) differs(now Identity) (what, remedy string) {
	const again = "name another file, or remove these rows to recompute them"
	switch {
	case i.Data != now.Data:
		return fmt.Sprintf("of other data called %s (hash %s, and now %s)", i.Dataset, i.Data, now.Data), again
	case i.Seed != now.Seed:
		return fmt.Sprintf("of another first seed, %d and not %d", i.Seed-int64(i.Split), now.Seed-int64(now.Split)), fmt.Sprintf("name another file, or use --seed %d", i.Seed-int64(i.Split))
	case i.Settings != now.Settings && settingValues(i.Settings)["program"] != settingValues(now.Settings)["program"]:
		return fmt.Sprintf("of another program called %s (hash %s, and now %s)", i.Method, settingValues(i.Settings)["program"],
			settingValues(now.Settings)["program"]), again
	case i.Settings != now.Settings && settingsDiffer(i.Settings, now.Settings) == "":
		return dataset.ChangedMarks(settingValues(i.Settings), settingValues(now.Settings)),
			"bring the file back as it was, name another output, or remove these rows to recompute them"
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

// settingsDiffer lists the keys that differ, with both values. It returns ""
// if only the contents of files differ.
func settingsDiffer(then, now string) string {
	a, b := settingValues(then), settingValues(now)
	var list []string
	for _, name := range config.Names() {
		_, there := a[name]
		_, here := b[name]
		if x, y := a.value(name), b.value(name); (there || here) && x != y {
			list = append(list, fmt.Sprintf("%s = %s, and now %s", name, cmp.Or(x, "the seed's"), cmp.Or(y, "the seed's")))
		}
	}
	// The difference is in a rule, because rules are not keys, or in an unknown
	// name in a file edited by hand.
	if len(list) == 0 && dataset.ChangedMarks(a, b) == "" {
		return fmt.Sprintf("%q, and now %q", then, now)
	}
	return strings.Join(list, "; ")
}

// rowSettings holds the settings of a row. Missing keys follow the protocol.
type rowSettings map[string]string

// settingValues parses Identity.Settings.
func settingValues(text string) rowSettings {
	v := rowSettings{}
	for _, pair := range splitNames(text) {
		name, value, _ := strings.Cut(pair, "=")
		v[name] = value
	}
	return v
}

// value returns the value of a key. If the key is missing, it returns the
// default under the protocol of the row, or under FsNet's for keys that all
// methods share.
func (v rowSettings) value(name string) string {
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

// WriteCSV writes rows as CSV, with the names of the columns in the first
// line. Missing figures are empty. Selected features are joined by
// semicolons, and a backslash precedes a semicolon or backslash within a
// name. An apostrophe precedes text that a spreadsheet would treat as a
// formula, or that begins with an apostrophe.
func WriteCSV(out io.Writer, rows []Row) error {
	w := csv.NewWriter(out)
	lines := [][]string{strings.Split("dataset,method,k,split,seed,metric,score,own,balanced_accuracy,mutual_information,model_kb,seconds,"+
		"selected,error,settings,version,judge,device,data", ",")}
	number := func(x *float64) string {
		if x == nil {
			return ""
		}
		return strconv.FormatFloat(*x, 'g', -1, 64)
	}

	for _, r := range rows {
		lines = append(lines, []string{
			phrase.Guard(r.Dataset), phrase.Guard(r.Method), strconv.Itoa(r.K), strconv.Itoa(r.Split), strconv.FormatInt(r.Seed, 10),
			string(r.Metric), number(r.Score), number(r.Own), number(r.BalancedAccuracy), number(r.MutualInformation), number(r.ModelKB),
			strconv.FormatFloat(r.Seconds, 'f', 3, 64), phrase.Guard(joinNames(r.Selected)), phrase.Guard(r.Error), phrase.Guard(r.Settings),
			strconv.Itoa(r.Version), phrase.Guard(r.Judge), phrase.Guard(r.Device), phrase.Guard(r.Data),
		})
	}
	return errs.NotWritten(w.WriteAll(lines))
}

// joinNames joins names with semicolons. splitNames reverses it.
func joinNames(names []string) string {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = strings.NewReplacer(`\`, `\\`, ";", `\;`).Replace(name)
	}
	return strings.Join(escaped, ";")
}

// splitNames returns the names that joinNames joined. It returns nil for "".
func splitNames(text string) []string {
	if text == "" {
		return nil
	}

	names := []string{""}
	for i := 0; i < len(text); i++ {
		last := len(names) - 1
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			names[last] += text[i : i+1]
		case text[i] == ';':
			names = append(names, "")
		default:
			names[last] += text[i : i+1]
		}
	}
	return names
}
