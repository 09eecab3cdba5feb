package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"fsnetlab/fsnet/dataset/word"
)

// Doubts are what a person should look at before trusting a training, a line each: classes that may be one, and features that may be none.
// Nothing is left out for it.
func (d *Dataset) Doubts() []string {
	var list []string
	if d.Target == nil {
		alike := map[string][]string{}
		for _, class := range d.Classes {
			key := strings.ToLower(strings.Join(strings.Fields(class), " "))
			alike[key] = append(alike[key], class)
		}
		for _, class := range d.Classes {
			key := strings.ToLower(strings.Join(strings.Fields(class), " "))
			if names := alike[key]; len(names) > 1 && names[0] == class {
				list = append(list, fmt.Sprintf("the classes %s differ in capitals or blanks alone: if they are one, write them in one way", word.Quoted(names)))
			}
		}
	}
	var columns []string
	for j, name := range d.Features {
		if !d.Sparse() && d.identifies(j, name) {
			columns = append(columns, name)
		}
	}
	if len(columns) > 0 {
		list = append(list, fmt.Sprintf("%s may number the rows, but may be chosen as a feature: if so, take it out, or use samples=%s",
			word.Quoted(columns), word.Shorten(columns[0])))
	}
	return list
}

// identifies is whether a column looks like one that tells the rows apart and measures nothing: whole numbers that count up row by row, or
// that all differ under a name such as patient_no.
func (d *Dataset) identifies(column int, name string) bool {
	const fewest = 10 // rows that hardly count up by chance
	counts := d.N >= fewest
	named := namesIdentifier(name)
	seen := map[float32]bool{}
	for i := range d.N {
		x := d.At(i, column)
		counts = counts && x == d.At(0, column)+float32(i)
		if !counts && !named || float64(x) != math.Trunc(float64(x)) || seen[x] {
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
