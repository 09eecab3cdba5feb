package parse

import (
	"regexp"
	"strings"
	"unicode"

	"fsnetlab/internal/phrase"
)

// NearestName returns the name among others that most likely means the same
// feature. If no name fits, or several fit equally well, it returns "".
//
// It must never suggest a different feature. Genes and codes therefore have to
// be equal apart from their version (ENSG00000141510.17), case, prefix
// (GRCh38_TP53) and punctuation (HLA-A). Only names made of words, such as mean
// radius, may also differ by one letter.
func NearestName(name string, others []string) string {
	for _, isSame := range []func(a, b string) bool{
		func(a, b string) bool { return FoldName(a) == FoldName(b) },
		func(a, b string) bool { return plainName(a) == plainName(b) },
		func(a, b string) bool { return plainName(withoutVersion(a)) == plainName(withoutVersion(b)) },
		hasPrefix,
	} {
		found := ""
		for _, other := range others {
			switch {
			case other == name || other == found || !isSame(name, other):
			case found != "":
				return "" // ambiguous
			default:
				found = other
			}
		}
		if found != "" {
			return found
		}
	}
	if !isPhrase(name) {
		return ""
	}

	near := ""
	for _, word := range others {
		switch {
		case !isPhrase(word) || phrase.Distance(name, word) > 1:
		case near != "":
			return ""
		default:
			near = word
		}
	}
	return near
}

// plainName returns the letters and digits of a folded name and its final sign,
// if any: CD4+ and CD4- are two markers. If no letter or digit is left, it
// returns the name itself.
func plainName(name string) string {
	folded := FoldName(name)
	plain := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, folded)
	if plain == "" {
		return name
	}
	if strings.HasSuffix(folded, "+") || strings.HasSuffix(folded, "-") {
		plain += folded[len(folded)-1:]
	}
	return plain + digitGroups(folded)
}

// digitGroups marks where punctuation separates two digits. Without these marks
// 1.23 and 12.3 would be equal.
func digitGroups(name string) string {
	var b strings.Builder
	letters := []rune(name)
	count := 0
	for i, r := range letters {
		if unicode.IsDigit(r) {
			count++
			if i >= 2 && unicode.IsDigit(letters[i-2]) && !unicode.IsDigit(letters[i-1]) && !unicode.IsLetter(letters[i-1]) {
				b.WriteString(" " + string(rune('0'+count%10)))
			}
		}
	}
	return b.String()
}

// withoutVersion removes the version of an accession: letters, at least three
// digits, a point, and the version.
func withoutVersion(name string) string {
	if match := accession.FindStringSubmatch(name); match != nil {
		return match[1]
	}
	return name
}

// Accession returns the number of an Ensembl or RefSeq entry without its
// version, such as ENSG00000141510 for ENSG00000141510.17. For any other name,
// ok is false: TP53.1 may be a second TP53.
func Accession(name string) (number string, ok bool) {
	match := numbered.FindStringSubmatch(name)
	if match == nil {
		return "", false
	}
	return match[1], true
}

var numbered = regexp.MustCompile(`^(ENS[A-Z]*\d{11}|[NX][MRP]_\d{6,})(?:\.\d{1,3})?$`)

var accession = regexp.MustCompile(`^([A-Za-z]+_?\d{3,})\.\d{1,3}$`)

// hasPrefix reports whether one name is the other with a prefix: GRCh38_TP53,
// gene:TP53, or the X that R puts before a name that begins with a digit. Their
// versions may differ.
func hasPrefix(a, b string) bool {
	return isSuffix(a, b) || isSuffix(b, a)
}

// isSuffix reports whether a is what remains of b after one of its separators.
func isSuffix(a, b string) bool {
	short := plainName(withoutVersion(a))
	if len(short) < 3 || a == "" {
		return false
	}
	if digit := rune(a[0]); unicode.IsDigit(digit) {
		return len(b) > 1 && (b[0] == 'X' || b[0] == 'x') && plainName(b[1:]) == plainName(a)
	}
	for i, r := range b {
		if strings.ContainsRune("_:|; ", r) && i+1 < len(b) && unicode.IsLetter(rune(b[i+1])) && plainName(withoutVersion(b[i+1:])) == short {
			return true
		}
	}
	return false
}

// isPhrase reports whether a name is written in words: no digits and at least
// five lower-case letters.
func isPhrase(name string) bool {
	letters := 0
	for _, r := range name {
		switch {
		case unicode.IsDigit(r):
			return false
		case unicode.IsLower(r):
			letters++
		}
	}
	return letters >= 5
}
