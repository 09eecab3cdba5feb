package views

import (
	"fmt"
	"testing"
	"testing/synctest"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// select lets the session tell that these columns are selected.
func (b *bench) selects(state session.State, columns ...int) {
	now := b.status
	now.State = state
	u := session.Update{Progress: session.Progress{Status: now}}
	for i, c := range columns {
		s := session.Selected{Rank: i + 1, Index: c, Name: fmt.Sprint("g", c), Selector: i, ChosenBy: session.ByGradient}
		if c == 5 {
			s.Must, s.ChosenBy = true, session.ByMust
		}
		u.Selection = append(u.Selection, s)
	}
	b.tell(u)
}

// The table follows the selection, marks what must be chosen, and is sorted as
// a person asks.
func TestTable_FollowsSelection(t *testing.T) {
	drive(t, Table, paused(), func(b *bench) {
		b.shows("rows", `[[1,"g",3,0.25,0.25,1],[2,"<f>",2,0.75,0.5,0]]`)
		b.shows("facts", `{"2":[1,1.5,null],"3":[1,1.5,null]}`)
		b.expect("feature g, feature <f>")
		b.selects(session.Running, 3, 5) // 5 must be chosen, which is marked
		b.selects(session.Running, 5, 8)
		b.shows("rows", `[[1,"g5",5,0,0,0," must"],[2,"g8",8,0,0,1]]`)
		b.shows("facts", `{"5":[1,1.5,null],"8":[1,1.5,null]}`)
		b.expect("feature g5, feature g8")
		b.put(`{"sort":"mean:1","down":true}`)
		if b.state("sort") != `"mean:1"` || b.state("down") != "true" {
			t.Errorf("sorted by %s, down %s", b.state("sort"), b.state("down"))
		}
	})
}

// A long run selects thousands of features for a moment: what the page is told
// stays small, and so does what is remembered.
func TestTable_Forgets(t *testing.T) {
	drive(t, Table, paused(), func(b *bench) {
		for column := range 1200 {
			b.selects(session.Paused, column, column+1)
			synctest.Wait()
		}
		b.settle()
		if got := b.state("facts"); got != `{"1199":[1,1.5,null],"1200":[1,1.5,null]}` {
			t.Errorf("the page has facts %.200s", got)
		}
		b.asked()
		b.selects(session.Paused, 1198, 0)
		b.settle()
		b.expect("feature g0") // forgotten, which the one before is not
	})
}

// The table survives a feature that can't be read, and a session that is opened
// again with other rows.
func TestTable_GoesOn(t *testing.T) {
	drive(t, Table, paused(), func(b *bench) {
		b.fails = errs.New(errs.Failed, "open it again", "the engine crashed")
		b.selects(session.Paused, 9)
		b.shows("message", "the engine crashed - open it again")
		b.fails = nil
		b.selects(session.Closed)
		b.settle()
		b.asked()
		b.selects(session.Paused, 3)
		b.settle()
		b.expect("feature g3") // not as it was known of the closed session
	})
}
