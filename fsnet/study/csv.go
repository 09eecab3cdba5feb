package study

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"fsnetlab/fsnet/fault"
)

// WriteCSV exports rows as CSV below a line with the names of the columns. What a row does not have is empty. Selected features are joined
// by semicolons; one that is part of a name, and a backslash, has a backslash before it. A text that a spreadsheet would take for a
// formula, or that begins with an apostrophe, has an apostrophe before it.
func WriteCSV(out io.Writer, rows []Row) error {
	w := csv.NewWriter(out)
	lines := [][]string{strings.Split("dataset,method,k,split,seed,accuracy_svm,accuracy_own,balanced_accuracy,mutual_information,model_kb,"+
		"seconds,selected,error,settings,version,judge,device,data,r2,r2_own", ",")}
	number := func(x *float64) string {
		if x == nil {
			return ""
		}
		return strconv.FormatFloat(*x, 'g', -1, 64)
	}
	for _, r := range rows {
		lines = append(lines, []string{
			guard(r.Dataset), guard(r.Method), strconv.Itoa(r.K), strconv.Itoa(r.Split), strconv.FormatInt(r.Seed, 10),
			number(r.AccuracySVM), number(r.AccuracyOwn), number(r.BalancedAccuracy), number(r.MutualInformation), number(r.ModelKB),
			strconv.FormatFloat(r.Seconds, 'f', 3, 64), guard(joinNames(r.Selected)), guard(r.Error), guard(r.Settings),
			strconv.Itoa(r.Version), guard(r.Judge), guard(r.Device), guard(r.Data), number(r.R2), number(r.R2Own),
		})
	}
	return fault.NotWritten(w.WriteAll(lines))
}

// guard puts an apostrophe before a text that a spreadsheet would take for a formula. One that begins with an apostrophe gets another.
func guard(text string) string {
	if strings.IndexAny(text, "=+-@\t\r\n'＝＋－＠") == 0 {
		return "'" + text
	}
	return text
}

// joinNames joins names by semicolons; splitNames takes them apart again.
func joinNames(names []string) string {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = strings.NewReplacer(`\`, `\\`, ";", `\;`).Replace(name)
	}
	return strings.Join(escaped, ";")
}

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
