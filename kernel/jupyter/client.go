package jupyter

import (
	"cmp"
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
)

// Client is a front end's end of a connection to a kernel. The three request
// sockets share one identity, because a kernel may answer a request of one
// socket on another.
type Client struct {
	Session string // session of the messages that Request makes

	codec                  Codec
	shell, control, stdin  *link
	iopub, heart           *link
	fromShell, fromControl chan Message
	fromStdin, fromIOPub   chan Message
	readers                sync.WaitGroup
	stop                   chan struct{}
	stopping               sync.Once
	ended                  chan struct{}
	endedOnce              sync.Once
	allEnded               chan struct{}
}

// Dial connects to a listening kernel. The error is of kind Unavailable if no
// kernel listens yet.
func Dial(ctx context.Context, c Connection) (*Client, error) { return dialAs(ctx, c, NewID()) }

// dialAs connects with a session id that other clients may share.
func dialAs(ctx context.Context, c Connection, id string) (*Client, error) {
	client := &Client{
		Session: id, codec: NewCodec(c.Key), stop: make(chan struct{}), ended: make(chan struct{}), allEnded: make(chan struct{}),
		fromShell: make(chan Message, 64), fromControl: make(chan Message, 64),
		fromStdin: make(chan Message, 64), fromIOPub: make(chan Message, 1024),
	}

	for _, socket := range []struct {
		to   **link
		port int
		kind socketType
	}{
		{&client.iopub, c.IOPubPort, subSocket}, {&client.shell, c.ShellPort, dealerSocket}, {&client.control, c.ControlPort, dealerSocket},
		{&client.stdin, c.StdinPort, dealerSocket}, {&client.heart, c.HeartbeatPort, reqSocket},
	} {
		network, address := c.endpoint(socket.port)
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil && network == "tcp" && conn.LocalAddr().String() == conn.RemoteAddr().String() {
			// No process listens there yet, and the system happened to choose
			// the same port for the local end, so the connection has reached
			// itself. Kept open, it would stop the kernel from listening.
			conn.Close() //nolint:errcheck // it leads nowhere
			err = errors.New("the call met itself")
		}
		if err == nil {
			*socket.to, err = openLink(conn, socket.kind, id)
		}
		if err != nil {
			client.Close()
			return nil, errs.Wrap(err, errs.Unavailable, "", "no kernel listens at %s", address)
		}
	}

	if err := client.iopub.send([][]byte{{1}}); err != nil { // subscribe to everything
		client.Close()
		return nil, errs.Wrap(err, errs.Unavailable, "", "the kernel closed its connection")
	}

	client.start(client.shell, client.fromShell)
	client.start(client.control, client.fromControl)
	client.start(client.stdin, client.fromStdin)
	client.start(client.iopub, client.fromIOPub)

	go func() {
		client.readers.Wait()
		close(client.allEnded)
	}()
	return client, nil
}

// start passes the messages of a socket to a channel until the connection ends.
// It drops messages that don't decode, and stops reading while the channel is
// full.
func (c *Client) start(l *link, to chan Message) {
	c.readers.Add(1)
	go func() {
		defer c.readers.Done()
		defer c.endedOnce.Do(func() { close(c.ended) })
		for {
			frames, err := l.receive()
			if err != nil {
				return
			}

			m, err := c.codec.Decode(frames)
			if err != nil {
				continue
			}

			select {
			case to <- m:
			case <-c.stop:
				return
			}
		}
	}()
}

// DialStarting is Dial for a kernel that is still starting. It retries until
// the kernel listens. It then sends kernel_info requests until something
// arrives on iopub, because messages published before the subscription are
// lost. That first message is discarded, and the client may still see replies
// to these requests.
func DialStarting(ctx context.Context, c Connection) (*Client, error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var client *Client
	for asked := 0; ; {
		var err error
		if client == nil {
			client, err = Dial(ctx, c)
		} else if asked++; asked%10 == 1 {
			err = client.SendShell(client.Request("kernel_info_request", nil))
		}

		var heard <-chan Message
		if client != nil {
			heard = client.fromIOPub
		}

		select {
		case <-heard:
			return client, nil
		case <-tick.C:
		case <-ctx.Done():
			if client != nil {
				client.Close()
			}
			return nil, errs.Wrap(cmp.Or(err, ctx.Err()), errs.Unavailable, "", "the kernel did not answer")
		}
	}
}

// Ended is closed once the kernel has closed a connection.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// AllEnded is closed once the kernel has closed all connections. The last
// messages may still be in the channels.
func (c *Client) AllEnded() <-chan struct{} { return c.allEnded }

// Request returns a message of this client's session.
func (c *Client) Request(messageType string, content any) Message {
	m := NewMessage(c.Session, messageType, content)
	m.Header.Username = "client"
	return m
}

// SendShell sends a request that the kernel handles in turn.
func (c *Client) SendShell(m Message) error { return c.shell.send(c.codec.Encode(m)) }

// SendControl sends a request that the kernel answers at once.
func (c *Client) SendControl(m Message) error { return c.control.send(c.codec.Encode(m)) }

// SendStdin sends the answer to a question of the kernel.
func (c *Client) SendStdin(m Message) error { return c.stdin.send(c.codec.Encode(m)) }

// SendFrames sends frames unchanged on the shell socket. They need not be
// signed.
func (c *Client) SendFrames(frames [][]byte) error { return c.shell.send(frames) }

// Shell returns the replies to shell requests.
func (c *Client) Shell() <-chan Message { return c.fromShell }

// Control returns the replies to control requests.
func (c *Client) Control() <-chan Message { return c.fromControl }

// Stdin returns the kernel's questions to the user.
func (c *Client) Stdin() <-chan Message { return c.fromStdin }

// IOPub returns the messages that the kernel publishes.
func (c *Client) IOPub() <-chan Message { return c.fromIOPub }

// Ping sends a heartbeat and waits for its echo, or for the end of the
// connection. Calls must not overlap.
func (c *Client) Ping() error {
	if err := c.heart.send([][]byte{{}, []byte("ping")}); err != nil {
		return err
	}
	_, err := c.heart.receive()
	return err
}

// Done is closed when the client is closed.
func (c *Client) Done() <-chan struct{} { return c.stop }

// Close ends the connections and waits for their readers.
func (c *Client) Close() {
	c.stopping.Do(func() { close(c.stop) })
	for _, l := range []*link{c.shell, c.control, c.stdin, c.iopub, c.heart} {
		if l != nil {
			l.close()
		}
	}
	c.readers.Wait()
}
