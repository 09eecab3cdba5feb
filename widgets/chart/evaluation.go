package chart

import (
	"fmt"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
)

// Evaluation draws how well the network does on the selected features: accuracy beside what always naming the most frequent class
// reaches, and which classes are taken for which.
func Evaluation(e session.Evaluation) Picture {
	return Picture{HTML: evaluationHTML(e), Text: evaluationText(e), Alt: evaluationTitle(e) + ": " + evaluationSummary(e) + "."}
}

func evaluationTitle(e session.Evaluation) string {
	part := plain(e.Part)
	if part == "train" {
		part = "training"
	}
	return fmt.Sprintf("Evaluation of %s on %s, step %d", plain(e.Session), counted(e.Rows, part+" row"), e.Step)
}

func evaluationSummary(e session.Evaluation) string {
	return fmt.Sprintf("accuracy %s, always the majority class %s", fixed(e.Accuracy, 3), fixed(e.Majority, 3))
}

// evaluationNotes are the lines below the bars.
func evaluationNotes(e session.Evaluation) []string {
	notes := []string{
		fmt.Sprintf("reconstruction error %s (mean squared, per feature, scaled units)", number(e.ReconstructionError)),
		fmt.Sprintf("mutual information %s bits (mean over pairs of selected features)", number(e.MutualInformation)),
	}
	if e.TestLooks > 0 && e.Part == "test" {
		notes = append(notes, fmt.Sprintf("the test rows were looked at %s: choosing by them is tuning on the test set", times(e.TestLooks)))
	}
	return notes
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

type share struct {
	name   string
	value  float64
	colour rgb
}

func evaluationShares(e session.Evaluation) []share {
	return []share{{"accuracy", e.Accuracy, blue}, {"balanced accuracy", e.BalancedAccuracy, blue}, {"always the majority class", e.Majority, grey}}
}

// confusion is the table of counts with its headings; what has no name is called by its number.
func confusion(e session.Evaluation) (classes []string, counts [][]int) {
	classes = make([]string, len(e.Confusion))
	for i := range classes {
		classes[i] = "class " + strconv.Itoa(i)
		if i < len(e.Classes) {
			classes[i] = plain(e.Classes[i])
		}
	}
	return classes, e.Confusion
}

func evaluationText(e session.Evaluation) string {
	var b strings.Builder
	fmt.Fprintln(&b, evaluationTitle(e))
	rows := [][]string{}
	for _, s := range evaluationShares(e) {
		rows = append(rows, []string{s.name, bar(s.value, 20), fixed(s.value, 3)})
	}
	b.WriteString(textTable(rows, false, false, true))
	for _, note := range evaluationNotes(e) {
		fmt.Fprintln(&b, note)
	}
	classes, counts := confusion(e)
	if len(counts) == 0 {
		return b.String()
	}
	table := [][]string{{"true \\ predicted"}}
	right := []bool{false}
	for _, c := range classes {
		table[0] = append(table[0], shorten(c, 20))
		right = append(right, true)
	}
	for i, row := range counts {
		cells := []string{shorten(classes[i], 20)}
		for j := range classes {
			cells = append(cells, cell(row, j))
		}
		table = append(table, cells)
	}
	b.WriteString(textTable(table, right...))
	return b.String()
}

func cell(row []int, j int) string {
	if j >= len(row) {
		return "–"
	}
	return strconv.Itoa(row[j])
}

func evaluationHTML(e session.Evaluation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<div><b>%s</b>\n<table style=\"%s\">\n", escape(evaluationTitle(e)), tableStyle)
	for _, s := range evaluationShares(e) {
		htmlRow(&b, "td", [2]string{cellStyle, s.name}, [2]string{cellStyle, htmlBar(s.value, 160, s.colour)}, [2]string{rightStyle, fixed(s.value, 3)})
	}
	b.WriteString("</table>\n")
	confusionHTML(&b, e)
	for _, note := range evaluationNotes(e) {
		fmt.Fprintf(&b, "<div>%s</div>\n", escape(note))
	}
	b.WriteString("</div>")
	return b.String()
}

// confusionHTML tints each count by its share of the row: blue where the prediction is right, vermillion where it is not.
func confusionHTML(b *strings.Builder, e session.Evaluation) {
	classes, counts := confusion(e)
	if len(counts) == 0 {
		return
	}
	fmt.Fprintf(b, "<table style=\"%s\">", tableStyle)
	heading := [][2]string{{cellStyle, "true \\ predicted"}}
	for _, c := range classes {
		heading = append(heading, [2]string{countStyle, escape(c)})
	}
	htmlRow(b, "th", heading...)
	for i, row := range counts {
		total := 0
		for _, n := range row {
			total += n
		}
		cells := [][2]string{{cellStyle, "<b>" + escape(classes[i]) + "</b>"}}
		for j := range classes {
			style := countStyle
			if j < len(row) && row[j] > 0 {
				c := vermillion
				if i == j {
					c = blue
				}
				red, green, blue := c.parts()
				style += fmt.Sprintf(";background:rgba(%d,%d,%d,%.2f)", red, green, blue, 0.1+0.4*float64(row[j])/float64(total))
			}
			cells = append(cells, [2]string{style, cell(row, j)})
		}
		htmlRow(b, "td", cells...)
	}
	b.WriteString("</table>\n")
}
