package session

import (
	"encoding/json"
	"slices"
	"testing"
)

// mailed is a client's mailbox in which notifications of its watch have arrived
// before anybody looks.
func mailed(updates ...string) *mailbox {
	c := &Client{watches: map[int64]*mailbox{}}
	box := &mailbox{changed: make(chan struct{}, 1)}
	c.addWatch(box)
	for _, u := range updates {
		c.deliver(json.RawMessage(`{"watch": 1, ` + u + `}`))
	}
	return box
}

// The last update of a watch that fails is told, too.
func TestMailbox_TellsUpdateBeforeFailure(t *testing.T) {
	box := mailed(`"update": {"session": "leukemia"}`, `"error": {"kind": "failed", "error": "no P"}`)
	if update, pending, failure := box.drain(); !pending || update.Session != "leukemia" || failure == nil {
		t.Errorf("%+v, %t, %v", update.Progress, pending, failure)
	}
}

// Updates that weren't read are merged into one, without losing a point or an
// event. A rewind among them takes back both.
func TestMailbox_MergesUpdates(t *testing.T) {
	box := mailed(`"update": {"history": {"from": 1, "events_from": 1, "curves": {"loss": {"steps": [1, 2], "values": [9, 8]}}, "events": [{"step": 2}]}}`,
		`"update": {"history": {"from": 3, "events_from": 2, "curves": {"loss": {"steps": [3, 4], "values": [7, 6]}}, "events": [{"step": 4}]}}`,
		`"update": {"history": {"from": 4, "events_from": 2, "curves": {"loss": {"steps": [], "values": []}}, "events": [{"step": 3}]}}`)
	update, _, _ := box.drain()
	h := History{Events: []Event{{Step: 0}}}
	if err := h.Apply(*update.History); err != nil || !slices.Equal(h.Curves["loss"].Steps, []int{1, 2, 3}) || len(h.Events) != 3 || h.Events[2].Step != 3 {
		t.Errorf("%+v, %v", h, err)
	}
}
