package jupyter

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/go-zeromq/zmq4"
)

// counted counts what reaches the socket.
type counted struct {
	net.Conn
	writes atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// A message is one write, however many frames and buffers it has: written frame by frame, the other end's acknowledgements set the pace
// of a widget, 40 ms each.
func TestAMessageIsOneWrite(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	accepted := make(chan *link, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		l, err := openLink(conn, zmq4.Router, "", true)
		if err != nil {
			t.Error(err)
		}
		accepted <- l
	}()
	dialled, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn := &counted{Conn: dialled}
	client, err := openLink(conn, zmq4.Dealer, "page", false)
	if err != nil {
		t.Fatal(err)
	}
	defer client.close()
	server := <-accepted
	if server == nil {
		t.FailNow()
	}
	defer server.close()
	m := NewMessage("s", "comm_msg", map[string]any{"comm_id": "c", "data": map[string]any{}})
	m.Buffers = [][]byte{make([]byte, 3), make([]byte, 20_000), {}}
	before := conn.writes.Load()
	if err := client.send(NewCodec("key").Encode(m)); err != nil {
		t.Fatal(err)
	}
	frames, err := server.receive()
	if err != nil {
		t.Fatal(err)
	}
	if n := conn.writes.Load() - before; n != 1 {
		t.Errorf("%d writes for a message of %d frames", n, len(frames))
	}
	if got, err := NewCodec("key").Decode(frames); err != nil || len(got.Buffers) != 3 || len(got.Buffers[1]) != 20_000 {
		t.Errorf("%d buffers, %v", len(got.Buffers), err)
	}
}
