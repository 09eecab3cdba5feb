package chart

import (
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/words"
)

// Summary is what a training came to: one sentence of its evaluation, then its features, with the class that each is higher in.
func Summary(e session.Evaluation, selected []session.Selected, rows session.Rows) Picture {
	quantity := e.R2 != nil
	higher := Column{Title: "higher in, SD"}
	if quantity {
		higher.Title = "goes with it"
	}
	for _, effect := range rows.Effects(quantity) {
		higher.Cells = append(higher.Cells, words.Plain(effect.String()))
	}
	p, answer := Selection(selected, higher), words.Plain(e.Answer())
	within := p.terminal
	p.HTML = "<p><b>" + words.Escape(answer) + "</b></p>" + p.HTML
	p.Text, p.Alt = answer+"\n\n"+p.Text, answer+". "+p.Alt
	if within != nil {
		p.terminal = func(columns int) string {
			return words.Wrap(answer, columns) + "\n\n" + within(columns)
		}
	}
	if e.TestLooks > 1 && e.Part == "test" {
		note := "the test rows were looked at more than once: choosing by them is tuning on the test set"
		p.HTML += "<div>" + note + "</div>"
		p.Text += note + "\n"
	}
	return p
}
