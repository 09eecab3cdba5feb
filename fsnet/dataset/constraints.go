package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// Constraints hold what you require of features, by column: those that must be
// chosen, those that must not, what each costs, and how many of a group may be
// chosen together.
//
// The first selectors are fixed to the features of must, one each: their rows
// of P hold only that feature, and no other selector can choose it. Features of
// never have probability 0 everywhere. A cost c adds −log c to log δ before the
// sharpness, so of two equally useful features the cheaper one is more probable
// by the ratio of the costs. At most group_limit features of a group may be
// leaders: the most confident selectors keep theirs, and the others choose
// outside the group.
type Constraints struct {
	Must   []int           // by selector
	Never  map[int]bool    // by column
	Cost   map[int]float64 // by column; a column that is absent costs 1
	Group  map[int]int     // by column, from 1; a column that is absent has no group
	Groups []string        // names; group g is Groups[g-1]
	Limit  int             // features that may be chosen from one group
}

// ReadConstraints returns the constraints that the settings put on the features
// of a data set, or nil. Relative file names refer to the directory of the data
// set.
//
// It rejects a feature that is in both must and never, more than K features in
// must, more features of a group in must than its limit, and constraints that
// leave fewer than K features. Errors are of kind Request or NotFound. They
// name the key, and the nearest features if a name is unknown.
func ReadConstraints(s config.Settings, d *Dataset) (*Constraints, error) {
	if !s.Beforehand() {
		return nil, nil //nolint:nilnil // no constraints, which is no error
	}
	k := &Constraints{Never: map[int]bool{}, Cost: map[int]float64{}, Group: map[int]int{}, Limit: s.GroupLimit}
	var err error
	if k.Must, err = readColumns("must", s.Must, d); err != nil {
		return nil, err
	}
	never, err := readColumns("never", s.Never, d)
	if err != nil {
		return nil, err
	}
	for _, j := range never {
		k.Never[j] = true
	}
	if err := k.readCost(s.Cost, d); err != nil {
		return nil, err
	}
	if err := k.readGroups(s.FeatureGroups, d); err != nil {
		return nil, err
	}
	return k, k.check(s.K, d)
}

// readColumns returns the columns of the features that words name. A single
// word may be a file of names. Without words it returns nil.
func readColumns(key string, words []string, d *Dataset) ([]int, error) {
	if len(words) == 0 {
		return nil, nil
	}
	names, err := ReadFeatureList(key, phrase.Join(words), d.Dir(), d.Features)
	if err != nil {
		return nil, err
	}
	return FindFeatures(key, d.Name, names, d.Features)
}

// readPairs returns the features with values that text names, either a file or
// a list NAME:VALUE,NAME:VALUE, and the column of each. It rejects unknown
// features.
func readPairs(key, text string, d *Dataset) ([]featurePair, []int, error) {
	list, err := readFeaturePairs(key, text, d.Dir(), d.Features)
	if err != nil {
		return nil, nil, err
	}
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.Name
	}
	at, err := FindFeatures(key, d.Name, names, d.Features)
	return list, at, err
}

// readCost adds costs from a file or a list NAME:COST,NAME:COST. It adds
// nothing if text is empty, and rejects costs below minCost or above 1/minCost.
func (k *Constraints) readCost(text string, d *Dataset) error {
	if text == "" {
		return nil
	}
	list, columns, err := readPairs("cost", text, d)
	if err != nil {
		return err
	}
	for i, p := range list {
		c, err := strconv.ParseFloat(p.Value, 64)
		if err != nil || !(c >= minCost && c <= 1/minCost) {
			return errs.New(errs.Request, fmt.Sprintf("give a cost from %g to %g", minCost, 1/minCost), "%s: the cost of %s is %.40q", p.Where,
				p.Name, p.Value)
		}
		k.Cost[columns[i]] = c
	}
	return nil
}

// minCost and its inverse bound costs. Use never and must for anything beyond
// them.
const minCost = 1e-6

// readGroups adds groups from a file or a list NAME:GROUP,NAME:GROUP, and
// numbers them from 1 as they appear. It adds nothing if text is empty.
func (k *Constraints) readGroups(text string, d *Dataset) error {
	if text == "" {
		return nil
	}
	list, columns, err := readPairs("group", text, d)
	if err != nil {
		return err
	}
	number := map[string]int{}
	for i, p := range list {
		if number[p.Value] == 0 {
			k.Groups = append(k.Groups, p.Value)
			number[p.Value] = len(k.Groups)
		}
		k.Group[columns[i]] = number[p.Value]
	}
	return nil
}

// check rejects constraints that the given number of selectors cannot meet. Its
// errors are of kind Request.
func (k *Constraints) check(selectors int, d *Dataset) error {
	if len(k.Must) > selectors {
		return errs.New(errs.Request, fmt.Sprintf("use k=%d or more, or take some out", len(k.Must)), "must names %s, but k = %d",
			phrase.Count(len(k.Must), "feature"), selectors)
	}

	used := make([]int, len(k.Groups)+1)
	for _, j := range k.Must {
		if k.Never[j] {
			return errs.New(errs.Request, "take it out of one of them", "%s is both in must and in never", d.Features[j])
		}
		if g := k.Group[j]; g > 0 {
			if used[g]++; used[g] > k.Limit {
				return errs.New(errs.Request, fmt.Sprintf("use group_limit=%d or more, or take some out", used[g]),
					"must names more than group_limit = %s of group %s, %s among them",
					phrase.Count(k.Limit, "feature"), k.Groups[g-1], d.Features[j])
			}
		}
	}

	if most := k.Most(num.Indices(d.D)); most < selectors {
		return errs.New(errs.Request, fmt.Sprintf("use k=%d or less", most),
			"k = %d, but never, feature_groups and group_limit leave only %d of the %s of %s", selectors, most, phrase.Count(d.D, "feature"), d.Name)
	}
	return nil
}

// Most returns how many of the columns can be chosen together: no feature of
// never, and at most Limit of each group. k must not be nil.
func (k *Constraints) Most(columns []int) int {
	most := 0
	used := make([]int, len(k.Groups)+1)
	for _, j := range columns {
		g := k.Group[j]
		if k.Never[j] || g > 0 && used[g] >= k.Limit {
			continue
		}
		used[g]++
		most++
	}
	return most
}

// A LogitBias expresses constraints on the features of a training. The training
// may have fewer features than the data set has columns, in another order.
type LogitBias struct {
	// Logits is K×d and added to log δ. It holds −log cost, or −forbidden where
	// a selector must not choose a feature.
	Logits []float32
	Groups []float32 // d: the group of each feature, or 0; nil if there are no groups
	Limit  int       // features that may be chosen from one group
	Must   int       // number of fixed selectors, which come first
}

// LogitBias returns the constraints on the features with these columns, among
// which all features of must have to be. The bias −forbidden keeps a selector
// from a feature. It returns nil for nil constraints.
func (k *Constraints) LogitBias(columns []int, selectors int, forbidden float64) *LogitBias {
	if k == nil {
		return nil
	}
	d, none := len(columns), float32(-forbidden)
	t := &LogitBias{Logits: make([]float32, selectors*d), Limit: k.Limit, Must: len(k.Must)}
	if len(k.Groups) > 0 {
		t.Groups = make([]float32, d)
	}

	for j, column := range columns {
		at := float32(0)
		if c, ok := k.Cost[column]; ok {
			at = float32(-math.Log(c))
		}
		owner := slices.Index(k.Must, column)
		for s := range selectors {
			switch {
			case owner == s:
				t.Logits[s*d+j] = 0
			case owner >= 0, k.Never[column], s < len(k.Must):
				t.Logits[s*d+j] = none
			default:
				t.Logits[s*d+j] = at
			}
		}
		if t.Groups != nil {
			t.Groups[j] = float32(k.Group[column])
		}
	}
	return t
}

// IsRequired reports whether a column must be chosen. k may be nil.
func (k *Constraints) IsRequired(column int) bool { return k != nil && slices.Contains(k.Must, column) }

// String summarises the constraints for the timeline. k must not be nil.
func (k *Constraints) String() string {
	var parts []string
	add := func(n int, format string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, n))
		}
	}
	add(len(k.Must), "%d must be chosen")
	add(len(k.Never), "%d never")
	add(len(k.Cost), "%d with a cost")
	if n := len(k.Groups); n > 0 {
		parts = append(parts, fmt.Sprintf("at most %d of each of %s", k.Limit, phrase.Count(n, "group")))
	}
	return strings.Join(parts, ", ")
}

// Hash returns a hash of the constraints. It does not depend on the files they
// came from. It is "" for nil.
func (k *Constraints) Hash() string {
	if k == nil {
		return ""
	}
	text, err := json.Marshal(k)
	if err != nil {
		panic(err) // cannot happen: numbers and names
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// ConstraintFiles maps keys to hashes of the files that the settings name: a
// file may change and keep its name.
type ConstraintFiles map[string]string

// ConstraintKeys returns the keys with values that are features or files of
// features.
func ConstraintKeys() []string { return []string{"must", "never", "cost", "feature_groups"} }

// ConstraintFilesOf hashes the files that settings name, relative to dir. If
// the value of a key is a list, it has no hash. The result is nil if there is
// no file at all.
func ConstraintFilesOf(s config.Settings, dir string) (ConstraintFiles, error) {
	var files ConstraintFiles
	for _, key := range ConstraintKeys() {
		text := s.Text(key)
		if text == "" {
			continue
		}
		hash, err := hashFeatureFile(key, text, dir)
		if err != nil {
			return nil, err
		}
		if hash == "" {
			continue
		}
		if files == nil {
			files = ConstraintFiles{}
		}
		files[key] = hash
	}
	return files, nil
}

// hashSetting returns the setting that records the hash of the file of a key.
func hashSetting(key string) string { return key + "_hash" }

// Marks returns the hashes as settings that identify a result, such as
// must_hash=0123456789ab.
func (f ConstraintFiles) Marks() (list []string) {
	for _, key := range ConstraintKeys() {
		if f[key] != "" {
			list = append(list, hashSetting(key)+"="+f[key])
		}
	}
	return list
}

// Changed describes the first file that has changed. It returns "" if all are
// unchanged.
func (f ConstraintFiles) Changed(now ConstraintFiles, s config.Settings) string {
	for _, key := range ConstraintKeys() {
		if f[key] != now[key] {
			return fmt.Sprintf("%s (%s) has changed: %s", s.Text(key), key, hashes(f[key], now[key]))
		}
	}
	return ""
}

// ChangedMarks is [ConstraintFiles.Changed] for the settings of two results,
// including their [ConstraintFiles.Marks]. It ignores keys with different
// settings.
func ChangedMarks(then, now map[string]string) string {
	for _, key := range ConstraintKeys() {
		if a, b := then[hashSetting(key)], now[hashSetting(key)]; a != b && then[key] == now[key] {
			return fmt.Sprintf("made with another content of %s (%s): %s", then[key], key, hashes(a, b))
		}
	}
	return ""
}

// hashes says how the hash of a file changed. "" stands for a setting without a
// file.
func hashes(then, now string) string {
	return fmt.Sprintf("its hash was %s, and is now %s", cmp.Or(then, "not recorded"), cmp.Or(now, "that of no file"))
}
