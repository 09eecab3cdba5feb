package jupyter

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A new subscriber first gets a welcome, a message without a parent.
func TestPublisher_WelcomesSubscribers(t *testing.T) {
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

// A client that subscribes just after its request is told that the request is
// done: once, in order and before later messages. Only statuses are repeated,
// and only recent ones.
func TestPublisher_RepeatsStatusesToLateSubscribers(t *testing.T) {
	c := connections(t)["tcp"]
	server, err := Listen(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	p := server.IOPub
	p.remember(sentStatus{at: time.Now().Add(-2 * lateness)})
	ids := map[string]bool{}
	for n := range 2 * maxStatuses {
		m := NewMessage("s", "status", Status{strconv.Itoa(n)})
		ids[m.Header.ID] = true
		p.Publish(m)
		p.Publish(NewMessage("s", "stream", Stream{"stdout", "x"}))
	}
	if len(p.statuses) != maxStatuses {
		t.Errorf("%d statuses are kept, want %d", len(p.statuses), maxStatuses)
	}
	client, err := Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if m := next(t, client.IOPub()); m.Header.Type != "iopub_welcome" {
		t.Errorf("the first is %s, want the welcome", m.Header.Type)
	}
	p.Publish(NewMessage("s", "status", Status{strconv.Itoa(2 * maxStatuses)}))
	for n := maxStatuses; n <= 2*maxStatuses; n++ {
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
	p.remember(sentStatus{at: time.Now().Add(2 * lateness)})
	if len(p.statuses) != 1 {
		t.Errorf("%d statuses are kept after a while, want 1", len(p.statuses))
	}
}

// The number of a subscriber's topics is bounded, and an unsubscription makes
// room.
func TestPublisher_TopicsAreBounded(t *testing.T) {
	s := &subscriber{topics: map[string]int{}}
	frame := func(first byte, topic string) [][]byte { return [][]byte{append([]byte{first}, topic...)} }
	const many = 10_000
	for n := range many {
		s.subscribe(frame(1, strconv.Itoa(n)))
	}
	if len(s.topics) >= many || s.bytes > maxTopics || !s.wants("0") {
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

// Messages posted before the end are sent before it.
func TestPublisher_SendsTheLastMessages(t *testing.T) {
	o := &outbox{most: maxWaiting}
	o.changed = sync.NewCond(&o.mu)
	for _, text := range []string{"a", "b"} {
		o.enqueue([][]byte{[]byte(text)})
	}
	o.end()
	if batch := o.next(); len(batch) != 3 || string(batch[0][0]) != "a" || string(batch[1][0]) != "b" || batch[2] != nil {
		t.Errorf("%q, want a, b and the end", batch)
	}
}

// dial opens a raw connection to one of a server's sockets: nothing is taken from it but what it receives.
func dial(t *testing.T, c Connection, port int, kind socketType) *link {
	t.Helper()
	network, address := c.endpoint(port)
	conn, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil { // so that what it takes is soon noticed
		t.Fatal(err)
	}
	l, err := openLink(conn, kind, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	return l
}

// subscription is a reader of iopub.
func subscription(t *testing.T, c Connection) *link {
	t.Helper()
	l := dial(t, c, c.IOPubPort, subSocket)
	if err := l.send([][]byte{{1}}); err != nil {
		t.Fatal(err)
	}
	if frames, err := l.receive(); err != nil || string(frames[0]) != "iopub_welcome" {
		t.Fatalf("%q, %v", frames, err)
	}
	return l
}

// listening is a server without a client.
func listening(t *testing.T, log io.Writer) (*Server, Connection) {
	t.Helper()
	c := connections(t)["tcp"]
	if log == nil {
		log = io.Discard
	}
	server, err := Listen(c, Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server, c
}

// ask sends a request on the shell socket and has it answered.
func ask(t *testing.T, server *Server, from *link, answer any) {
	t.Helper()
	if err := from.send(server.codec.Encode(NewMessage("client", "request", nil))); err != nil {
		t.Fatal(err)
	}
	server.Shell.Send(next(t, server.Shell.Messages()).Reply("server", "reply", answer))
}

// slowly takes one message a second.
func slowly(t *testing.T, l *link) {
	stop := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-time.After(time.Second):
			case <-stop:
				return
			}
			if _, err := l.receive(); err != nil {
				return
			}
		}
	})
	t.Cleanup(func() {
		close(stop)
		l.close()
		reader.Wait()
	})
}

// A subscriber that reads one message a second delays neither other subscribers
// nor answers, and its queue is bounded.
func TestPublisher_SlowSubscriber(t *testing.T) {
	server, c := listening(t, nil)
	shell := dial(t, c, c.ShellPort, dealerSocket)
	slowly(t, subscription(t, c))
	healthy := subscription(t, c)
	before := heap()
	n := 0
	publish := func(content any) {
		t.Helper()
		server.IOPub.Publish(NewMessage("server", strconv.Itoa(n), content))
		takeNumber(t, healthy, n)
		n++
	}
	began := time.Now()
	for range 120 { // a second each
		publish(large())
	}
	for range 6000 {
		publish(nil)
	}
	for range 100 {
		publish(large())
		ask(t, server, shell, nil)
		if _, err := shell.receive(); err != nil {
			t.Fatal(err)
		}
		if time.Since(began) > patience+patience/2 {
			t.Fatalf("after %d messages others wait for it", n)
		}
	}
	if grew := heap() - before; grew > maxWaiting+maxWaiting/4 {
		t.Errorf("%d MB are kept for it", grew>>20)
	}
}

// large is a content that no buffer of a connection takes many of.
func large() json.RawMessage { return json.RawMessage(`{"text":"` + strings.Repeat("x", 1<<20) + `"}`) }

// takeNumber takes the message of that type, which must come next.
func takeNumber(t *testing.T, from *link, n int) {
	t.Helper()
	if frames, err := from.receive(); err != nil || string(frames[0]) != strconv.Itoa(n) {
		t.Fatalf("after %d messages: %.20q, %v", n, frames, err)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Close gives each subscriber its own time: one that reads gets all remaining
// messages, however many others don't read.
func TestPublisher_CloseFlushesEach(t *testing.T) {
	server, c := listening(t, nil)
	for range 4 {
		slowly(t, subscription(t, c))
	}
	healthy := subscription(t, c)
	const many, left = 110, 8
	text := large()
	for i := range many {
		server.IOPub.Publish(NewMessage("server", strconv.Itoa(i), text))
	}
	for i := range many - left {
		takeNumber(t, healthy, i)
	}
	closed := make(chan struct{})
	go func() {
		server.Close()
		close(closed)
	}()
	for i := many - left; i < many; i++ {
		takeNumber(t, healthy, i)
	}
	select {
	case <-closed:
	case <-time.After(patience):
		t.Error("it waits for subscribers that do not take what is left")
	}
}

// A subscriber that reads loses nothing of a flood of any size, even if another
// one has stopped reading.
func TestPublisher_FloodWaitsForReaders(t *testing.T) {
	server, c := listening(t, nil)
	healthy := subscription(t, c)
	subscription(t, c) // takes nothing
	for _, box := range server.IOPub.outboxes() {
		box.most = 8 << 20
	}
	const many = 100
	go func() {
		content := large()
		for i := range many {
			server.IOPub.Pace()
			server.IOPub.Publish(NewMessage("server", strconv.Itoa(i), content))
		}
	}()
	for i := range many {
		takeNumber(t, healthy, i)
		time.Sleep(3 * time.Millisecond) // the flood is faster
	}
}

// A subscriber that falls behind loses messages, and then its connection. The
// log says so, and it may reconnect.
func TestPublisher_DropsOneThatFallsBehind(t *testing.T) {
	var log bytes.Buffer
	server, c := listening(t, &log)
	behind := subscription(t, c)
	const bound = 4 << 20
	for _, box := range server.IOPub.outboxes() {
		box.most = bound
	}
	text := large()
	for n := 0; len(server.IOPub.outboxes()) > 0; n++ {
		if n > 100 {
			t.Fatalf("after %d MB it is still there", n)
		}
		server.IOPub.Publish(NewMessage("server", strconv.Itoa(n), text))
		for _, box := range server.IOPub.outboxes() {
			if waits := box.behind(); waits > bound+len(text)+4<<10 {
				t.Fatalf("%d bytes wait for it", waits)
			}
		}
	}
	for {
		if _, err := behind.receive(); err != nil {
			break
		}
	}
	for _, line := range []string{"loses messages until it catches up\" behind_mb=4", "lost its connection; it may connect again"} {
		if n := strings.Count(log.String(), line); n != 1 {
			t.Errorf("%q is said %d times: %s", line, n, &log)
		}
	}
	again := subscription(t, c)
	server.IOPub.Publish(NewMessage("server", "stream", text))
	if frames, err := again.receive(); err != nil || string(frames[0]) != "stream" {
		t.Errorf("%.20q, %v", frames, err)
	}
}

// A client that doesn't read its answers delays no other client's.
func TestRouter_SlowClient(t *testing.T) {
	server, c := listening(t, nil)
	busy, other := dial(t, c, c.ShellPort, dealerSocket), dial(t, c, c.ShellPort, dealerSocket)
	const many = 40
	for range many {
		ask(t, server, busy, large())
	}
	ask(t, server, other, nil)
	if _, err := other.receive(); err != nil {
		t.Error(err)
	}
	for n := range many {
		if _, err := busy.receive(); err != nil {
			t.Fatalf("its answer %d: %v", n, err)
		}
	}
}
