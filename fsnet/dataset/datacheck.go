package dataset

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"fsnetlab/fsnet/dataset/parse"
)

// Doubts is a line for each thing that a person should look at before trusting a training: classes, groups or sites that may be one, genes whose
// names a spreadsheet made dates of, and columns that may number the rows and measure nothing. Nothing is left out for it.
func (d *Dataset) Doubts() (list []string) {
	if d.Target == nil {
		list = append(list, spellings("classes", d.Classes)...)
	}
	for _, g := range []*Groups{d.Groups, d.Nuisance} {
		if g != nil {
			list = append(list, spellings("values of "+g.Column, g.Names)...)
		}
	}
	list = append(list, dates(d.Features)...)
	if d.Sparse() {
		return list
	}
	return append(list, identifiers(d.Features, d.N, d.At)...)
}

// spellings is a line for each name that is written in several ways, with what nobody sees in them written out.
func spellings(what string, names []string) (list []string) {
	alike := map[string][]string{}
	for _, name := range names {
		alike[parse.Folded(name)] = append(alike[parse.Folded(name)], name)
	}
	for _, name := range names {
		if written := alike[parse.Folded(name)]; len(written) > 1 && written[0] == name {
			list = append(list, fmt.Sprintf("the %s %s differ in capitals, blanks, or in how letters are coded alone: if they are one, write them in one way",
				what, parse.QuotedInASCII(written)))
		}
	}
	return list
}

var aDate = regexp.MustCompile(`^(?i)(\d{1,2}-(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)|(mar|sept?|dec)-\d{1,2})$`)

// dates is a line about features that may have been genes such as MARCH1 and SEPT2, if any.
func dates(names []string) []string {
	made := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return len(name) > len("31-Sept") || !aDate.MatchString(name) })
	if len(made) == 0 {
		return nil
	}
	return []string{"a spreadsheet seems to have made dates of names of genes: " + parse.Quoted(made)}
}

// identifiers is a line about the columns that may number the rows, if any.
func identifiers(names []string, rows int, at func(row, column int) float32) []string {
	var columns []string
	for j, name := range names {
		if identifies(rows, func(row int) float32 { return at(row, j) }, namesIdentifier(name)) {
			columns = append(columns, name)
		}
	}
	if len(columns) == 0 {
		return nil
	}
	name := parse.Shorten(columns[0])
	if strings.ContainsAny(name, " '$&;|<>()*?") { // as a shell takes it
		name = strconv.Quote(name)
	}
	return []string{fmt.Sprintf("%s may number the rows, but may be chosen as a feature: if so, take it out, or use --samples %s",
		parse.Quoted(columns), name)}
}

// identifies is whether a column holds whole numbers that count up row by row, or that all differ where its name says so.
func identifies(rows int, at func(row int) float32, named bool) bool {
	const fewest = 10 // rows that hardly count up by chance
	counts := rows >= fewest
	seen := map[float64]bool{}
	for i := range rows {
		x := float64(at(i))
		counts = counts && x == float64(at(0))+float64(i)
		if !counts && !named || x != math.Trunc(x) || seen[x] {
			return false
		}
		if named {
			seen[x] = true
		}
	}
	return true
}

// namesIdentifier is whether a column of this name is likely to number rows: one word of it is no, id or the like, or stands behind what is
// numbered, as in patientid.
func namesIdentifier(name string) bool {
	numbers := []string{"id", "ids", "no", "nr", "num", "number", "index", "idx", "row", "rownames", "barcode", "mrn"}
	var spaced strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(r)
		before = r
	}
	words := strings.FieldsFunc(strings.ToLower(spaced.String()), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(word string) bool {
		for _, of := range []string{"patient", "sample", "subject", "donor", "case", "record", "participant", "row"} {
			if rest, ok := strings.CutPrefix(word, of); ok && rest != "" {
				word = rest
			}
		}
		return slices.Contains(numbers, word)
	})
}
