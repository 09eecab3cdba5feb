package chart

import (
	"fmt"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/words"
)

// Sessions is the open sessions as a table: where each stands, and the settings in which they differ.
func Sessions(list []session.Status) Picture {
	t := Table{{Title: "session", Name: true}, {Title: "state"}, {Title: "step", Right: true}, {Title: "settled", Right: true},
		{Title: "training accuracy", Right: true}}
	for _, s := range list {
		score := "–"
		if s.Trained {
			score = words.Fixed(s.TrainScore.Value, 3)
		}
		if s.Trained && s.TrainScore.Metric == "r2" {
			score = "R² " + score
		}
		t.Add(s.Session, string(s.State), fmt.Sprintf("%d of %d", s.Step, s.Steps), fmt.Sprintf("%d of %d", s.SettledRows, s.Config.K), score)
	}
	for _, key := range config.Keys() {
		column, differs := Column{Title: key.Name}, false
		for _, s := range list {
			column.Cells = append(column.Cells, s.Config.Text(key.Name))
			follows := key.Name == "split_seed" && s.Config.RowsSeed() == s.Config.Seed // seed says it
			differs = differs || !follows && s.Config.Text(key.Name) != list[0].Config.Text(key.Name)
		}
		if differs {
			t = append(t, column)
		}
	}
	return Picture{HTML: t.HTML(0), Text: t.Text(0, nameLetters), Alt: count.Of(len(list), "open session")}
}
