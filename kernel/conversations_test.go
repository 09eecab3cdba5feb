package kernel

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/kernel/wire"
	"fsnetlab/tests/kit/fronttest"
)

// turn is one line of a recorded conversation: what a front end sends, and what it must get. Lines without a message say which program
// was recorded, or explain what follows.
type turn struct {
	Needs    string            `json:"needs"`  // go: in the first line
	Socket   string            `json:"socket"` // shell · control
	Message  string            `json:"message"`
	Header   map[string]any    `json:"header"` // besides msg_id and msg_type
	Parent   json.RawMessage   `json:"parent_header"`
	Metadata json.RawMessage   `json:"metadata"`
	Content  json.RawMessage   `json:"content"`
	Later    string            `json:"later"`     // the answer is not waited for here, but where this name is awaited
	Until    string            `json:"until"`     // of one with Later: published before the next line is sent
	Await    string            `json:"await"`     // an earlier line, instead of a message
	Reply    map[string]any    `json:"reply"`     // entries that the reply has; nothing: no reply
	Publish  []string          `json:"published"` // the types in order, status with its state; … stands for any
	Shows    map[string]string `json:"shows"`     // a text in the contents of a type
	Widgets  map[string]widget `json:"widgets"`   // those that the message names, by the ids which the recorded kernel gave them
}

// widget is what tells a widget from others: entries of its state.
type widget map[string]any

// present puts the present ids of widgets into what was recorded.
func (line turn) present(l *lab) json.RawMessage {
	l.Helper()
	content := line.Content
	for recorded, w := range line.Widgets {
		id := w.find(l.front.Unasked()) // the view that shows it has been published
		if id == "" {
			l.Fatalf("there is no widget %v", w)
		}
		content = bytes.ReplaceAll(content, []byte(recorded), []byte(id))
	}
	return content
}

// find gives the id of the newest comm that was opened for such a widget.
func (w widget) find(published []wire.Message) (id string) {
	for _, m := range published {
		var open struct {
			ID   string `json:"comm_id"`
			Data struct {
				State map[string]any `json:"state"`
			} `json:"data"`
		}
		if m.Header.Type == "comm_open" && m.Decode(&open) == nil && misses(map[string]any(w), open.Data.State) == "" {
			id = open.ID
		}
	}
	return id
}

// TestRecordedConversations replays how other programs talk to a kernel.
func TestRecordedConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/conversations/*.jsonl")
	if err != nil || len(files) < 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) { replay(t, file) })
	}
}

func replay(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var first turn
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&first); err != nil {
		t.Fatal(err)
	}
	start := newLab
	if first.Needs == "go" {
		start = newGoLab
	}
	l := start(t)
	open := map[string]*fronttest.Exchange{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	asked := 0
	for n := 1; lines.Scan(); n++ {
		where := fmt.Sprintf("%s:%d", filepath.Base(file), n)
		var line turn
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		switch {
		case line.Await != "":
			line.check(l, where, open[line.Await])
		case line.Message != "":
			asked++
			e := line.send(l)
			if line.Later == "" {
				line.check(l, where, e)
				break
			}
			open[line.Later] = e
			if line.Until != "" {
				if err := e.Until(l.context(), func(m wire.Message) bool { return describeMessage(m) == line.Until }); err != nil {
					t.Fatalf("%s: %v", where, err)
				}
			}
		}
	}
	if asked < 8 {
		t.Errorf("%s has %d messages", file, asked)
	}
	for range 2 { // whatever was asked, the kernel answers
		l.ask("kernel_info_request", nil)
	}
}

// send sends the message as recorded, under an id of its own.
func (line turn) send(l *lab) *fronttest.Exchange {
	l.Helper()
	header := maps.Clone(line.Header)
	if header == nil {
		header = map[string]any{}
	}
	id := wire.NewID()
	header["msg_id"], header["msg_type"] = id, line.Message
	raw, err := json.Marshal(header)
	if err != nil {
		l.Fatal(err)
	}
	e, err := l.front.Send(line.Socket, wire.Message{
		Header: wire.Header{ID: id, Type: line.Message}, RawHeader: raw, Parent: line.Parent, Metadata: line.Metadata, Content: line.present(l),
	})
	if err != nil {
		l.Fatal(err)
	}
	return e
}

func (line turn) check(l *lab, where string, e *fronttest.Exchange) {
	l.Helper()
	if e == nil {
		l.Fatalf("%s: %q is not open", where, line.Await)
	}
	if err := e.Until(l.context(), func(m wire.Message) bool { return state(m) == "idle" }); err != nil {
		l.Fatalf("%s: %v", where, err)
	}
	if line.Reply == nil {
		select {
		case <-e.Replied():
			l.Errorf("%s: it is answered", where)
		default:
		}
		a := e.Now()
		line.compare(l, where, a)
		return
	}
	a := l.wait(e)
	var reply map[string]any
	if err := a.Reply.Decode(&reply); err != nil {
		l.Fatalf("%s: %v", where, err)
	}
	if missing := misses(line.Reply, reply); missing != "" {
		l.Errorf("%s: %s in %s", where, missing, a.Reply.Content)
	}
	line.compare(l, where, a)
}

func (line turn) compare(l *lab, where string, a fronttest.Answer) {
	l.Helper()
	var got []string
	for _, m := range a.Published {
		if said := describeMessage(m); said != "status busy" || len(got) == 0 { // it is said again where another answer ends meanwhile
			got = append(got, said)
		}
	}
	if line.Publish != nil && !inOrder(line.Publish, got) {
		l.Errorf("%s: published was %q, want %q", where, got, line.Publish)
	}
	for kind, text := range line.Shows {
		if !slices.ContainsFunc(a.Of(kind), containing(text)) {
			l.Errorf("%s: no %s shows %q: %s", where, kind, text, types(a))
		}
	}
}

func describeMessage(m wire.Message) string {
	return strings.TrimSpace(m.Header.Type + " " + state(m))
}

// inOrder compares lists in which … stands for any number of entries.
func inOrder(want, got []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case want[0] == "…":
		return inOrder(want[1:], got) || (len(got) > 0 && inOrder(want, got[1:]))
	default:
		return len(got) > 0 && got[0] == want[0] && inOrder(want[1:], got[1:])
	}
}

// misses says what of a recorded value is not in the present one; objects may have more entries.
func misses(want, got any) string {
	expected, ok := want.(map[string]any)
	if !ok {
		if !reflect.DeepEqual(want, got) {
			return fmt.Sprintf("%v, want %v", got, want)
		}
		return ""
	}
	object, ok := got.(map[string]any)
	if !ok {
		return fmt.Sprintf("%v, want an object", got)
	}
	for key, value := range expected {
		if missing := misses(value, object[key]); missing != "" {
			return key + ": " + missing
		}
	}
	return ""
}
