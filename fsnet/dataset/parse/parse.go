// Package parse takes the texts that files hold for what they mean: a name, a number, a missing value, the name of a class.
//
// # Basics
//
//	value, ok := parse.Number(text)                  // 1.5e3; NaN where it is missing: nothing, NA, N/A, NaN, null, ?
//	y, classes := parse.Classes(labels)              // 10 comes after 9; [Joined] makes 1.0 and 1 one
//	names, note := word.Unique(parse.Numbered(7129)) // different ones, and what was changed, for people
//
// # Caveats
//
// [Number] reads points, not decimal commas: a reader that finds commas has them written with points first ([WithPoints]), and
// [MayBeThousands] says where a comma means something else. Names are shown in pages and on terminals, so that each goes through [Clean]
// or [Own] once; [Shorten] and [Quoted] are for messages.
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

// Numbered names features that have no names, by their 0-based column.
func Numbered(d int) []string {
	names := make([]string, d)
	for j := range names {
		names[j] = "feature_" + strconv.Itoa(j)
	}
	return names
}

// Unique makes names different: the second GENE becomes GENE.1, as R and pandas do, skipping names that are taken. The note says what
// was renamed; it is "" where nothing was.
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

// Clean makes a name that can be shown everywhere: on one line, without blanks around it, in UTF-8.
func Clean(name string) string {
	if !utf8.ValidString(name) {
		name = strings.ToValidUTF8(name, "�")
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		name = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, name)
	}
	return strings.TrimSpace(name)
}

// Own is a clean name in memory of its own: a field of a line would keep all of the line, which may be megabytes.
func Own(field string) string { return strings.Clone(Clean(field)) }

// Quoted lists names for a message, at most eight.
func Quoted(names []string) string { return quoted(names, strconv.Quote) }

// QuotedInASCII is [Quoted] of names that look the same: letters outside ASCII are written by their numbers.
func QuotedInASCII(names []string) string { return quoted(names, strconv.QuoteToASCII) }

func quoted(names []string, quote func(string) string) string {
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

// Shorten keeps a value quoted in a message to one readable line.
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

// NamesLabel says whether this is a name, in any case, under which classes are looked for where nobody says what theirs is.
func NamesLabel(name string) bool {
	switch strings.ToLower(name) {
	case "label", "class", "y", "target", "diagnosis":
		return true
	}
	return false
}

// Alike is the first of other names that people would read as this one, see [Folded], or "".
func Alike(name string, others []string) string {
	for _, other := range others {
		if other != name && Folded(other) == Folded(name) {
			return other
		}
	}
	return ""
}

// Folded is a name as a reader sees it: in small letters, composed and in their plain form (NFKC), with single blanks, one kind of dash
// and of apostrophe, without invisible letters, and with the Latin letter for a Greek or Cyrillic one that looks the same.
func Folded(name string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r): // zero-width blanks and joiners, marks of direction and byte order
			return -1
		case unicode.Is(unicode.Pd, r) || r == '−':
			return '-'
		}
		return latin(r)
	}, norm.NFKC.String(name))
	return strings.ToLower(strings.Join(strings.Fields(plain), " "))
}

// latin is the Latin letter that looks like a Greek or Cyrillic one, and ' for other apostrophes; any other letter is itself.
func latin(r rune) rune {
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

// IsTruth reports whether a text is a truth value as R, Excel and pandas write it, and which: true and false, in any case.
func IsTruth(text string) (truth, is bool) {
	truth = strings.EqualFold(text, "true")
	return truth, truth || strings.EqualFold(text, "false")
}

// Truths writes a list of truth values in one way, True and False, in place, if all that are there are truth values.
func Truths(texts []string) {
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

// IsMissing says whether a text stands for a missing value: nothing, NA, N/A, #N/A (Excel's), NaN, null or ?, in any case.
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
		return strings.EqualFold(text, "null") || strings.EqualFold(text, "#N/A")
	}
	return false
}

// Number reads a value; what stands for a missing one is NaN, what is beyond the range of numbers infinite.
func Number(text string) (float64, bool) {
	if x, ok := short(text); ok {
		return x, true
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return math.NaN(), IsMissing(text)
	}
	return x, true
}

// short reads what nearly all numbers of a table are, a few digits with or without a point, in a quarter of strconv's time. Their digits
// are a whole number that a float64 holds exactly, and so is the power of ten, so that the quotient, rounded once, is strconv's to the bit.
func short(text string) (x float64, ok bool) {
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

// AsNumbers reads the labels as numbers if all that are there are numbers; a missing one is NaN.
func AsNumbers(labels []string) ([]float64, bool) {
	numbers := make([]float64, len(labels))
	for i, label := range labels {
		if label == "" {
			numbers[i] = math.NaN()
			continue
		}
		x, err := strconv.ParseFloat(label, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, false
		}
		numbers[i] = x
	}
	return numbers, true
}

// Spell writes a number of a file as the name of a class: 2, 0.5, 1000000; never -0. A missing one, NaN, is "".
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

// WithPoint is a number with a decimal comma written with a point; ok says that it is one.
func WithPoint(text string) (dotted string, ok bool) {
	if strings.Count(text, ",") != 1 || strings.Contains(text, ".") {
		return "", false
	}
	dotted = strings.Replace(text, ",", ".", 1)
	_, ok = Number(dotted)
	return dotted, ok
}

// MayBeThousands says whether the comma of a number may stand before thousands: 1,234 or -12,000, and not 0,123.
func MayBeThousands(text string) bool {
	whole, rest, _ := strings.Cut(strings.TrimLeft(text, "+-"), ",")
	digits := func(r rune) bool { return r < '0' || r > '9' }
	return len(rest) == 3 && len(whole) >= 1 && len(whole) <= 3 && whole[0] != '0' && !strings.ContainsFunc(whole+rest, digits)
}

// WithPoints writes a list of numbers with decimal points, if all that are there are numbers.
func WithPoints(list []string) {
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
			return
		}
		out[i] = dotted
	}
	copy(list, out)
}

// NaturalOrder sorts classes, each once: by value if all are numbers, else by text.
func NaturalOrder(texts iter.Seq[string]) []string {
	classes := slices.Compact(slices.Sorted(texts))
	if numbers, ok := AsNumbers(classes); ok {
		value := make(map[string]float64, len(classes))
		for i, class := range classes {
			value[class] = numbers[i]
		}
		slices.SortStableFunc(classes, func(a, b string) int { return cmp.Compare(value[a], value[b]) })
	}
	return classes
}

// Classes numbers labels by their class in natural order. A missing one, "", is none, and has the number 0.
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

// Joined writes 1.0 as 1, in place, where all texts of a file without types are numbers. No other spellings are one: 01 and 1, 345.10 and
// 345.1, 1e3 and 1000 may be different codes. The note says what was written in both ways; it is "" where nothing was.
func Joined(texts []string) (note string) {
	if _, numeric := AsNumbers(texts); !numeric {
		return ""
	}
	written := make(map[string]string, len(texts))
	for i, text := range texts {
		texts[i] = withoutZero(text)
		if first, seen := written[texts[i]]; !seen {
			written[texts[i]] = text
		} else if first != text && note == "" {
			note = fmt.Sprintf("%s and %s are taken for one", Shorten(first), Shorten(text))
		}
	}
	return note
}

// Index is where a text stands among names, if need be as 1 for 1.0 or as TRUE for True, or the other way round; −1 where it does not.
func Index(names []string, text string) int {
	if at := slices.Index(names, text); at >= 0 {
		return at
	}
	return slices.IndexFunc(names, func(name string) bool { return Same(name, text) })
}

// Same reports whether two texts of files without types are one value: 1 and 1.0, True and TRUE.
func Same(a, b string) bool {
	ofA, isA := IsTruth(a)
	ofB, isB := IsTruth(b)
	return withoutZero(a) == withoutZero(b) || isA && isB && ofA == ofB
}

// withoutZero is a whole number without the .0 at its end; any other text is what it was.
func withoutZero(text string) string {
	whole, is := strings.CutSuffix(text, ".0")
	if digits := strings.TrimPrefix(whole, "-"); !is || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return text
	}
	return whole
}

// IsCode says of a number whether it is rather a code, which would lose something as a number: 007, and whole ones of more than 15 digits.
func IsCode(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if len(digits) < 2 || strings.Trim(digits[:2], "0123456789") != "" {
		return false
	}
	return digits[0] == '0' || len(digits) > 15 && strings.Trim(digits, "0123456789") == ""
}

// Quantity tells a measured quantity from classes that are numbers. Numbers of which some are not whole are a quantity where more than 10
// differ, or more than half of the rows; whole numbers, where more than 20 differ and more than half of the rows. kind is which they are.
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
