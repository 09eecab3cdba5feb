package parse

import (
	"fmt"
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

// Folded is a name in small letters, each composed with its accents, with single blanks, and without letters that nobody sees.
func Folded(name string) string {
	seen := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) { // zero-width blanks and joiners, marks of direction and byte order
			return -1
		}
		return r
	}, name)
	return strings.ToLower(norm.NFC.String(strings.Join(strings.Fields(seen), " ")))
}
