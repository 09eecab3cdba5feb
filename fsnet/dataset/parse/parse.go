// Package parse interprets the texts of files: names, numbers, missing values,
// classes.
//
// # Basics
//
//	value, ok := parse.Number(text)                       // 1.5e3; NaN if missing: nothing, NA, N/A, NaN, null, ?
//	y, classes := parse.Classes(labels)                   // 10 follows 9; [JoinSpellings] merges 1.0 and 1
//	names, note := parse.Unique(parse.FeatureNames(7129)) // all different, and a note of what was renamed
//
// Start with [Number] and [IsMissing], because they decide what a cell of a
// table means. Then read [Classes].
//
// # Caveats
//
// [Number] reads decimal points only. A reader that finds decimal commas should
// first rewrite them with [WithPoints]. [CanBeThousands] reports where a comma
// may mean something else.
//
// Names are shown in pages and on terminals, so each must pass through [Clean]
// or [CleanCopy] once. [Shorten] and [Quote] are for messages.
package parse

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// FeatureNames returns default names for d features: feature_0, feature_1, ….
func FeatureNames(d int) []string {
	names := make([]string, d)
	for j := range names {
		names[j] = "feature_" + strconv.Itoa(j)
	}
	return names
}

// Unique makes names different by adding a number, as R and pandas do: the
// second GENE becomes GENE.1, or GENE.2 if that name exists already. The note
// describes the renaming. It is "" if nothing was renamed.
func Unique(names []string) (list []string, note string) {
	taken := make(map[string]bool, len(names))
	for _, name := range names {
		taken[name] = true
	}
	seen := make(map[string]int, len(names))
	list = make([]string, len(names))
	renamed := 0

	for j, name := range names {
		list[j] = name
		count, again := seen[name]
		if again {
			for {
				count++
				list[j] = name + "." + strconv.Itoa(count)
				if !taken[list[j]] {
					break
				}
			}
			taken[list[j]] = true
			if renamed++; renamed == 1 {
				note = fmt.Sprintf("the second %q is called %q", name, list[j])
			}
		}
		seen[name] = count
	}
	if renamed > 1 {
		note = fmt.Sprintf("%d repeated names got a suffix: %s", renamed, note)
	}
	return list, note
}

// Clean returns a name that is safe to show anywhere: valid UTF-8, on one line,
// without surrounding blanks.
func Clean(name string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(name, "�")))
}

// CleanCopy returns a clean name in its own memory. A field that is part of a
// line would keep the whole line alive, and a line may take megabytes.
func CleanCopy(field string) string { return strings.Clone(Clean(field)) }

// Quote lists names for a message, each quoted and shortened. It lists at most
// eight and counts the rest.
func Quote(names []string) string { return quoteList(names, strconv.Quote) }

// QuoteToASCII is [Quote] for names that look the same. It escapes letters
// outside ASCII.
func QuoteToASCII(names []string) string { return quoteList(names, strconv.QuoteToASCII) }

// quoteList lists at most eight names, each shortened and quoted, and counts
// the rest.
func quoteList(names []string, quote func(string) string) string {
	const most = 8
	var list []string
	for _, name := range names[:min(len(names), most)] {
		list = append(list, quote(Shorten(name)))
	}
	text := strings.Join(list, ", ")
	if rest := len(names) - most; rest > 0 {
		text += fmt.Sprintf(" or %d more", rest)
	}
	return text
}

// Shorten cuts a value to 60 bytes for a message and marks the cut with ….
func Shorten(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// NamesLabel reports whether a column with this name, in any case, holds the
// classes by default.
func NamesLabel(name string) bool {
	switch strings.ToLower(name) {
	case "label", "class", "y", "target", "diagnosis":
		return true
	}
	return false
}

// FindAlike returns the first other name that looks like name (see [FoldName]),
// or "".
func FindAlike(name string, others []string) string {
	for _, other := range others {
		if other != name && FoldName(other) == FoldName(name) {
			return other
		}
	}
	return ""
}

// FoldName returns a name as a human reads it. It composes letters (NFKC), lowers
// their case and replaces Greek and Cyrillic letters by the Latin ones they
// look like. Dashes, apostrophes and blanks become one kind each, and invisible
// characters are dropped.
func FoldName(name string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r): // zero-width characters, direction marks, byte order marks
			return -1
		case unicode.Is(unicode.Pd, r) || r == '−':
			return '-'
		}
		return latinLookalike(r)
	}, norm.NFKC.String(name))
	return strings.ToLower(strings.Join(strings.Fields(plain), " "))
}

// latinLookalike returns the Latin letter that a Greek or Cyrillic letter looks
// like, and ' for other apostrophes. It returns any other letter unchanged.
func latinLookalike(r rune) rune {
	const (
		others = "АВЕЅІЈКМНОРСТУХЬ" + "аеѕіјорсухѵԁԛԝҺһ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο" + "’‘ʼ"
		plain  = "ABESIJKMHOPCTYXb" + "aesijopcyxvdqwHh" + "ABEZHIKMNOPTYXo" + "'''"
	)
	at := 0
	for _, other := range others {
		if other == r {
			return rune(plain[at])
		}
		at++
	}
	return r
}

// IsTruth reports whether a text is true or false, in any case, and which of
// the two.
func IsTruth(text string) (truth, is bool) {
	truth = strings.EqualFold(text, "true")
	return truth, truth || strings.EqualFold(text, "false")
}

// SpellTruths rewrites truth values as True and False, in place. It changes
// nothing if any text is neither a truth value nor missing.
func SpellTruths(texts []string) {
	for _, text := range texts {
		if _, is := IsTruth(text); !is && !IsMissing(text) {
			return
		}
	}
	for i, text := range texts {
		switch truth, is := IsTruth(text); {
		case is && truth:
			texts[i] = "True"
		case is:
			texts[i] = "False"
		}
	}
}

// IsMissing reports whether a text stands for a missing value: "", NA, N/A,
// NaN, null, ?, #N/A (Excel), <NA> (pandas and R), or a phrase of clinical
// files such as [Not Available], all in any case.
func IsMissing(text string) bool {
	switch len(text) {
	case 0:
		return true
	case 1:
		return text == "?"
	case 2:
		return strings.EqualFold(text, "NA")
	case 3:
		return strings.EqualFold(text, "NaN") || strings.EqualFold(text, "N/A")
	case 4:
		return strings.EqualFold(text, "null") || strings.EqualFold(text, "#N/A") || strings.EqualFold(text, "<NA>")
	}
	return text[0] == '[' && slices.Contains(clinicalMissing(), strings.ToLower(text))
}

// clinicalMissing lists how clinical files of TCGA and cBioPortal write missing
// values, in lower case.
func clinicalMissing() []string {
	return []string{"[not available]", "[not applicable]", "[not evaluated]", "[unknown]", "[discrepancy]"}
}

// Number parses a value and reports whether the text is one. A missing value
// becomes NaN, and a value beyond the range of float64 becomes infinite. Both
// count as values.
func Number(text string) (float64, bool) {
	if x, ok := parseShort(text); ok {
		return x, true
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		if plain := withMinus(text); plain != text {
			return Number(plain)
		}
		return math.NaN(), IsMissing(text)
	}
	return x, true
}

// withMinus replaces a dash by a minus sign if it stands at the beginning or in
// the exponent, before a digit, a point or a comma. Some programs write U+2212,
// and word processors write other dashes.
func withMinus(text string) string {
	if !strings.ContainsFunc(text, isDash) {
		return text
	}
	letters := []rune(text)
	for i, r := range letters {
		first := i == 0 || letters[i-1] == 'e' || letters[i-1] == 'E'
		if first && isDash(r) && i+1 < len(letters) && strings.ContainsRune("0123456789.,", letters[i+1]) {
			letters[i] = '-'
		}
	}
	return string(letters)
}

// isDash reports whether a letter may stand for a minus: a minus, a hyphen, a
// figure dash or an en dash. The em dash is left out because tables use it for
// empty cells.
func isDash(r rune) bool { return strings.ContainsRune("−‐‑‒–﹣－", r) }

// parseShort parses the usual number of a table, a few digits with or without a
// point, in a quarter of the time of strconv. float64 holds both the digits (at
// most 15) and the power of ten exactly. Their quotient is rounded once, so it
// equals the result of strconv to the bit.
func parseShort(text string) (x float64, ok bool) {
	const exact = 15
	digits := text
	if text != "" && text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) > exact+1 {
		return 0, false
	}
	whole, scale, count, point := uint64(0), 1.0, 0, false

	for i := range len(digits) {
		c := digits[i]
		switch {
		case c-'0' <= 9:
			whole = whole*10 + uint64(c-'0')
			count++
			if point {
				scale *= 10
			}
		case c == '.' && !point:
			point = true
		default:
			return 0, false
		}
	}

	if count < 1 || count > exact {
		return 0, false
	}
	if x = float64(whole) / scale; len(digits) < len(text) {
		x = -x
	}
	return x, true
}

// Numbers parses labels as numbers. A missing label "" becomes NaN. If any
// other label is not a finite number, Numbers returns nil and false.
func Numbers(labels []string) ([]float64, bool) {
	numbers := make([]float64, len(labels))
	for i, label := range labels {
		if label == "" {
			numbers[i] = math.NaN()
			continue
		}
		x, err := strconv.ParseFloat(withMinus(label), 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, false
		}
		numbers[i] = x
	}
	return numbers, true
}

// Spell writes a number as the name of a class: 2, 0.5, 1000000, never -0. It
// returns "" for NaN.
func Spell[F float32 | float64](x F) string {
	format, bits := byte('g'), 64
	if _, short := any(x).(float32); short {
		bits = 32
	}
	switch size := math.Abs(float64(x)); {
	case x != x:
		return ""
	case x == 0:
		return "0"
	case size >= 1e-6 && size < 1e15:
		format = 'f'
	}
	return strconv.FormatFloat(float64(x), format, -1, bits)
}

// WithPoint replaces the comma of a text by a point and reports whether the
// result is a number. It reports false if the text has no comma, several, or
// also a point.
func WithPoint(text string) (dotted string, ok bool) {
	if strings.Count(text, ",") != 1 || strings.Contains(text, ".") {
		return "", false
	}
	dotted = strings.Replace(text, ",", ".", 1)
	_, ok = Number(dotted)
	return dotted, ok
}

// CanBeThousands reports whether the comma of a number may separate thousands.
// It may in 1,234 and -12,000, but not in 0,123.
func CanBeThousands(text string) bool {
	return areThousands(text, ",")
}

// areThousands reports whether a number has one separator and three digits
// after it.
func areThousands(text, separator string) bool {
	whole, rest, _ := strings.Cut(strings.TrimLeft(withMinus(text), "+-"), separator)
	digits := func(r rune) bool { return r < '0' || r > '9' }
	return len(rest) == 3 && len(whole) >= 1 && len(whole) <= 3 && whole[0] != '0' && !strings.ContainsFunc(whole+rest, digits)
}

// Points detects numbers with points that may separate thousands: a table with
// 1.152 and 469 may mean 1152. A column is suspicious if every point in it
// stands before three final digits and its other numbers are whole and below
// 1000. Three things decide about suspicious columns:
//
//   - A zero after the point, as in 1.230 next to 469, tells that the points
//     separate thousands: a program that writes whole numbers without a point
//     would write 1.23. It takes several whole numbers, since a single one
//     may be a code such as 999.
//   - A point elsewhere in the table tells that points are decimal.
//   - So do many numbers without a single final zero: of thousands, every
//     tenth would have one.
//
// Call [Points.Add] for each number, [Points.Close] after each column and
// [Points.Doubtful] at the end.
type Points struct {
	isDecimal bool   // some point of the table cannot separate thousands
	example   string // a number of the first suspicious column, or ""
	proof     string // a number of a column whose points must separate thousands, or ""
	hasZero   bool   // some number of a suspicious column ends with a 0
	grouped   int    // numbers of suspicious columns with a point
}

// Limits of the evidence of [Points].
const (
	severalWhole = 3  // different whole numbers that are no codes
	manyGrouped  = 60 // .9⁶⁰ < .002: so rarely thousands have no final zero
)

// PointColumn holds what [Points] knows about the current column.
type PointColumn struct {
	// grouped is the first number with a point that may separate thousands, and
	// zero the first that ends with a 0. count is how many there are.
	grouped, zero string
	count         int
	// whole holds the first different whole numbers from 1 to 999. They have no
	// point.
	whole [severalWhole]int16
	// isDecimal reports whether some point cannot separate thousands, and
	// isLarge whether a number above 999 has no point.
	isDecimal, isLarge bool
}

// Add takes in one number of a column. It ignores the number if the column is
// already known to be decimal or to have a number above 999 without a point.
func (p *Points) Add(c *PointColumn, text string) {
	if c.isDecimal || c.isLarge {
		return
	}

	dot := strings.IndexByte(text, '.')
	switch {
	case dot >= 0 && areThousands(text, "."):
		c.count++
		if c.grouped == "" {
			c.grouped = strings.Clone(text)
		}
		if c.zero == "" && text[len(text)-1] == '0' {
			c.zero = strings.Clone(text)
		}
	case dot >= 0:
		c.isDecimal, p.isDecimal = true, true
	default:
		digits := strings.TrimLeft(withMinus(text), "+-")
		if digits == "" || digits[0] == '0' || strings.Trim(digits, "0123456789") != "" {
			return
		}
		if len(digits) > 3 {
			c.isLarge = true
			return
		}
		c.addWhole(digits)
	}
}

// addWhole notes a whole number below 1000 if it is among the first different
// ones.
func (c *PointColumn) addWhole(digits string) {
	if c.whole[severalWhole-1] != 0 {
		return
	}
	x, _ := strconv.Atoi(digits) //nolint:errcheck // at most three digits
	for i, known := range c.whole {
		if known == int16(x) {
			return
		}
		if known == 0 {
			c.whole[i] = int16(x)
			return
		}
	}
}

// Close examines a column after its last number.
func (p *Points) Close(c PointColumn) {
	if c.grouped == "" || c.isDecimal || c.isLarge || c.whole[0] == 0 {
		return
	}
	p.grouped += c.count
	p.hasZero = p.hasZero || c.zero != ""
	p.example = cmp.Or(p.example, c.grouped)
	if c.whole[severalWhole-1] != 0 {
		p.proof = cmp.Or(p.proof, c.zero)
	}
}

// Doubtful returns a number with a point that may separate thousands. It
// returns "" if no column is suspicious, or if its points must be decimal.
func (p *Points) Doubtful() string {
	switch {
	case p.proof != "":
		return p.proof
	case p.isDecimal, !p.hasZero && p.grouped >= manyGrouped:
		return ""
	}
	return p.example
}

// Oddity names the character that keeps a text from being a number, such as a
// narrow space between thousands. If no character does, it returns "".
func Oddity(text string) string {
	for _, r := range text {
		name := ""
		switch {
		case r == ' ':
			name = "a space"
		case r == '\u00a0':
			name = "a no-break space (U+00A0)"
		case r == '\u202f':
			name = "a narrow no-break space (U+202F)"
		case r == '\u2009':
			name = "a thin space (U+2009)"
		case r == '\u2007':
			name = "a figure space (U+2007)"
		case unicode.IsSpace(r):
			name = fmt.Sprintf("a space (%U)", r)
		case r == '\'':
			name = "an apostrophe"
		case strings.ContainsRune("’‘ʼ´`′＇", r):
			name = fmt.Sprintf("an apostrophe (%U)", r)
		case r == '_':
			name = "an underscore"
		case unicode.Is(unicode.Cf, r):
			name = fmt.Sprintf("an invisible character (%U)", r)
		default:
			continue
		}
		if _, is := Number(strings.NewReplacer(string(r), "", ",", "").Replace(text)); is && text != string(r) {
			return name
		}
	}
	return ""
}

// WithPoints rewrites decimal commas as points, in place, and reports whether
// it found any. It changes nothing if any text is neither a number nor missing.
func WithPoints(list []string) (rewritten bool) {
	out := slices.Clone(list)
	for i, text := range list {
		if IsMissing(text) {
			continue
		}
		if _, ok := Number(text); ok {
			continue
		}
		dotted, ok := WithPoint(text)
		if !ok {
			return false
		}
		out[i], rewritten = dotted, true
	}
	copy(list, out)
	return rewritten
}

// NaturalOrder sorts classes and removes duplicates. It sorts by value if all
// are numbers, otherwise as text.
func NaturalOrder(texts iter.Seq[string]) []string {
	classes := slices.Compact(slices.Sorted(texts))
	if numbers, ok := Numbers(classes); ok {
		value := make(map[string]float64, len(classes))
		for i, class := range classes {
			value[class] = numbers[i]
		}
		slices.SortStableFunc(classes, func(a, b string) int { return cmp.Compare(value[a], value[b]) })
	}
	return classes
}

// Classes returns the sorted classes and, for each label, the index of its
// class. A missing label "" gets index 0 and adds no class.
func Classes(labels []string) (y []int, classes []string) {
	classes = NaturalOrder(func(yield func(string) bool) {
		for _, label := range labels {
			if label != "" && !yield(label) {
				return
			}
		}
	})

	number := make(map[string]int, len(classes))
	for c, name := range classes {
		number[name] = c
	}

	y = make([]int, len(labels))
	for i, label := range labels {
		y[i] = number[label]
	}
	return y, classes
}

// JoinSpellings rewrites 1.0 as 1, in place, if all texts are numbers. Other
// spellings may be different codes and stay: 01 and 1, 345.10 and 345.1, 1e3
// and 1000. The note names the first two spellings that became one. If no two
// did, it is "".
func JoinSpellings(texts []string) (note string) {
	if _, numeric := Numbers(texts); !numeric {
		return ""
	}
	spellings := make(map[string]string, len(texts))
	for i, text := range texts {
		texts[i] = withoutZero(text)
		if first, seen := spellings[texts[i]]; !seen {
			spellings[texts[i]] = text
		} else if first != text && note == "" {
			note = fmt.Sprintf("%s and %s are taken for one", Shorten(first), Shorten(text))
		}
	}
	return note
}

// Index returns the position of a text in names, or −1. If the text itself is
// not there, 1.0 finds 1 and TRUE finds True, and vice versa.
func Index(names []string, text string) int {
	if at := slices.Index(names, text); at >= 0 {
		return at
	}
	return slices.IndexFunc(names, func(name string) bool { return Same(name, text) })
}

// Same reports whether two texts mean the same value in a file without types: 1
// and 1.0, True and TRUE.
func Same(a, b string) bool {
	ofA, isA := IsTruth(a)
	ofB, isB := IsTruth(b)
	return withoutZero(a) == withoutZero(b) || isA && isB && ofA == ofB
}

// withoutZero removes the .0 from a whole number and returns any other text
// unchanged.
func withoutZero(text string) string {
	whole, is := strings.CutSuffix(text, ".0")
	if digits := strings.TrimPrefix(whole, "-"); !is || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return text
	}
	return whole
}

// IsCode reports whether a text of digits is a code that conversion to a number
// would change: 007, or more than 15 digits.
func IsCode(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if len(digits) < 2 || strings.Trim(digits[:2], "0123456789") != "" {
		return false
	}
	return digits[0] == '0' || len(digits) > 15 && strings.Trim(digits, "0123456789") == ""
}

// Quantity reports whether numeric labels are a measured quantity rather than
// classes. Fractions are a quantity if there are more than 10 distinct values,
// or more than half as many as rows. Whole numbers are a quantity if there are
// more than 20 distinct values and more than half as many as rows. different is
// the number of distinct values, without NaN, and kind is "whole numbers" or
// "numbers".
func Quantity(numbers []float64) (different int, kind string, quantity bool) {
	seen := map[float64]bool{}
	whole := true
	for _, x := range numbers {
		if x == x {
			seen[x] = true
			whole = whole && x == math.Trunc(x)
		}
	}

	different = len(seen)
	if !whole {
		return different, "numbers", different > 10 || different > len(numbers)/2
	}
	return different, "whole numbers", different > 20 && different > len(numbers)/2
}
