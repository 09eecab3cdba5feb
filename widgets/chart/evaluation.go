package chart

import (
	"fmt"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Evaluation draws how well the network predicts from the selected features. It
// shows the accuracy next to the share of the most frequent class, and the
// confusion of the classes.
func Evaluation(e session.Evaluation) Picture {
	title, accuracies := evaluationTitle(e), accuracyTable(e)
	page, text := "<div><b>"+words.Escape(title)+"</b>\n"+accuracies.HTML(160)+"\n", title+"\n"+accuracies.Text(20, 0)

	notes := []string{
		fmt.Sprintf("reconstruction error %s (mean squared, per feature, scaled units)", words.Number(e.ReconstructionError)),
		fmt.Sprintf("mutual information %s bits (mean over pairs of selected features)", words.Number(e.MutualInformation)),
	}

	if networks := e.Networks(); networks != "" {
		notes = append(notes, networks)
	}
	if e.Low != nil && e.High != nil {
		notes = append(notes, fmt.Sprintf("95 %% interval of the accuracy %s to %s", words.Fixed(*e.Low, 2), words.Fixed(*e.High, 2)))
	}

	if absent := e.Absent(); len(absent) > 0 {
		notes = append(notes, "none of these rows is of class "+words.Plain(strings.Join(absent, " or "))+", so the accuracy says nothing about telling it apart")
	}

	if e.TestLooks > 0 && e.Part == session.Test {
		notes = append(notes, e.Looks())
	}

	text += strings.Join(notes, "\n") + "\n"
	if len(e.Confusion) > 0 {
		confusion := confusionTable(e)
		page += confusion.HTML(0) + "\n"
		text += confusion.Text(0, 20)
	}

	for _, note := range notes {
		page += "<div>" + words.Escape(note) + "</div>\n"
	}

	alt := fmt.Sprintf("%s: %s %s, ", title, e.Score.Metric.Name(), words.Fixed(e.Score.Value, 3))
	if e.Score.Metric.Quantity() {
		alt += "root mean squared error " + words.Number(*e.RMSE) + "."
	} else {
		alt += "always the majority class " + words.Fixed(e.Guess, 3) + "."
	}

	return Picture{HTML: page + "</div>", Text: text, Alt: alt}
}

// evaluationTitle names the session, the number and kind of the rows, and the
// step.
func evaluationTitle(e session.Evaluation) string {
	part := words.Plain(e.Part)
	if part == "train" {
		part = "training"
	}

	rows := phrase.Count(e.Rows, part+" row")
	if e.Units > 0 {
		rows += " of " + phrase.Count(e.Units, words.Plain(e.Unit))
	}

	title := fmt.Sprintf("Evaluation of %s on %s, step %d", words.Plain(e.Session), rows, e.Step)
	if e.Unfinished != "" {
		title = words.Plain(e.Unfinished) + ". " + title
	}
	return title
}

// accuracyTable returns the scores in a table without titles: accuracy,
// balanced accuracy and the majority class with bars. For a quantity it returns
// R² and the root mean squared error.
func accuracyTable(e session.Evaluation) words.Table {
	if e.Score.Metric.Quantity() { // a negative R² has no bar
		return words.Table{{Cells: []string{"R²", "root mean squared error"}},
			{Right: true, Cells: []string{words.Fixed(e.Score.Value, 3), words.Number(*e.RMSE)}}}
	}
	bars := []words.Share{{Value: e.Score.Value, Colour: spec.Blue.CSS()}, {Value: *e.BalancedAccuracy, Colour: spec.Blue.CSS()},
		{Value: e.Guess, Colour: spec.Grey.CSS()}}
	t := words.Table{{Cells: []string{"accuracy", "balanced accuracy", "always the majority class"}}, {Bars: bars}, {Right: true}}
	for _, s := range t[1].Bars {
		t[2].Cells = append(t[2].Cells, words.Fixed(s.Value, 3))
	}
	return t
}

// confusionTable returns the counts, true classes down and predictions across.
// It tints each count by its share of the row, blue for right predictions and
// vermillion for wrong ones. If a class has no name, its number is shown.
func confusionTable(e session.Evaluation) words.Table {
	t := words.Table{{Title: `true \ predicted`, Name: true}}
	for j := range e.Confusion {
		class := "class " + strconv.Itoa(j)
		if j < len(e.Classes) {
			class = e.Classes[j]
		}

		t[0].Cells, t[0].Shades = append(t[0].Cells, class), append(t[0].Shades, ";font-weight:bold")
		predicted := words.Column{Title: class, Right: true}
		for i, row := range e.Confusion {
			total, cell, shade := 0, "–", ";padding:1px 10px"
			for _, n := range row {
				total += n
			}
			if j < len(row) {
				cell = strconv.Itoa(row[j])
			}

			if j < len(row) && row[j] > 0 {
				colour := spec.Vermillion
				if i == j {
					colour = spec.Blue
				}
				shade += fmt.Sprintf(";background:%s%02x", colour.CSS(), int(255*(0.1+0.4*float64(row[j])/float64(total))))
			}
			predicted.Cells, predicted.Shades = append(predicted.Cells, cell), append(predicted.Shades, shade)
		}
		t = append(t, predicted)
	}
	return t
}
