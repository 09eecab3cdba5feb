package table

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/follow"
	"fsnetlab/widgets/frontend"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/still"
)

// View is the live table of one session.
type View struct {
	life     context.Context
	service  session.Service
	name     string
	any      *ipywidgets.Any
	follower *follow.Follower
	still    *still.Keeper

	mu       sync.Mutex
	status   session.Status
	selected []session.Selected
	known    map[int][]any // what the training rows say of a column
	asking   bool
}

var _ ipywidgets.Widget = (*View)(nil)

// rate is how many updates a second: a table that is read need not change faster.
const rate = 4

// New makes the table of the session whose status is given. It acts until life ends; Follow begins to show what happens.
func New(life context.Context, m *ipywidgets.Manager, s session.Service, status session.Status) *View {
	v := &View{life: life, service: s, name: status.Session, status: status, known: map[int][]any{}}
	v.any = ipywidgets.NewAny(m, frontend.Module("table"), map[string]ipywidgets.Entry{
		"sort":    {Value: "rank", Person: true, Check: sortable},
		"down":    {Value: false, Person: true, Check: yesOrNo},
		"session": {Value: status.Session},
		"when":    {Value: whenState(status)},
		"classes": {Value: append([]string{}, status.Classes...)},
		"rows":    {Value: []any{}},
		"facts":   {Value: map[string]any{}},
		"message": {Value: ""},

		still.Entry: {},
	})
	v.any.AddClass("fsnet-table")
	v.any.Layout.Set(map[string]string{"width": "auto", "max_width": "1100px"})
	v.still = still.New(life, v.any, v.Root, v.draw)
	v.follower = follow.New(life, s, status.Session, session.WatchRequest{Selection: true, Rate: rate}, v.tell, v.fail)
	return v
}

// Root implements ipywidgets.Widget.
func (v *View) Root() *ipywidgets.Model { return v.any.Root() }

// Follow shows the session from now on, also one that was opened again under the name.
func (v *View) Follow() { v.follower.Follow() }

// tell shows what the session has told.
func (v *View) tell(u session.Update) {
	s := u.Status
	if s.State == session.Closed {
		v.mu.Lock()
		v.known = map[int][]any{} // the next of that name may have other rows
		v.mu.Unlock()
		v.say("session " + v.name + " is closed: open it again, and this view goes on")
		return
	}
	v.mu.Lock()
	v.status = s
	if u.Problem == "" {
		v.selected = u.Selection
	}
	facts := v.facts()
	v.mu.Unlock()
	if u.Problem != "" {
		v.say(u.Problem)
		return
	}
	v.any.Set(map[string]any{
		"when": whenState(s), "classes": append([]string{}, s.Classes...), "rows": rowsState(u.Selection), "facts": facts, "message": "",
	})
	v.learn()
	v.still.Changed(s.State == session.Running)
}

func (v *View) say(line string) {
	v.any.Set(map[string]any{"message": strings.Join(strings.Fields(line), " ")})
}

func (v *View) fail(err error) { v.say(err.Error()) }

func whenState(s session.Status) map[string]any {
	return map[string]any{"step": s.Step, "epoch": s.Epoch, "state": string(s.State)}
}

// rowsState is the selection as the page has it: lists without names, since it is sent often.
func rowsState(selected []session.Selected) []any {
	rows := make([]any, len(selected))
	for i, s := range selected {
		rows[i] = []any{s.Rank, s.Name, s.Index, s.Probability, s.Margin, s.Selector}
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

func yesOrNo(value any) error {
	if _, ok := value.(bool); !ok {
		return fmt.Errorf("is neither true nor false")
	}
	return nil
}
