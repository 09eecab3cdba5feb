package views

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// matrixView is the live matrix of one session: a heat map that follows the
// run, with a slider for past steps and a feature behind each cell. The user
// sets the entries of, top, least and at.
type matrixView struct {
	*View

	past pastStep // that is shown

	mu   sync.Mutex
	step int            // of the last update
	last session.Matrix // as received
}

const (
	usualTop = 40 // columns
	mostTop  = 200
	// bytesPerSecond bounds what the heat map sends, so that a page with a slow
	// connection stays responsive.
	bytesPerSecond = 80_000
)

// Matrix returns the live selection matrix of a session. It acts until life
// ends. Follow starts it.
func Matrix(life context.Context, m *ipywidgets.Manager, host session.Caller, status session.Status) *View {
	v := &matrixView{step: status.Step}
	v.View = newView(life, m, host, status, module("matrix"), map[string]ipywidgets.Entry{
		"of":       {Value: "probability", Person: true, Check: isOneOf("probability", "sample", "soft")},
		"top":      {Value: min(max(usualTop, status.Config.K), mostTop), Person: true, Check: isNumber},
		"least":    {Value: 0.0, Person: true, Check: isNumber}, // columns without a value of at least this are hidden
		"at":       {Value: now, Person: true, Check: isWhole(now, mostStep)},
		"log":      {Value: true, Person: true, Check: isBool},
		"picked":   {Value: now, Person: true, Check: isWhole(now, mostStep)}, // a column of the file
		"feature":  {},
		"session":  {Value: status.Session},
		"status":   {Value: matrixStatus(status)},
		"when":     {Value: nil},
		"columns":  {Value: []any{}},
		"rows":     {Value: []any{}},
		"leaders":  {Value: []any{}},  // names of the rows' largest values, whether or not their columns are shown
		"again":    {Value: []any{}},  // whether a row with a larger value has the same leader
		"replaced": {Value: []any{}},  // features whose places the rows' leaders took in the contest, or ""
		"values":   {Value: []byte{}}, // rows × (columns + 1), float32; the last column is the mass left out
	})
	v.OnChange("of", func(any) { v.get() })
	v.OnChange("at", func(at any) {
		v.sharePast(integer(at))
		if v.Get("at") == at { // otherwise the views stop at another step, which is requested
			v.get()
		}
	})
	v.limit("top", 1, mostTop, 1, v.get)
	v.limit("least", 0, 1, 0, v.setLeast)
	v.OnChange("picked", func(column any) { v.pick(integer(column)) })
	v.View.adjust = v.adjust
	v.setUp(v.watchRequest(v.request()), v.update, v.draw)
	v.followPast(func(step int) {
		v.Set(map[string]any{"at": step})
		go v.guard(v.get)
	}, nil)
	return v.View
}

// limit calls act when the user types a number from least to most that is a
// multiple of unit, or any number in between if unit is 0. For other numbers it
// shows an error and restores the current number.
func (v *matrixView) limit(entry string, least, most, unit float64, act func()) {
	inForce := v.Get(entry)
	v.OnChange(entry, func(typed any) {
		if x, ok := typed.(float64); ok && (!(x >= least && x <= most) || unit > 0 && math.Mod(x, unit) != 0) {
			v.Set(map[string]any{entry: inForce})
			v.fail(errs.New(errs.Request, fmt.Sprintf("choose %g to %g", least, most), "%s is out of range", strconv.FormatFloat(x, 'f', -1, 64)))
			return
		}
		inForce = typed
		act()
	})
}

// adjust shows the requested matrix and returns at once. Omitted fields stay as
// they are.
func (v *matrixView) adjust(request session.MatrixRequest) {
	state := map[string]any{}
	if request.Of != "" {
		state["of"] = request.Of
	}
	if request.Top > 0 {
		state["top"] = min(request.Top, mostTop)
	}
	if request.Step != nil {
		state["at"] = *request.Step
	}
	v.Set(state)
	go v.guard(func() { // a past step may take a moment
		if request.Step != nil {
			v.sharePast(*request.Step)
		}
		v.get()
	})
}

// request returns the matrix that the user wants to see.
func (v *matrixView) request() session.MatrixRequest {
	r := session.MatrixRequest{Top: integer(v.Get("top"))}
	r.Of, _ = v.Get("of").(string)
	if at := integer(v.Get("at")); at != now {
		r.Step = &at
	}
	return r
}

// get shows the matrix that the user wants to see. It changes the watch to that
// matrix, and waits for a past step.
func (v *matrixView) get() {
	r := v.request()
	v.follow(v.watchRequest(r))
	v.Follow()
	v.past.goTo(integer(v.Get("at")), v.showAt)
}

// watchRequest returns what to watch. If the current state is shown, it is the
// matrix, as often as bytesPerSecond allows. Otherwise it is only the status.
func (v *matrixView) watchRequest(r session.MatrixRequest) session.WatchRequest {
	if r.Step != nil {
		return session.WatchRequest{Rate: 2}
	}
	k := max(1, v.Status().Config.K)
	size := 4*k*(r.Top+1) + 40*r.Top + 800 // values, names, frame
	return session.WatchRequest{Matrix: &r, Rate: min(session.MaxRate, max(0.1, float64(bytesPerSecond)/float64(size)))}
}

// showAt shows the matrix of the step in the entry at, and waits for its
// replay. It does nothing for the current step, which the watch shows. It drops
// an answer for a step that is no longer chosen.
func (v *matrixView) showAt(step int) {
	r := v.request()
	if step == now || r.Step == nil {
		return
	}
	m, err := v.session.Matrix(v.life, r)
	switch {
	case v.past.step() != *r.Step:
	case err != nil:
		v.fail(err)
	default:
		v.show(m)
	}
}

// update shows the status and, while the current state is shown, the matrix. If
// the session has moved and is at rest, it requests the feature next to the
// matrix again.
func (v *matrixView) update(u session.Update) {
	s := u.Status
	v.mu.Lock()
	moved := s.Step != v.step && s.State != session.Running
	v.step = s.Step
	v.mu.Unlock()
	v.Set(map[string]any{"status": matrixStatus(s)})
	if s.State == session.Closed || u.Problem != "" {
		return
	}
	if u.Matrix != nil && integer(v.Get("at")) == now {
		v.show(*u.Matrix)
	}
	if picked := integer(v.Get("picked")); moved && picked >= 0 {
		go v.guard(func() { v.pick(picked) }) // its course has grown
	}
}

func (v *matrixView) least() float64 {
	least, _ := v.Get("least").(float64)
	return least
}

func (v *matrixView) shown() session.Matrix {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.last
}

// setLeast hides columns of the last matrix again, after the entry least has
// changed.
func (v *matrixView) setLeast() {
	if m := v.shown(); len(m.Values) > 0 {
		v.show(m)
	}
}

// show sends a matrix to the page.
func (v *matrixView) show(m session.Matrix) {
	v.mu.Lock()
	v.last = m
	v.mu.Unlock()
	state, err := matrixState(withColumnsFrom(m, v.least()))
	if err != nil {
		v.fail(err)
		return
	}
	state["message"] = ""
	v.Set(state)
	v.changed()
}

// pick requests a feature and shows it next to the matrix. If column is
// negative, it closes the feature.
func (v *matrixView) pick(column int) {
	if column < 0 {
		v.Set(map[string]any{"feature": nil})
		return
	}
	name, m := strconv.Itoa(column), v.shown()
	// Names take precedence over numbers, because a feature may be called 12.
	if i := slices.Index(m.Index, column); i >= 0 && i < len(m.Names) {
		name = m.Names[i]
	}
	f, err := v.session.Feature(v.life, name)
	switch {
	case integer(v.Get("picked")) != column: // another column was picked in the meantime
	case err != nil:
		v.Set(map[string]any{"feature": nil})
		v.fail(err)
	default:
		v.Set(map[string]any{"feature": featureState(f)})
	}
}

// draw renders the matrix for readers without a kernel: the last one shown, as
// PNG and text.
func (v *matrixView) draw() ipywidgets.Bundle {
	m := v.shown()
	if len(m.Values) == 0 {
		m, _ = ask(v.life, func(ctx context.Context) (session.Matrix, error) { // without an answer the picture is the status
			r := v.request()
			return v.session.Matrix(ctx, session.MatrixRequest{Of: r.Of, Top: r.Top})
		})
	}
	p, err := chart.Matrix(withColumnsFrom(m, v.least()))
	if err != nil {
		p = chart.Picture{Text: chart.Status(v.Status()).Text}
	}
	return snapshot(p)
}

func matrixStatus(s session.Status) map[string]any {
	return map[string]any{"step": s.Step, "steps": s.Steps, "per_epoch": s.StepsPerEpoch, "state": string(s.State)}
}

// withColumnsFrom returns a copy without the columns whose values are all below
// least. It always keeps the largest column. The values of removed columns move
// to the mass of the others. If least is 0, it returns m.
func withColumnsFrom(m session.Matrix, least float64) session.Matrix {
	if !(least > 0) {
		return m
	}
	largest := make([]float64, len(m.Names))
	for _, row := range m.Values {
		for j, p := range row[:min(len(row), len(largest))] {
			largest[j] = max(largest[j], p)
		}
	}
	best := num.Argmax(largest)
	visible := m
	visible.Names, visible.Index, visible.Values, visible.Selected = nil, nil, make([][]float64, len(m.Values)), nil
	visible.LeftOut = slices.Clone(m.LeftOut)
	place := make([]int, len(m.Names)) // among the visible columns, or -1
	for j := range m.Names {
		stays := largest[j] >= least || j == best
		if place[j] = -1; stays {
			place[j] = len(visible.Names)
			visible.Names, visible.Index = append(visible.Names, m.Names[j]), append(visible.Index, m.Index[j])
		}
		for i, row := range m.Values {
			switch {
			case j >= len(row):
			case stays:
				visible.Values[i] = append(visible.Values[i], row[j])
			case i < len(visible.LeftOut):
				visible.LeftOut[i] += row[j]
			}
		}
	}
	for _, j := range m.Selected {
		to := -1
		if j >= 0 && j < len(place) {
			to = place[j]
		}
		visible.Selected = append(visible.Selected, to)
	}
	return visible
}

// matrixState returns a matrix as the page has it. Names and rows are separate
// entries, so that they are sent only when they change. A matrix without cells
// has no captions, and an uneven one is an error.
func matrixState(m session.Matrix) (map[string]any, error) {
	rows, columns := len(m.Values), len(m.Names)
	whole := len(m.Selectors) == rows && len(m.Index) == columns && len(m.LeftOut) == rows
	var values []byte
	for i, row := range m.Values {
		if whole = whole && len(row) == columns; !whole {
			break
		}
		values = appendFloats(values, append(slices.Clone(row), m.LeftOut[i])...)
	}
	if !whole {
		return nil, errs.New(errs.Failed, "open the session again", "the matrix of %s has rows or columns without a number or a name", m.Session)
	}
	named := make([]any, columns)
	for j := range named {
		named[j] = []any{m.Index[j], m.Names[j]}
	}
	state := map[string]any{"values": values, "columns": named, "rows": append([]int{}, m.Selectors...)}
	if rows > 0 && columns > 0 {
		w := chart.WordsOf(m)
		state["leaders"], state["again"] = append([]string{}, m.Leaders...), w.Again
		state["when"] = map[string]any{"step": m.Step, "caption": w.Caption, "left": w.Left, "act": w.Act, "summary": w.Summary}
		replaced := make([]string, rows)
		for i, selector := range m.Selectors {
			if x := m.Contest.Replaced(selector); x != nil {
				replaced[i] = x.From.Name
			}
		}
		state["replaced"] = replaced
	}
	return state, nil
}

// appendFloats appends values as float32, as the page reads them.
func appendFloats(bytes []byte, values ...float64) []byte {
	for _, x := range values {
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(float32(x)))
	}
	return bytes
}
