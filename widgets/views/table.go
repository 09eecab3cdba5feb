package views

import (
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
	"fsnetlab/widgets/ipywidgets"
)

// tableView is the live table of the selected features of one session. Rank, probability and margin come with each update; means and
// information of a feature are asked for once.
type tableView struct {
	*View

	past journey // to the step that is shown

	mu       sync.Mutex
	selected []session.Selected
	known    map[int][]any // information and means of a column
	asking   bool
}

const (
	tableRate    = 4                      // updates a second: a table that is read need not change faster
	featurePause = 500 * time.Millisecond // between two features during a run: each takes the session's turn for a moment
	remembered   = 500                    // features that are not selected any more
)

// Table makes the live table of the session whose status is given. Means and information are of the training rows. It acts until life ends;
// Follow begins to show what happens.
func Table(life context.Context, m *ipywidgets.Manager, host session.Caller, status session.Status) *View {
	v := &tableView{known: map[int][]any{}, past: journey{at: now}}
	v.View = newView(life, m, host, status, module("table"), map[string]ipywidgets.Entry{
		"sort":    {Value: "rank", Person: true, Check: check(sortable, "a column of the table")},
		"down":    {Value: false, Person: true, Check: isBool},
		"session": {Value: status.Session},
		"when":    {Value: tableWhen(status)},
		"classes": {Value: append([]string{}, status.Classes...)},
		"rows":    {Value: []any{}},
		"facts":   {Value: map[string]any{}},
	})
	v.watches(session.WatchRequest{Selection: true, Rate: tableRate}, v.tell, v.draw)
	v.travels(func(step int) { go v.guard(func() { v.past.to(step, v.goTo) }) })
	return v.View
}

// goTo shows what was selected after a past step, or now.
func (v *tableView) goTo(step int) {
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

// selectedIn returns the selection that a matrix shows, by rank.
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

func (v *tableView) tell(u session.Update) {
	v.mu.Lock()
	closed := u.Status.State == session.Closed
	if closed {
		v.known = map[int][]any{} // the next of that name may have other rows
	}
	v.mu.Unlock()
	if closed || u.Problem != "" {
		return
	}
	if past := v.past.step(); past == now {
		v.show(now, u.Status, u.Selection)
	} else if past >= u.Status.Step { // a rewind went behind it
		v.travel(now)
		go v.guard(func() { v.past.to(now, v.goTo) })
	}
}

// show shows what is selected after a step, if that is the one looked at.
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

// tableRows is the selection as the page has it: lists without names, since it is sent often.
func tableRows(selected []session.Selected) []any {
	rows := make([]any, len(selected))
	for i, s := range selected {
		row := []any{s.Rank, s.Name, s.Index, s.Probability, s.Margin, s.Selector}
		if s.Must {
			row = append(row, " must")
		} else if before := s.InsteadOf(); before != "" {
			row = append(row, ", in place of "+before)
		}
		rows[i] = row
	}
	return rows
}

// sortable are rank, name, column, probability, margin, selector, information, and mean:N of class N.
func sortable(word string) bool {
	if class, mean := strings.CutPrefix(word, "mean:"); mean {
		return len(class) > 0 && len(class) < 4 && strings.Trim(class, "0123456789") == ""
	}
	return slices.Contains([]string{"rank", "name", "column", "probability", "margin", "selector", "information"}, word)
}

// unknown is a selected feature of which nothing is known; nil where there is none. The caller holds the lock.
func (v *tableView) unknown() *session.Selected {
	for i := range v.selected {
		if _, ok := v.known[v.selected[i].Index]; !ok {
			return &v.selected[i]
		}
	}
	return nil
}

// ask asks for the selected features of which nothing is known, one after another.
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

// facts are what the page is told: of the selected features only. In a long run many others were selected for a while; of those some are
// remembered. The caller holds the lock.
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

// factsOf are the information in bits and each class's mean over the training rows, nil where there are no values.
func factsOf(f session.Feature) []any {
	facts := []any{information(f.Bins.Counts)}
	for _, c := range f.Classes {
		if c.N == 0 {
			facts = append(facts, nil)
			continue
		}
		facts = append(facts, c.Mean)
	}
	return facts
}

// information is the mutual information of a feature and the class in bits, from a histogram of classes × bins:
//
//	I(X, Y) = Σ_{x,y} p(x,y) log2( p(x,y) / (p(x) p(y)) )
//
// It is 0 for no counts. Rows may be of different length; what a shorter one lacks is 0. It is biased upwards where rows are few, so it
// compares features of one training only.
func information(counts [][]int) float64 {
	var ofBin, ofClass []float64
	n := 0.0
	for _, row := range counts {
		sum := 0.0
		for b, count := range row {
			if b == len(ofBin) {
				ofBin = append(ofBin, 0)
			}
			ofBin[b] += float64(count)
			sum += float64(count)
		}
		ofClass = append(ofClass, sum)
		n += sum
	}
	bits := 0.0
	for c, row := range counts {
		for b, count := range row {
			if count > 0 {
				bits += float64(count) / n * math.Log2(float64(count)*n/(ofClass[c]*ofBin[b]))
			}
		}
	}
	return max(bits, 0) // rounding
}

// draw is the table for readers without a kernel: PNG, HTML without scripts, and text.
func (v *tableView) draw() ipywidgets.Bundle {
	v.mu.Lock()
	selected := slices.Clone(v.selected)
	v.mu.Unlock()
	status := v.Status()
	if len(selected) == 0 {
		// without one the picture says so
		selected, _ = ask(v.life, func(ctx context.Context) ([]session.Selected, error) { return v.session.Selection(ctx) })
	}
	p, err := chart.Features(status, selected, v.columns(status.Classes, selected)...)
	if err != nil {
		p = chart.Selection(selected)
	}
	return snapshot(p)
}

// columns are those that the training rows give, where something is known of them.
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
