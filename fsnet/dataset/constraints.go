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

// Constraints are what a person demands of the features before a training, by the columns of a data set: which must be chosen, which never,
// what they cost, and of which together only a few.
//
// The first selectors are fixed to the features of must, one each: their rows of P hold that feature alone, and no other selector's row
// does. Features of never have the probability 0 everywhere. A cost c adds −log c to log δ before the sharpness, so that of two features
// which serve alike the cheaper one is as many times as probable as it is cheaper. Of a group, selectors that are surer lead with at most
// group_limit features, and the others look elsewhere.
type Constraints struct {
	Must   []int           // by selector
	Never  map[int]bool    // columns
	Cost   map[int]float64 // of columns; 1 where nothing is said
	Group  map[int]int     // of columns, from 1; none where nothing is said
	Groups []string        // names: group g is Groups[g-1]
	Limit  int             // of each group
}

// ReadConstraints is what settings say about the features of a data set; nil where they say nothing. Files are relative to the data set's directory.
//
// The error is of kind Request, or NotFound, and names the key and the nearest features where a name is none; where a feature is in must
// and in never, where must has more than K or more of a group than its limit, and where fewer than K may be chosen.
func ReadConstraints(s config.Settings, d *Dataset) (*Constraints, error) {
	if !s.Beforehand() {
		return nil, nil //nolint:nilnil // there is nothing to say, and that is no error
	}
	k := &Constraints{Never: map[int]bool{}, Cost: map[int]float64{}, Group: map[int]int{}, Limit: s.GroupLimit}
	var err error
	if k.Must, err = columns("must", s.Must, d); err != nil {
		return nil, err
	}
	never, err := columns("never", s.Never, d)
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

// columns are those of a list of names, or of a file that is its only word.
func columns(key string, words []string, d *Dataset) ([]int, error) {
	if len(words) == 0 {
		return nil, nil
	}
	names, err := ReadFeatureList(key, phrase.Join(words), d.Dir(), d.Features)
	if err != nil {
		return nil, err
	}
	return FindFeatures(key, d.Name, names, d.Features)
}

// pairs are the columns of a file, and what it says of each.
func pairs(key, text string, d *Dataset) ([]featurePair, []int, error) {
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

func (k *Constraints) readCost(text string, d *Dataset) error {
	if text == "" {
		return nil
	}
	list, at, err := pairs("cost", text, d)
	if err != nil {
		return err
	}
	for i, p := range list {
		c, err := strconv.ParseFloat(p.Value, 64)
		if err != nil || !(c >= leastCost && c <= 1/leastCost) {
			return errs.New(errs.Request, fmt.Sprintf("give a cost from %g to %g", leastCost, 1/leastCost), "%s: the cost of %s is %.40q", p.Where,
				p.Name, p.Value)
		}
		k.Cost[at[i]] = c
	}
	return nil
}

// leastCost and its inverse bound costs: beyond them never and must are meant.
const leastCost = 1e-6

func (k *Constraints) readGroups(text string, d *Dataset) error {
	if text == "" {
		return nil
	}
	list, at, err := pairs("group", text, d)
	if err != nil {
		return err
	}
	number := map[string]int{}
	for i, p := range list {
		if number[p.Value] == 0 {
			k.Groups = append(k.Groups, p.Value)
			number[p.Value] = len(k.Groups)
		}
		k.Group[at[i]] = number[p.Value]
	}
	return nil
}

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

// Most is how many of some columns can be chosen at once.
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

// A LogitBias is what a training with K selectors is told of its features, which may be fewer and in another order than the data set's columns.
type LogitBias struct {
	Logits []float32 // K×d, added to log δ: −log cost, and −forbidden for what a selector must not choose
	Groups []float32 // d: the group of each feature, 0 for none; nil without groups
	Limit  int       // of each group
	Must   int       // so many selectors are fixed, the first ones
}

// LogitBias is what a training is told of features with these columns. Features of must have to be among them. forbidden is taken from log δ of what is not to be
// chosen.
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

// Is says whether a column must be chosen.
func (k *Constraints) Is(column int) bool { return k != nil && slices.Contains(k.Must, column) }

// String says it in words, for the timeline.
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

// Hash is that of what is known, whatever file it came from; "" of nothing.
func (k *Constraints) Hash() string {
	if k == nil {
		return ""
	}
	text, err := json.Marshal(k)
	if err != nil {
		panic(err) // not reached: numbers and names
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// ConstraintFiles are hashes of what the files say that settings name, by the key that names each. Two of one name need not say the same.
type ConstraintFiles map[string]string

// ConstraintKeys are those that name features, and may name a file of them.
func ConstraintKeys() []string { return []string{"must", "never", "cost", "feature_groups"} }

// ConstraintFilesOf reads the files that settings name, relative to a directory; nil where they name none.
func ConstraintFilesOf(s config.Settings, dir string) (ConstraintFiles, error) {
	var files ConstraintFiles
	for _, key := range ConstraintKeys() {
		text := s.Text(key)
		if text == "" {
			continue
		}
		hash, err := hashFeatureList(key, text, dir)
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

// mark is the name of the setting that says what the file of a key says.
func mark(key string) string { return key + "_hash" }

// Marks are the hashes as settings in the identity of a result, such as must_hash=0123456789ab, which follows from the content of the files.
func (f ConstraintFiles) Marks() (list []string) {
	for _, key := range ConstraintKeys() {
		if f[key] != "" {
			list = append(list, mark(key)+"="+f[key])
		}
	}
	return list
}

// Changed says in words which file, of the first key that names one, does not say now what it said then; "" where all do.
func (f ConstraintFiles) Changed(now ConstraintFiles, s config.Settings) string {
	for _, key := range ConstraintKeys() {
		if f[key] != now[key] {
			return fmt.Sprintf("%s (%s) has changed: %s", s.Text(key), key, hashes(f[key], now[key]))
		}
	}
	return ""
}

// MarksDiffer says the same of the settings of two results, by name, which hold Marks beside the keys.
func MarksDiffer(then, now map[string]string) string {
	for _, key := range ConstraintKeys() {
		if a, b := then[mark(key)], now[mark(key)]; a != b && then[key] == now[key] {
			return fmt.Sprintf("made with another content of %s (%s): %s", then[key], key, hashes(a, b))
		}
	}
	return ""
}

func hashes(then, now string) string {
	return fmt.Sprintf("its hash was %s, and is now %s", cmp.Or(then, "not recorded"), cmp.Or(now, "that of no file"))
}
