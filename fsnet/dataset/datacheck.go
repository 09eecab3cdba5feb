package dataset

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// Doubts returns a line for everything to look at before you trust a training:
// names that may be two spellings of one class, group or site, gene names that
// a spreadsheet turned into dates, counters of an aligner, columns that may
// number the rows, copies of the label, and duplicate rows. It removes nothing.
// In sparse data it looks at names only, not at values.
func (d *Dataset) Doubts() (list []string) {
	if d.Target == nil {
		list = append(list, spellings("classes", d.Classes)...)
	}
	for _, g := range []*Groups{d.Groups, d.Nuisance} {
		if g != nil {
			list = append(list, spellings("values of "+g.Column, g.Names)...)
		}
	}
	words := slices.DeleteFunc(slices.Clone(d.Features), func(name string) bool { return !strings.Contains(name, "=") })
	list = append(list, spellings("features of covariates", words)...)
	list = append(list, dateLikeNames(d.Features)...)
	list = append(list, counters(d.Features)...)
	if d.Sparse() {
		return list
	}
	list = append(list, d.identifiers()...)
	list = append(list, d.copiesOfLabel()...)
	list = append(list, d.duplicateRows()...)
	return append(list, d.nearRows()...)
}

// spellings returns a line for each name that has several spellings. It escapes
// invisible characters. what is the plural noun for the names.
func spellings(what string, names []string) (list []string) {
	alike := map[string][]string{}
	for _, name := range names {
		alike[parse.FoldName(name)] = append(alike[parse.FoldName(name)], name)
	}
	for _, name := range names {
		if spellings := alike[parse.FoldName(name)]; len(spellings) > 1 && spellings[0] == name {
			list = append(list, fmt.Sprintf("the %s %s differ in capitals, blanks, or in how letters are coded alone: if they are one, write them in one way",
				what, parse.QuoteToASCII(spellings)))
		}
	}
	return list
}

// aDay and aDate match what a spreadsheet makes of MARCH1, SEPT2, DEC1 or
// 2310009E13. aDay matches a day and a month in the languages of western
// spreadsheets. aDate matches other dates, and the numbers that store dates.
// Elsewhere these are proper names of features.
var (
	aDay  = regexp.MustCompile(`^(?i)((\d{1,2}[-./ ]{1,2}` + months + `\.?|` + months + `\.?[-./ ]{1,2}\d{1,2})([-./ ]\d{2,4})?|\d{1,2} ?[月월] ?\d{1,2} ?[日일])$`)
	aDate = regexp.MustCompile(`^(?i)(\d{4}-\d{2}-\d{2}([T ][\d:.]+)?|\d{1,2}[/.]\d{1,2}[/.](\d{2}){1,2}|\d{4}/\d{1,2}/\d{1,2}|[34]\d{4}|\d(\.\d+)?E\+\d+)$`)
)

const months = `(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec` + // English
	`|jän|mär|märz|mrz|mai|juni?|juli?|okt|dez` + // German
	`|janv|févr?|fevr?|mars|avr|avril|juin|juil|août|aout|déc` + // French
	`|ene|abr|ago|set|dic|gen|mag|giu|lug|ott|fev|out|mei|mrt|maart|maj` + // Spanish, Italian, Portuguese, Dutch, Swedish
	`|wrz|gru|paź|янв|фев|мар|апр|сен|окт|ноя|дек)` // Polish, Russian

// dateLikeNames returns a line about names that may have been genes such as
// MARCH1 or SEPT2, if there are any.
func dateLikeNames(names []string) []string {
	const longest = len("2023-03-01T00:00:00.000")
	var days, others []string
	for _, name := range names {
		switch {
		case len(name) > longest:
		case aDay.MatchString(name):
			days = append(days, name)
		case aDate.MatchString(name):
			others = append(others, name)
		}
	}
	if 2*len(others) <= len(names) { // otherwise the features are dates or numbers on purpose
		days = append(days, others...)
	}

	if len(days) == 0 {
		return nil
	}
	return []string{"a spreadsheet seems to have made dates or numbers of names of genes: " + parse.Quote(days)}
}

// isCounter reports whether a feature with this name counts reads outside of
// genes: __no_feature of HTSeq, N_unmapped of STAR, Unassigned_NoFeatures of
// featureCounts.
func isCounter(name string) bool {
	switch strings.ToLower(name) {
	case "n_unmapped", "n_multimapping", "n_nofeature", "n_ambiguous", "no_feature", "ambiguous", "too_low_aqual", "not_aligned",
		"alignment_not_unique":
		return true
	}
	return strings.HasPrefix(name, "__") || strings.HasPrefix(name, "Unassigned_")
}

// counters returns a line about features that count reads, if there are any.
func counters(names []string) []string {
	found := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isCounter(name) })
	if len(found) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: counters of reads that belong to no gene, and may be chosen as features: leave them out with ignore=%s",
		parse.Quote(found), phrase.Typed(found...))}
}

// identifiers returns a line about columns that may number the rows, if there
// are any.
func (d *Dataset) identifiers() []string {
	var columns []string
	for j, name := range d.Features {
		at := func(row int) float32 { return d.At(row, j) }
		if !isCounter(name) && (countsUp(d.N, at) || namesIdentifier(name) && allDiffer(d.N, at) && !d.mostlyDiffer(j)) {
			columns = append(columns, name)
		}

	}
	if len(columns) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s may number the rows, but may be chosen as a feature: if so, leave it out with ignore=%s, or use samples=%s",
		parse.Quote(columns), phrase.Typed(columns...), phrase.Word(columns[0]))}
}

// minEvidence is the number of rows that are unlikely to agree by chance.
const minEvidence = 10

// countsUp reports whether a column holds whole numbers that increase by one
// from row to row. With fewer than minEvidence rows it returns false.
func countsUp(rows int, at func(row int) float32) bool {
	for i := range rows {
		if x := float64(at(i)); x != math.Trunc(x) || x != float64(at(0))+float64(i) {
			return false
		}
	}
	return rows >= minEvidence
}

// allDiffer reports whether a column holds whole numbers that all differ. It
// returns false if a value is missing.
func allDiffer(rows int, at func(row int) float32) bool {
	seen := make(map[float32]bool, rows)
	for i := range rows {
		x := at(i)
		if x != float32(math.Trunc(float64(x))) || seen[x] {
			return false
		}
		seen[x] = true
	}
	return true
}

// mostlyDiffer reports whether at least half of the columns near a column hold
// a different whole number in every row, as counts do.
func (d *Dataset) mostlyDiffer(column int) bool {
	const look = 64 // columns
	others, differ := 0, 0
	for j := max(0, column-look/2); j < d.D && others < look; j++ {
		if j == column {
			continue
		}
		others++
		if allDiffer(d.N, func(row int) float32 { return d.At(row, j) }) {
			differ++
		}
	}
	return others > 0 && 2*differ >= others
}

// copiesOfLabel returns a line about features that repeat the label, if there
// are any: features with one value per class, and features that are the
// quantity in other units.
func (d *Dataset) copiesOfLabel() []string {
	var copies []string
	for j, name := range d.Features {
		if d.Target == nil && d.tellsClasses(j) || d.Target != nil && d.tellsTarget(j) {
			copies = append(copies, name)
		}
	}

	if len(copies) == 0 {
		return nil
	}
	what := "has one value in each class"
	if d.Target != nil {
		what = "is the label in other units"
	}
	return []string{fmt.Sprintf("%s %s, as a copy of the label has: if the label was made of it, or it of the label, leave it out with ignore=%s",
		parse.Quote(copies), what, phrase.Typed(copies...))}
}

// tellsClasses reports whether a feature has one value per class, and not the
// same one in all classes. It ignores missing values. With fewer than
// minEvidence values it returns false.
func (d *Dataset) tellsClasses(j int) bool {
	values := make([]float32, len(d.Classes))
	for c := range values {
		values[c] = float32(math.NaN())
	}

	there := 0
	for i, y := range d.Y {
		x := d.At(i, j)
		switch {
		case x != x:
			continue
		case values[y] != values[y]:
			values[y] = x
		case values[y] != x:
			return false
		}
		there++
	}

	known := slices.DeleteFunc(values, func(x float32) bool { return x != x })
	return there >= minEvidence && len(known) > 1 && slices.Min(known) < slices.Max(known)
}

// tellsTarget reports whether a feature is a linear function of the quantity, y
// = a + b·x, with b ≠ 0 unless y is constant. It ignores missing values. With
// fewer than minEvidence values it returns false.
func (d *Dataset) tellsTarget(j int) bool {
	const near = 1e-5 // share of the range of the quantity
	low, high := -1, -1
	for i := range d.N {
		if x := d.At(i, j); x == x {
			if low < 0 || x < d.At(low, j) {
				low = i
			}
			if high < 0 || x > d.At(high, j) {
				high = i
			}
		}
	}

	if low < 0 || d.At(low, j) == d.At(high, j) {
		return false
	}

	x0, y0 := float64(d.At(low, j)), d.Target[low]
	slope := (d.Target[high] - y0) / (float64(d.At(high, j)) - x0)
	within := near * (slices.Max(d.Target) - slices.Min(d.Target))

	there := 0
	for i := range d.N {
		x := float64(d.At(i, j))
		if math.Abs(y0+slope*(x-x0)-d.Target[i]) > within {
			return false
		}
		if x == x {
			there++
		}
	}
	return there >= minEvidence
}

// duplicateRows returns a line about rows that agree in all features, if there
// are any. It ignores rows of one group, because they are never separated, and
// rows of few different values, because they agree by chance. d must not be
// sparse.
func (d *Dataset) duplicateRows() []string {
	const mostShown, differing = 4, 4
	first, seed := map[uint64]int{}, maphash.MakeSeed()
	var pairs []string
	more := 0
	for i := range d.N {
		row := d.X[i*d.D : (i+1)*d.D]
		h := hashOf(seed, row)
		before, again := first[h]
		if !again {
			first[h] = i
			continue
		}
		if d.Groups != nil && d.Groups.Of[before] == d.Groups.Of[i] || !hasDistinct(row, differing) {
			continue
		}
		if len(pairs) < mostShown {
			pairs = append(pairs, d.shortRow(before)+" and "+d.shortRow(i))
		} else {
			more++
		}
	}

	if len(pairs) == 0 {
		return nil
	}

	text := strings.Join(pairs, "; ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return []string{text + " hold the same values in every feature: if they are one sample, leave one of them out, or name a column with " +
		"groups= that says so; on both sides of a split it makes the accuracy too good"}
}

// nearlySame is the smallest correlation at which two rows may be one sample.
// Technical replicates reach it; samples of different patients do not.
const nearlySame = 0.999

// nearRows returns a line about rows that are almost the same, if there are any
// and a split may separate them because they are not in one group. It compares
// every pair of up to 2000 rows, first in about 200 columns.
func (d *Dataset) nearRows() []string {
	const mostRows, leastColumns, some = 2000, 20, 200
	if d.N > mostRows || d.D < leastColumns || d.isPaired {
		return nil
	}

	var part []int
	for j := 0; j < d.D; j += max(1, d.D/some) {
		part = append(part, j)
	}

	all, few := num.Indices(d.D), make([][]float64, d.N)
	for i := range few {
		few[i] = d.standardRow(i, part)
	}

	var examples string
	count := 0
	for i := range d.N {
		for j := range i {
			if d.Groups != nil && d.Groups.Of[i] == d.Groups.Of[j] || few[i] == nil || few[j] == nil || product(few[i], few[j]) < nearlySame-0.004 {
				continue
			}
			a, b := d.standardRow(i, all), d.standardRow(j, all)
			r := product(a, b)
			if r < nearlySame || slices.Equal(d.X[i*d.D:(i+1)*d.D], d.X[j*d.D:(j+1)*d.D]) {
				continue
			}
			if count++; count == 1 {
				examples = fmt.Sprintf("%s and %s (r = %.4f)", d.shortRow(j), d.shortRow(i), r)
			}
		}
	}

	if count == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of rows nearly the same, such as %s: if two are of one sample, name a column with groups= that says so; "+
		"on both sides of a split they make the accuracy too good", phrase.Count(count, "pair"), examples)}
}

// standardRow returns columns of a row, shifted and scaled to mean 0 and length
// 1. It returns nil if a value is missing or all are equal.
func (d *Dataset) standardRow(row int, columns []int) []float64 {
	values, mean, squares := make([]float64, len(columns)), 0.0, 0.0
	for i, j := range columns {
		values[i] = float64(d.At(row, j))
		mean += values[i] / float64(len(columns))
	}
	for i := range values {
		values[i] -= mean
		squares += values[i] * values[i]
	}

	if !(squares > 0) || math.IsInf(squares, 0) {
		return nil
	}
	for i := range values {
		values[i] /= math.Sqrt(squares)
	}
	return values
}

// product returns the sum of the products of two lists. It returns 0 if one of
// them is nil.
func product(a, b []float64) (sum float64) {
	for i := range min(len(a), len(b)) {
		sum += a[i] * b[i]
	}
	return sum
}

// hashOf hashes the values of a row. All missing values are equal.
func hashOf(seed maphash.Seed, row []float32) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	var buffer [4]byte
	for _, x := range row {
		binary.LittleEndian.PutUint32(buffer[:], bitsOf(x+0)) // −0 equals 0
		_, _ = h.Write(buffer[:])                             // never fails
	}
	return h.Sum64()
}

// hasDistinct reports whether a row holds at least many different values, apart
// from missing ones.
func hasDistinct(row []float32, many int) bool {
	var seen []float32
	for _, x := range row {
		if x == x && !slices.Contains(seen, x) {
			if seen = append(seen, x); len(seen) == many {
				return true
			}
		}
	}
	return false
}

// namesIdentifier reports whether a column with this name is likely to number
// the rows. It is if one of its words is no, id or the like, or ends in one, as
// in patientid. IDS is an exception, because it is a gene.
func namesIdentifier(name string) bool {
	if name == "IDS" {
		return false
	}

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
		for _, noun := range []string{"patient", "sample", "subject", "donor", "case", "record", "participant", "row"} {
			if rest, ok := strings.CutPrefix(word, noun); ok && rest != "" {
				word = rest
			}
		}
		return slices.Contains(numbers, word)
	})
}
