package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/internal/phrase"
)

// String returns the status as a short table for users.
func (s Status) String() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}

	fmt.Fprintf(&b, "%s: %s at step %d of %d, epoch %.4g of %d", s.Session, s.State, s.Step, s.Steps, s.Epoch, s.Config.Epochs)
	if s.Reason != "" {
		fmt.Fprintf(&b, " (%s)", s.Reason)
	}
	b.WriteByte('\n')
	label := "classes " + strings.Join(s.Classes, ", ")
	if s.Config.Regression() {
		label = "a quantity"
	}

	line("data", "%s, %s, %s; rows for training %d, validation %d, test %d", s.Dataset, phrase.TableOf(s.N, s.Units, s.Unit, s.D), label, s.Train, s.Validate,
		s.Test)
	if method := s.Method(); method != "" {
		line("protocol", "%s", method)
	}

	line("temperature", "%.4g, sharpness %.4g", s.Tau, s.Sharpness)
	if s.Trained {
		line("loss", "%.4g = %s %.4g + %.4g × reconstruction %.4g", s.Loss, s.Learned(), s.LossClass, s.Config.Lambda, s.LossReconstruction)
		score := fmt.Sprintf("%.3f on the training batches", s.TrainScore.Value)
		switch {
		case s.ValidationScore != nil:
			score += fmt.Sprintf(", %.3f on the validation rows", s.ValidationScore.Value)
		case s.Validate > 0:
			score += ", none yet on the validation rows"
		}
		if s.Final != nil {
			score = TrainedNetwork + " " + score
		}
		line(s.TrainScore.Metric.Name(), "%s", score)
		if s.Final != nil {
			line("", "%s", s.Final)
		}
		selection := fmt.Sprintf("%d of %d settled", s.SettledRows, s.Config.K)
		if s.UniqueRows != nil && s.MaxProbability != nil {
			selection += fmt.Sprintf(", %d different, largest probabilities %.3f on average", *s.UniqueRows, *s.MaxProbability)
		}
		line("selection", "%s", selection)
	}

	if s.Contest != nil {
		line("contest", "at step %d %s", s.Contest.Step, s.Contest)
	}

	if s.Compiling {
		line("speed", "compiling the steps, about a second")
	} else if s.StepsPerSecond > 0 {
		speed := fmt.Sprintf("%.4g steps a second", s.StepsPerSecond)
		if s.State == Running {
			speed += fmt.Sprintf(", %s left", duration(s.SecondsLeft))
		}
		line("speed", "%s", speed)
	}

	line("device", "%s, %s", s.Backend, s.Device)
	switch {
	case s.ReadOnly:
		line("run", "read-only: another process has it open")
	case s.SavedStep != nil:
		line("run", "kept up to step %d in %s", *s.SavedStep, s.RunDirectory)
	}

	if s.Warning != "" {
		line("warning", "%s", s.Warning)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Unfinished describes the progress of a training that is not over, for example
// "unfinished: step 20 of 1500, paused, 0 of 10 selectors settled". If the
// training is over, its figures are final, and Unfinished returns "".
func (s Status) Unfinished() string {
	if s.State == Settled || s.State == Done || s.Steps == 0 {
		return ""
	}
	return fmt.Sprintf("unfinished: step %d of %d, %s, %d of %s settled", s.Step, s.Steps, s.State, s.SettledRows,
		phrase.Count(s.Config.K, "selector"))
}

// String describes, for users, what the contest exchanged.
func (c Contest) String() string {
	if len(c.Exchanges) == 0 {
		return "no feature told clearly more than the chosen ones"
	}
	parts := make([]string, len(c.Exchanges))
	for i, x := range c.Exchanges {
		parts[i] = fmt.Sprintf("%s replaced %s", x.To.Name, x.From.Name)
	}
	return strings.Join(parts, ", ")
}

// Replaced returns the exchange that gave a selector its feature, or nil if it
// kept its own. c may be nil.
func (c *Contest) Replaced(selector int) *Exchange {
	if c == nil {
		return nil
	}
	if i := slices.IndexFunc(c.Exchanges, func(x Exchange) bool { return x.Selector == selector }); i >= 0 {
		return &c.Exchanges[i]
	}
	return nil
}

// Sentence describes in one sentence what the contest exchanged among k
// features, with the reasons.
func (c Contest) Sentence(k int) string {
	if len(c.Exchanges) == 0 {
		return "After the annealing no feature was exchanged: none told clearly more than the chosen ones"
	}

	spelled := func(n int) string {
		if list := strings.Fields("one two three four five six seven eight nine ten"); n <= len(list) {
			return list[n-1]
		}
		return strconv.Itoa(n)
	}

	verb := "was"
	if len(c.Exchanges) > 1 {
		verb = "were"
	}

	parts := make([]string, len(c.Exchanges))
	for i, x := range c.Exchanges {
		parts[i] = fmt.Sprintf("%s for %s (explains %.0f %% of what the others leave)", x.From.Name, x.To.Name, 100*x.Share)
		if x.By == ByPair {
			parts[i] = fmt.Sprintf("%s for %s (of a pair that tells more together)", x.From.Name, x.To.Name)
		}
	}
	return fmt.Sprintf("After the annealing %s of %s %s exchanged: %s", spelled(len(c.Exchanges)), spelled(k), verb, strings.Join(parts, ", "))
}

// String returns the step of the final networks and their known scores in
// one line.
func (f FinalNetworks) String() string {
	var scores []string
	for _, s := range []struct {
		score *Score
		rows  string
	}{{f.Train, "training"}, {f.Validation, "validation"}, {f.Test, "test"}} {
		if s.score != nil {
			scores = append(scores, fmt.Sprintf("%.3f on the %s rows", s.score.Value, s.rows))
		}
	}
	text := fmt.Sprintf("%s (step %d)", FinalNetwork, f.Step)
	if len(scores) > 0 {
		text += " " + strings.Join(scores, ", ")
	}
	if f.OtherChoice {
		text += "; they have another choice: " + strings.Join(f.Features, ", ")
	}
	return text
}

// Method returns the protocol and how it trains the selectors, as part of a
// sentence. If the status has no settings, it returns "".
func (s Status) Method() string {
	if s.Config.Protocol == "" {
		return ""
	}
	return s.Config.Protocol + ": " + s.Config.Trainer()
}

// Learned returns what LossClass measures: the class, or the quantity.
func (s Status) Learned() string {
	if s.Config.Regression() {
		return "quantity"
	}
	return "class"
}

// duration returns a duration in words, in seconds or longer units.
func duration(seconds float64) string {
	if seconds < 100 {
		return fmt.Sprintf("%.1f s", seconds)
	}
	return fmt.Sprintf("%.0f min", seconds/60)
}

// Selection holds the K features chosen now, by falling probability.
type Selection []Selected

// Reason describes how the feature was chosen and which feature it replaced.
// For a feature chosen by the gradient, the usual case, it returns "".
func (s Selected) Reason() string {
	switch {
	case s.Replaced != nil:
		return fmt.Sprintf("%s, replaced %s", s.ChosenBy, s.Replaced.Name)
	case s.ChosenBy == ByGradient:
		return ""
	}
	return s.ChosenBy
}

// Names returns the names of the features by rank.
func (s Selection) Names() []string {
	names := make([]string, len(s))
	for i, f := range s {
		names[i] = f.Name
	}
	return names
}

// String returns the selection as a table for users, with names first.
func (s Selection) String() string {
	rows := [][]string{{"feature", "probability", "margin", "column", "selector"}}
	for _, f := range s {
		rows = append(rows, []string{fmt.Sprintf("%2d. %s", f.Rank, f.Name), fmt.Sprintf("%.3f", f.Probability), fmt.Sprintf("%.3f", f.Margin),
			fmt.Sprint(f.Index), fmt.Sprint(f.Selector)})
	}
	return table(rows)
}

// String returns the evaluation as a short table for users.
func (e Evaluation) String() string {
	var b strings.Builder
	if e.Unfinished != "" {
		fmt.Fprintln(&b, e.Unfinished)
	}
	fmt.Fprintf(&b, "%s rows of %s after step %d: ", e.Part, e.Session, e.Step)
	if e.Score.Metric.Quantity() {
		fmt.Fprintf(&b, "R² %.3f (always saying the mean: 0), root mean squared error %.4g\n", e.Score.Value, *e.RMSE)
	} else {
		b.WriteString(e.classes())
	}
	if e.Final != nil {
		b.WriteString(e.Networks() + "\n")
	}
	fmt.Fprintf(&b, "reconstruction error %.4g, mutual information of the selected features %.3f bits", e.ReconstructionError,
		e.MutualInformation)
	if e.Part == "test" {
		fmt.Fprintf(&b, "\n%s", e.Looks())
	}
	return b.String()
}

// Looks describes how often the test rows were looked at, and with how many
// settings.
func (e Evaluation) Looks() string {
	if e.TestLooks == 1 {
		return "the test rows were looked at once"
	}
	settings := ""
	if e.TestSettings > 0 {
		settings = ", with " + phrase.Count(e.TestSettings, "setting")
	}
	return fmt.Sprintf("the test rows were looked at %d times%s; choosing settings by them is tuning on the test set", e.TestLooks, settings)
}

// Networks describes the scores of the trained network and the final networks,
// and which of the two the other figures measure. Before there are final
// networks, it returns "".
func (e Evaluation) Networks() string {
	if e.Final == nil {
		return ""
	}
	metric := e.Score.Metric.Name()
	text := fmt.Sprintf("%s (step %d): %s %.3f; %s (step %d): %s %.3f", TrainedNetwork, e.Step, metric, e.Trained.Value, FinalNetwork, e.Final.Step,
		metric, e.Final.Score.Value)
	if e.Final.OtherChoice {
		return text + ", with another choice of features; the other figures here are the " + TrainedNetwork + "'s"
	}
	return text + "; the other figures here are the " + FinalNetwork + "'"
}

// classes returns the lines of the evaluation that are about classes: the
// accuracies and the confusion matrix.
func (e Evaluation) classes() string {
	text := fmt.Sprintf("accuracy %.3f, balanced %.3f; always the most frequent class: %.3f\n", e.Score.Value, *e.BalancedAccuracy, e.Guess)
	if absent := e.Absent(); len(absent) > 0 {
		text += fmt.Sprintf("none of these rows is of class %s, so the accuracy says nothing about telling it apart\n", strings.Join(absent, " or "))
	}
	rows := [][]string{append([]string{"true class"}, e.Classes...)}
	for i, counts := range e.Confusion {
		row := []string{""}
		if i < len(e.Classes) {
			row[0] = e.Classes[i]
		}
		for _, n := range counts {
			row = append(row, fmt.Sprint(n))
		}
		rows = append(rows, row)
	}
	return text + table(rows) + "  (columns: predicted)\n"
}

// String returns the event in one line.
func (e Event) String() string {
	return fmt.Sprintf("step %d (epoch %.4g): %s", e.Step, e.Epoch, e.Text)
}

// table aligns the first column on the left and the others on the right,
// with two spaces between them.
func table(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}

	lines := make([]string, len(rows))
	for r, row := range rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-len([]rune(cell)))
			if i == 0 {
				lines[r] = cell + pad
				continue
			}
			lines[r] += "  " + pad + cell
		}
		lines[r] = strings.TrimRight(lines[r], " ")
	}
	return strings.Join(lines, "\n")
}
