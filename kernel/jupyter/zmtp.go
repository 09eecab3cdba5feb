package jupyter

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	handshakeLimit = 5 * time.Second
	writeLimit     = 10 * time.Second // for senders that wait: a peer that reads nothing for so long is gone
	writePiece     = 256 << 10        // bytes to write at a time
	maxMessage     = 128 << 20        // bytes; a larger message is rejected before memory is allocated for it
	maxHandshake   = 64 << 10         // bytes of the handshake's command
	frameCost      = 64               // bytes that each frame counts in addition to its length
)

// socketType names a kind of ZeroMQ socket, followed by the kinds that it can
// talk to.
type socketType string

const (
	routerSocket socketType = "ROUTER DEALER REQ ROUTER"
	pubSocket    socketType = "PUB SUB XSUB"
	dealerSocket socketType = "DEALER REP ROUTER"
	subSocket    socketType = "SUB PUB XPUB"
	reqSocket    socketType = "REQ REP ROUTER"
)

// link is one ZeroMQ connection: ZMTP 3.0 with the mechanism NULL
// (rfc.zeromq.org/spec/23).
type link struct {
	conn     net.Conn
	in       *bufio.Reader
	identity string // the peer's identity, or ""

	sending    sync.Mutex
	out        *bufio.Writer // gathers a message, so that it is written at once
	writeLimit time.Duration // 0 means no limit
	sent       atomic.Int64  // bytes
}

// openLink performs the handshake within handshakeLimit. If it fails, openLink
// closes the connection. identity is the name of this end, or "".
func openLink(conn net.Conn, kind socketType, identity string) (*link, error) {
	l := &link{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), writeLimit: writeLimit}
	l.out = bufio.NewWriterSize(pieces{l}, 64<<10)

	err := conn.SetDeadline(time.Now().Add(handshakeLimit))
	if err == nil {
		err = l.handshake(kind, identity)
	}
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return l, nil
}

func (l *link) close() { l.conn.Close() }

// Reasons for ending a connection.
var (
	errNotZMTP = errors.New("wire: the peer does not speak ZMTP 3 without encryption")
	errFrame   = errors.New("wire: not a frame, or too long to be part of a message")
)

// handshake exchanges greetings with version and mechanism, and then READY
// commands.
func (l *link) handshake(kind socketType, identity string) error {
	var ours, theirs [64]byte
	ours[0], ours[9], ours[10] = 0xff, 0x7f, 3
	mechanism := [20]byte{'N', 'U', 'L', 'L'}
	copy(ours[12:], mechanism[:])

	if _, err := l.conn.Write(ours[:]); err != nil {
		return err
	}
	if _, err := io.ReadFull(l.in, theirs[:]); err != nil {
		return err
	}
	if theirs[0] != 0xff || theirs[9]&1 == 0 || theirs[10] < 3 || !bytes.Equal(theirs[12:32], mechanism[:]) {
		return errNotZMTP
	}

	kinds := strings.Fields(string(kind))
	ready := appendProperty([]byte("\x05READY"), "Socket-Type", kinds[0])
	if err := l.write(isCommand, appendProperty(ready, "Identity", identity)); err != nil {
		return err
	}

	flags, command, err := l.readFrame(maxHandshake)
	if err != nil {
		return err
	}
	properties, ok := parseReady(command)
	if flags&isCommand == 0 || !ok {
		return errNotZMTP
	}

	if peer := properties["socket-type"]; !slices.Contains(kinds[1:], peer) {
		return fmt.Errorf("wire: a %.20q cannot talk to a %s", peer, kinds[0])
	}
	l.identity = properties["identity"]
	return nil
}

// appendProperty appends a property of a READY command.
func appendProperty(command []byte, name, value string) []byte {
	command = append(append(command, byte(len(name))), name...)
	return append(binary.BigEndian.AppendUint32(command, uint32(len(value))), value...)
}

// parseReady returns the properties of a READY command. It turns their names to
// lower case.
func parseReady(command []byte) (properties map[string]string, ok bool) {
	rest, ok := bytes.CutPrefix(command, []byte("\x05READY"))
	properties = map[string]string{}
	for ok && len(rest) > 0 {
		name := 1 + int(rest[0])
		if len(rest) < name+4 {
			return nil, false
		}
		value := uint64(name+4) + uint64(binary.BigEndian.Uint32(rest[name:]))
		if uint64(len(rest)) < value {
			return nil, false
		}
		properties[strings.ToLower(string(rest[1:name]))] = string(rest[name+4 : value])
		rest = rest[value:]
	}
	return properties, ok
}

// Flags of a frame.
const (
	hasMore   = 1 // another frame of the message follows
	isLong    = 2 // the length has eight bytes instead of one
	isCommand = 4
)

// readFrame reads a frame of at most most bytes.
func (l *link) readFrame(most uint64) (flags byte, body []byte, err error) {
	var head [9]byte
	if _, err = io.ReadFull(l.in, head[:2]); err != nil {
		return 0, nil, err
	}

	flags = head[0]
	length := uint64(head[1])
	if flags&isLong != 0 {
		if _, err = io.ReadFull(l.in, head[2:]); err != nil {
			return 0, nil, err
		}
		length = binary.BigEndian.Uint64(head[1:])
	}

	if flags > hasMore|isLong|isCommand || length > most {
		return 0, nil, errFrame
	}

	body = make([]byte, length)
	_, err = io.ReadFull(l.in, body)
	return flags, body, err
}

// receive waits for a message and returns its frames. It ignores commands.
func (l *link) receive() (frames [][]byte, err error) {
	for left := uint64(maxMessage); left > frameCost; {
		flags, body, err := l.readFrame(left - frameCost)
		if err != nil {
			return nil, err
		}
		if flags&isCommand != 0 {
			continue
		}
		left -= frameCost + uint64(len(body))
		if frames = append(frames, body); flags&hasMore == 0 {
			return frames, nil
		}
	}
	return nil, errFrame
}

// send writes the frames of one message at once.
func (l *link) send(frames [][]byte) error { return l.write(0, frames...) }

// write writes the frames of a message or, with isCommand, a command. After an
// error it closes the connection, because a peer can't make sense of half a
// message.
func (l *link) write(flags byte, frames ...[]byte) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	for i, f := range frames {
		head := []byte{flags, byte(len(f))}
		if len(f) > 255 {
			head = binary.BigEndian.AppendUint64([]byte{flags | isLong}, uint64(len(f)))
		}
		if i+1 < len(frames) {
			head[0] |= hasMore
		}
		l.out.Write(head) //nolint:errcheck // Flush returns the error
		l.out.Write(f)    //nolint:errcheck // as above
	}

	err := l.out.Flush()
	if err != nil {
		l.close()
	}
	return err
}

// pieces writes to the socket piece by piece, so that the write limit applies
// to a piece and not to a whole large message.
type pieces struct{ *link }

// Write implements io.Writer and counts the bytes that were sent.
func (l pieces) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		if l.writeLimit > 0 {
			if err := l.conn.SetWriteDeadline(time.Now().Add(l.writeLimit)); err != nil {
				return written, err
			}
		}
		n, err := l.conn.Write(p[written:min(len(p), written+writePiece)])
		written += n
		l.sent.Add(int64(n))
		if err != nil {
			return written, err
		}
	}
	return written, nil
}
