package jupyter

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"
)

const (
	handshakeLimit = 5 * time.Second
	writeLimit     = 10 * time.Second // if a sender waits, a peer that reads nothing for so long is gone
	writePiece     = 256 << 10        // bytes to write at a time
	maxMessage     = 128 << 20        // bytes; a larger message is refused before memory is allocated for it
	maxHandshake   = 64 << 10         // bytes of the handshake
	frameCost      = 64               // bytes that each frame counts in addition to its own
)

// link is one ZeroMQ connection: the library's framing over a stream that bounds what it reads and
// buffers what it writes.
type link struct {
	conn   *zmq4.Conn
	stream *stream

	sending sync.Mutex
}

// openLink performs the ZMTP handshake. The library indexes into a peer's metadata unchecked: a
// panic there is the peer's fault and ends only this connection.
func openLink(conn net.Conn, kind zmq4.SocketType, identity string, server bool) (l *link, err error) {
	s := newStream(conn)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the handshake makes no sense: %v", p)
		}
		if err != nil {
			conn.Close()
		}
	}()
	if err := conn.SetDeadline(time.Now().Add(handshakeLimit)); err != nil {
		return nil, err
	}
	z, err := zmq4.Open(s, null.Security(), kind, zmq4.SocketIdentity(identity), server, nil)
	if err != nil {
		return nil, err
	}
	s.opened()
	return &link{conn: z, stream: s}, conn.SetDeadline(time.Time{})
}

func (l *link) identity() string { return l.conn.Peer.Meta["Identity"] }

func (l *link) close() { l.stream.Close() }

// send writes the frames of one message at once.
func (l *link) send(frames [][]byte) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	err := l.conn.SendMsg(zmq4.NewMsgFrom(frames...))
	if err == nil {
		err = l.stream.flush()
	}
	if err != nil {
		l.close() // half a message was sent: nothing after it would make sense
	}
	return err
}

// receive waits for the frames of one message.
func (l *link) receive() ([][]byte, error) {
	for {
		m, err := l.conn.RecvMsg()
		if err != nil {
			return nil, err
		}
		if m.Type == zmq4.UsrMsg {
			return m.Frames, nil
		}
	}
}

// stream sits between the library and the socket.
type stream struct {
	net.Conn
	in *bufio.Reader

	// The reader's position: the library asks for a greeting of 64 bytes, then for headers, lengths
	// and bodies, each by its exact size.
	greeting int
	body     uint64 // bytes left of the body; 0 before a header
	long     bool   // a length comes next
	more     bool   // the present frame is not the last of its message
	total    uint64 // bytes of the message so far
	limit    uint64 // bytes allowed for a message

	out        *bufio.Writer
	gathering  bool
	writeLimit time.Duration // 0 for no limit
	sent       atomic.Int64  // bytes
}

func newStream(c net.Conn) *stream {
	s := &stream{Conn: c, in: bufio.NewReaderSize(c, 64<<10), greeting: 64, limit: maxHandshake, writeLimit: writeLimit}
	s.out = bufio.NewWriterSize(pieces{s}, 64<<10)
	return s
}

// opened ends the handshake, in which every write goes out at once.
func (s *stream) opened() {
	s.gathering = true
	s.limit = maxMessage
}

func (s *stream) Write(p []byte) (int, error) {
	if s.gathering {
		return s.out.Write(p)
	}
	return s.Conn.Write(p)
}

func (s *stream) flush() error { return s.out.Flush() }

// pieces writes to the socket piece by piece, so that the write limit applies to a piece and not to
// a large message.
type pieces struct{ *stream }

func (s pieces) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		if s.writeLimit > 0 {
			if err := s.SetWriteDeadline(time.Now().Add(s.writeLimit)); err != nil {
				return written, err
			}
		}
		n, err := s.Conn.Write(p[written:min(len(p), written+writePiece)])
		written += n
		s.sent.Add(int64(n))
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

var errFrame = errors.New("wire: too long to be a message")

// Read fills p completely: the library asks for exactly what comes next. It returns an error
// without bytes, since a reader that got all its bytes would overlook the error.
func (s *stream) Read(p []byte) (int, error) {
	n, err := io.ReadFull(s.in, p)
	if err == nil {
		err = s.follow(p)
	}
	if err != nil {
		return 0, err
	}
	return n, nil
}

// follow tracks the reader's position in a message.
func (s *stream) follow(p []byte) error {
	const hasMore, isLong = 1, 2
	switch {
	case s.greeting > 0:
		s.greeting -= min(len(p), s.greeting)
	case s.body > 0:
		s.body -= min(uint64(len(p)), s.body)
	case s.long: // the last seven bytes of a length; the first came with the header
		s.long = false
		var length [8]byte
		copy(length[1:], p)
		return s.begin(binary.BigEndian.Uint64(length[:]))
	case len(p) == 2:
		if !s.more {
			s.total = 0
		}
		s.more = p[0]&hasMore != 0
		if p[0]&isLong == 0 {
			return s.begin(uint64(p[1]))
		}
		if s.long = true; p[1] != 0 {
			return errFrame
		}
	}
	return nil
}

func (s *stream) begin(body uint64) error {
	if body > s.limit || s.total+body+frameCost > s.limit {
		return errFrame
	}
	s.body = body
	s.total += body + frameCost
	return nil
}
