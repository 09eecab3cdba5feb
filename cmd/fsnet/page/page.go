// Package page is what fsnet shows of a result besides JSON: a text for the terminal, and a page that needs nothing but a browser.
//
// [Comparison], [Judge] and [Stability] each show the result of one command; the small words that they share are here, too.
package page

import (
	"encoding/json"
	"fmt"
	"html"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/stability"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
)

// columns is how wide a text for people is at the most.
const columns = 140

// Stability is the table of a stability result as text, and a page with its chart and table: HTML without scripts or addresses.
func Stability(result *stability.Result) (text, page string, err error) {
	object, err := json.Marshal(result)
	if err != nil {
		return "", "", fault.Wrap(err, fault.Failed, "", "the result cannot be drawn")
	}
	var drawn chart.Stability
	if err := json.Unmarshal(object, &drawn); err != nil {
		return "", "", fault.Wrap(err, fault.Failed, "", "the result cannot be drawn")
	}
	table := chart.StabilityTable(drawn)
	picture, err := chart.StabilityChart(drawn)
	return words.Wrap(table.Text, columns), of("Which features to trust: "+result.Dataset, string(picture.SVG())+"\n"+table.HTML), err
}

// of is a page of a title and what stands on it.
func of(title, body string) string {
	return fmt.Sprintf("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title></head>\n<body "+
		"style=\"font-family:sans-serif;margin:2em\">\n%s\n</body></html>\n",
		html.EscapeString(title), body)
}
