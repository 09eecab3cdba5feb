package reading

import (
	"fmt"
	"regexp"

	"fsnetlab/fsnet/dataset/word"
)

// Doubts are what people should look at before they trust a table: what spreadsheets and slips do to one without an error. x are its
// rows × features values, nil where most are 0; a feature that numbers fewer than ten rows may do so by chance.
func Doubts(features, classes []string, x []float32) []string {
	var list, dates []string
	for _, name := range features {
		if len(name) <= len("31-Sept") && aDate.MatchString(name) {
			dates = append(dates, name)
		}
	}
	if len(dates) > 0 {
		list = append(list, "a spreadsheet seems to have turned names of genes into dates: "+word.Quoted(dates))
	}
	if d := len(features); len(x) >= 10*d {
		for j, name := range features {
			if numbersRows(x, j, d) {
				list = append(list, fmt.Sprintf("%q only numbers the rows, and is taken as a feature: take it out if it measures nothing", name))
			}
		}
	}
	for c, name := range classes {
		if other := word.Alike(name, classes[:c]); other != "" {
			list = append(list, fmt.Sprintf("the classes %q and %q differ only in capitals", other, name))
		}
	}
	return list
}

var aDate = regexp.MustCompile(`^(?i)(\d{1,2}-(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)|(mar|sept?|dec)-\d{1,2})$`)

// numbersRows reports whether column j of d is 1, 2, 3 and so on, from any number.
func numbersRows(x []float32, j, d int) bool {
	for ; j+d < len(x); j += d {
		if x[j+d] != x[j]+1 {
			return false
		}
	}
	return true
}
