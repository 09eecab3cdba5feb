package jupyter

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"
)

// Whoever subscribes is told so before anything else, by a message without a parent.
func TestSubscribersAreWelcomed(t *testing.T) {
	c := connections(t)["tcp"]
	server, err := Listen(c, Options{Session: "the kernel's"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client, err := Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	check := func(topic string) {
		t.Helper()
		m := next(t, client.IOPub())
		var content map[string]any
		if err := json.Unmarshal(m.Content, &content); err != nil || m.Header.Type != "iopub_welcome" || content["subscription"] != topic {
			t.Errorf("%s %s, want the welcome for %q", m.Header.Type, m.Content, topic)
		}
		if string(m.Parent) != "{}" || m.Header.Session != "the kernel's" {
			t.Errorf("parent %s, session %q", m.Parent, m.Header.Session)
		}
	}
	check("")
	for _, topic := range []string{"stream", "iopub"} {
		if err := client.iopub.send([][]byte{append([]byte{1}, topic...)}); err != nil {
			t.Fatal(err)
		}
		check(topic)
	}
	server.IOPub.Publish(NewMessage("s", "stream", Stream{"stdout", "x"})) // it is heard: no need to try until it is
	if m := next(t, client.IOPub()); m.Header.Type != "stream" {
		t.Errorf("%+v", m)
	}
}

// Who subscribes a moment after it has asked is told that what it asked is done, once, in order and before what follows; what is longer ago
// than a connection takes is not kept, and neither is anything but a status.
func TestALateSubscriberIsToldTheStatuses(t *testing.T) {
	c := connections(t)["tcp"]
	server, err := Listen(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	p := server.IOPub
	p.remember(published{at: time.Now().Add(-2 * lateness)})
	ids := map[string]bool{}
	for n := range 2 * mostStatuses {
		m := NewMessage("s", "status", Status{strconv.Itoa(n)})
		ids[m.Header.ID] = true
		p.Publish(m)
		p.Publish(NewMessage("s", "stream", Stream{"stdout", "x"}))
	}
	if len(p.statuses) != mostStatuses {
		t.Errorf("%d statuses are kept, want %d", len(p.statuses), mostStatuses)
	}
	client, err := Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if m := next(t, client.IOPub()); m.Header.Type != "iopub_welcome" {
		t.Errorf("the first is %s, want the welcome", m.Header.Type)
	}
	p.Publish(NewMessage("s", "status", Status{strconv.Itoa(2 * mostStatuses)}))
	for n := mostStatuses; n <= 2*mostStatuses; n++ {
		m := next(t, client.IOPub())
		var status Status
		if err := m.Decode(&status); err != nil || m.Header.Type != "status" || status.State != strconv.Itoa(n) {
			t.Fatalf("%s %s, want status %d", m.Header.Type, m.Content, n)
		}
		if ids[m.Header.ID] {
			t.Fatalf("status %d comes again as the message that it was", n)
		}
		ids[m.Header.ID] = true
	}
	if err := client.iopub.send([][]byte{append([]byte{1}, "status"...)}); err != nil {
		t.Fatal(err)
	}
	if m := next(t, client.IOPub()); m.Header.Type != "iopub_welcome" {
		t.Errorf("after a second subscription %s %s, want its welcome alone", m.Header.Type, m.Content)
	}
	p.remember(published{at: time.Now().Add(2 * lateness)})
	if len(p.statuses) != 1 {
		t.Errorf("%d statuses are kept after a while, want 1", len(p.statuses))
	}
}

// A subscriber's topics are bounded, and taking them back makes room.
func TestTopicsAreBounded(t *testing.T) {
	s := &subscriber{topics: map[string]int{}}
	frame := func(first byte, topic string) [][]byte { return [][]byte{append([]byte{first}, topic...)} }
	const many = 10_000
	for n := range many {
		s.subscribe(frame(1, strconv.Itoa(n)))
	}
	if len(s.topics) >= many || s.bytes > longestTopics || !s.wants("0") {
		t.Errorf("%d topics in %d bytes", len(s.topics), s.bytes)
	}
	for n := range many {
		s.subscribe(frame(0, strconv.Itoa(n)))
	}
	if len(s.topics) != 0 || s.bytes != 0 || s.wants("0") {
		t.Errorf("afterwards %d topics in %d bytes", len(s.topics), s.bytes)
	}
	if _, ok := s.subscribe([][]byte{{1}, {2}}); ok {
		t.Error("two frames pass for a subscription")
	}
}
