package main

import (
	"encoding/json"
	"fmt"
	"html"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/study"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
)

// textColumns is how wide a text for people is at the most.
const textColumns = 140

// stabilityPage is the table of a stability result as text, and a page with its chart and table: HTML without scripts or addresses.
func stabilityPage(result *study.StabilityResult) (text, page string, err error) {
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
	return words.Wrap(table.Text, textColumns), htmlPage("Which features to trust: "+result.Dataset, string(picture.SVG())+"\n"+table.HTML), err
}

// htmlPage is a page of a title and what stands on it.
func htmlPage(title, body string) string {
	return fmt.Sprintf("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title></head>\n<body "+
		"style=\"font-family:sans-serif;margin:2em\">\n%s\n</body></html>\n",
		html.EscapeString(title), body)
}
