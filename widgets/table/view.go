package table

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/frontend"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/live"
)

// View is the live table of one session.
type View struct {
	*live.View

	mu       sync.Mutex
	selected []session.Selected
	known    map[int][]any // what the training rows say of a column
	asking   bool
}

// rate is how many updates a second: a table that is read need not change faster.
const rate = 4

// New makes the table of the session whose status is given. It acts until life ends; Follow begins to show what happens.
func New(life context.Context, m *ipywidgets.Manager, c session.Caller, status session.Status) *View {
	v := &View{known: map[int][]any{}}
	v.View = live.New(life, m, c, status, frontend.Module("table"), map[string]ipywidgets.Entry{
		"sort":    {Value: "rank", Person: true, Check: sortable},
		"down":    {Value: false, Person: true, Check: live.YesOrNo},
		"session": {Value: status.Session},
		"when":    {Value: whenState(status)},
		"classes": {Value: append([]string{}, status.Classes...)},
		"rows":    {Value: []any{}},
		"facts":   {Value: map[string]any{}},
	})
	v.Watch(session.WatchRequest{Selection: true, Rate: rate}, v.tell, v.draw)
	return v
}

// tell shows what the session has told.
func (v *View) tell(u session.Update) {
	v.mu.Lock()
	switch {
	case u.Status.State == session.Closed:
		v.known = map[int][]any{} // the next of that name may have other rows
		v.mu.Unlock()
		return
	case u.Problem != "":
		v.mu.Unlock()
		return
	}
	v.selected = u.Selection
	facts := v.facts()
	v.mu.Unlock()
	v.Set(map[string]any{
		"when": whenState(u.Status), "classes": append([]string{},
			u.Status.Classes...), "rows": rowsState(u.Selection), "facts": facts, "message": "",
	})
	v.learn()
	v.Changed()
}

func whenState(s session.Status) map[string]any {
	return map[string]any{"step": s.Step, "epoch": s.Epoch, "state": string(s.State)}
}

// rowsState is the selection as the page has it: lists without names, since it is sent often.
func rowsState(selected []session.Selected) []any {
	rows := make([]any, len(selected))
	for i, s := range selected {
		row := []any{s.Rank, s.Name, s.Index, s.Probability, s.Margin, s.Selector}
		if s.Must {
			row = append(row, true)
		}
		rows[i] = row
	}
	return rows
}

// sortable are rank, name, column, probability, margin, selector, information, and mean:N of class N.
func sortable(value any) error {
	word, ok := value.(string)
	class, mean := strings.CutPrefix(word, "mean:")
	switch {
	case ok && mean && len(class) > 0 && len(class) < 4 && strings.Trim(class, "0123456789") == "":
	case ok && slices.Contains([]string{"rank", "name", "column", "probability", "margin", "selector", "information"}, word):
	default:
		return fmt.Errorf("is no column of the table")
	}
	return nil
}
