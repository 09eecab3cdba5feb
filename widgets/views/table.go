package views

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
	"fsnetlab/widgets/ipywidgets"
)

// tableView is the live table of the selected features of one session. Rank,
// probability and margin come with each update. The means and the information
// of a feature are requested once.
type tableView struct {
	*View

	past pastStep // that is shown

	mu       sync.Mutex
	selected []session.Selected
	known    map[int][]any // information and means, by column
	asking   bool
}

const (
	tableRate    = 4                      // updates a second: a table needn't change faster than you can read it
	featurePause = 500 * time.Millisecond // between two requests during a run, because each takes the session's turn for a moment
	remembered   = 500                    // number of features to remember that are no longer selected
)

// Table returns the live table of a session. Means and information are of the
// training rows. It acts until life ends. Follow starts it.
func Table(life context.Context, m *ipywidgets.Manager, host session.Caller, status session.Status) *View {
	v := &tableView{known: map[int][]any{}, past: pastStep{at: now}}
	v.View = newView(life, m, host, status, module("table"), map[string]ipywidgets.Entry{
		"sort":    {Value: "rank", Person: true, Check: check(sortable, "a column of the table")},
		"down":    {Value: false, Person: true, Check: isBool},
		"session": {Value: status.Session},
		"when":    {Value: tableWhen(status)},
		"classes": {Value: append([]string{}, status.Classes...)},
		"unit":    {Value: meanUnit(status.Config)},
		"rows":    {Value: []any{}},
		"facts":   {Value: map[string]any{}},
	})
	v.setUp(session.WatchRequest{Selection: true, Rate: tableRate}, v.update, v.draw)
	v.followPast(func(step int) { go v.guard(func() { v.past.goTo(step, v.showAt) }) }, nil)
	return v.View
}

// showAt shows the features that were selected after a past step, according to
// the matrix of that step. If step is now, it shows the current selection. An
// error becomes the view's message.
func (v *tableView) showAt(step int) {
	status := v.Status()
	if step == now {
		selected, err := v.session.Selection(v.life)
		if err != nil {
			v.fail(err)
			return
		}
		v.show(now, status, selected)
		return
	}

	m, err := v.session.Matrix(v.life, session.MatrixRequest{Step: &step, Top: mostTop})
	if err != nil {
		v.fail(err)
		return
	}

	status.Step, status.Epoch = m.Step, m.Epoch
	v.show(step, status, selectedIn(m))
}

// selectedIn returns the selection of a matrix by rank. It omits features that
// the matrix doesn't show.
func selectedIn(m session.Matrix) (list []session.Selected) {
	for i, row := range m.Values {
		if i >= len(m.Selected) || m.Selected[i] < 0 || m.Selected[i] >= len(row) {
			continue
		}

		j, second := m.Selected[i], 0.0
		for other, p := range row {
			if other != j {
				second = max(second, p)
			}
		}

		list = append(list, session.Selected{Rank: i + 1, Name: m.Names[j], Index: m.Index[j], Probability: row[j], Margin: row[j] - second,
			Selector: m.Selectors[i]})
	}
	return list
}

// update shows the selection while the current state is shown.
func (v *tableView) update(u session.Update) {
	v.mu.Lock()
	closed := u.Status.State == session.Closed
	if closed {
		v.known = map[int][]any{} // the next session of that name may have other rows
	}
	v.mu.Unlock()
	if closed || u.Problem != "" {
		return
	}

	if v.past.step() == now {
		v.show(now, u.Status, u.Selection)
	}
}

// show shows the features selected after a step, if the view still shows that
// step.
func (v *tableView) show(step int, status session.Status, selected []session.Selected) {
	if v.past.step() != step {
		return
	}
	v.mu.Lock()
	v.selected = selected
	state := map[string]any{
		"when": tableWhen(status), "classes": append([]string{}, status.Classes...), "rows": tableRows(selected), "facts": v.facts(),
		"message": "",
	}
	asks := !v.asking && v.unknown() != nil && v.life.Err() == nil
	v.asking = v.asking || asks
	v.mu.Unlock()

	v.Set(state)
	if asks {
		go v.guard(v.ask)
	}

	v.changed()
}

func tableWhen(s session.Status) map[string]any {
	return map[string]any{"step": s.Step, "epoch": s.Epoch, "state": string(s.State)}
}

// tableRows returns the selection as lists without names, because they are sent
// often.
func tableRows(selected []session.Selected) []any {
	rows := make([]any, len(selected))
	for i, s := range selected {
		row := []any{s.Rank, s.Name, s.Index, s.Probability, s.Margin, s.Selector}
		if by := s.Reason(); by != "" {
			row = append(row, " "+by)
		}
		rows[i] = row
	}
	return rows
}

// sortable accepts the columns of the table. mean:N is the mean of class N.
func sortable(word string) bool {
	if class, mean := strings.CutPrefix(word, "mean:"); mean {
		return len(class) > 0 && len(class) < 4 && strings.Trim(class, "0123456789") == ""
	}
	return slices.Contains([]string{"rank", "name", "column", "probability", "margin", "selector", "information"}, word)
}

// unknown returns a selected feature without facts, or nil. The caller must
// hold the lock.
func (v *tableView) unknown() *session.Selected {
	for i := range v.selected {
		if _, ok := v.known[v.selected[i].Index]; !ok {
			return &v.selected[i]
		}
	}
	return nil
}

// ask requests the facts of the selected features, one feature after another,
// until all are known or a request fails. It runs concurrently with the watch,
// but only once at a time.
func (v *tableView) ask() {
	for {
		v.mu.Lock()
		next := v.unknown()
		if next == nil || v.life.Err() != nil {
			v.asking = false
			v.mu.Unlock()
			return
		}
		index, name, known := next.Index, next.Name, v.known
		v.mu.Unlock()

		f, err := v.session.Feature(v.life, name)
		v.mu.Lock()
		if err != nil {
			v.asking = false
			v.mu.Unlock()
			if v.life.Err() == nil {
				v.fail(err)
			}
			return
		}

		known[index] = factsOf(f)
		facts := v.facts()
		v.mu.Unlock()
		v.Set(map[string]any{"facts": facts})
		v.changed()
		if v.Status().State == session.Running {
			select {
			case <-time.After(featurePause):
			case <-v.life.Done():
			}
		}
	}
}

// facts returns the facts of the selected features for the page. If there are
// many others, it forgets them, because in a long run many features are
// selected for a while. The caller must hold the lock.
func (v *tableView) facts() map[string]any {
	facts := map[string]any{}
	for _, s := range v.selected {
		if fact, ok := v.known[s.Index]; ok {
			facts[strconv.Itoa(s.Index)] = fact
		}
	}

	if len(v.known) > remembered+len(facts) {
		maps.DeleteFunc(v.known, func(column int, _ []any) bool {
			_, shown := facts[strconv.Itoa(column)]
			return !shown
		})
	}
	return facts
}

// factsOf returns the mutual information of a feature and the class in bits,
// over the bins of its histogram, and the classes' means. The mean of a class
// without values is nil.
func factsOf(f session.Feature) []any {
	facts := []any{metric.Information(f.Bins.Counts)}
	for _, c := range f.Classes {
		if c.N == 0 {
			facts = append(facts, nil)
			continue
		}
		facts = append(facts, c.Mean)
	}
	return facts
}

// draw renders the table for readers without a kernel: PNG, HTML without
// scripts, and text.
func (v *tableView) draw() ipywidgets.Bundle {
	v.mu.Lock()
	selected := slices.Clone(v.selected)
	v.mu.Unlock()

	status := v.Status()
	if len(selected) == 0 {
		// Without an answer, the picture is empty and says so.
		selected, _ = ask(v.life, func(ctx context.Context) ([]session.Selected, error) { return v.session.Selection(ctx) })
	}

	p, err := chart.Features(status, selected, v.columns(status.Classes, selected)...)
	if err != nil {
		p = chart.Selection(selected)
	}

	return snapshot(p.Note("means " + meanUnit(status.Config)))
}

// meanUnit says what the classes' means are measured in.
func meanUnit(c config.Settings) string {
	if c.Pairs != "" {
		return "of the differences from the mean of each pair"
	}
	return "in the units of the file, not centred"
}

// columns returns the facts of the selected features as columns of a table. It
// omits a column if no fact of it is known.
func (v *tableView) columns(classes []string, selected []session.Selected) []words.Column {
	v.mu.Lock()
	defer v.mu.Unlock()
	titles := []string{"information"}
	for _, class := range classes {
		titles = append(titles, "mean "+class)
	}

	var columns []words.Column
	for i, title := range titles {
		c, known := words.Column{Title: title, Cells: make([]string, len(selected))}, false
		for j, s := range selected {
			if facts := v.known[s.Index]; i < len(facts) {
				if x, ok := facts[i].(float64); ok {
					c.Cells[j], known = strconv.FormatFloat(x, 'g', 3, 64), true
				}
			}
		}
		if known {
			columns = append(columns, c)
		}
	}
	return columns
}
