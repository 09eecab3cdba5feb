package system

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const acceptPatience = time.Minute // what hangs is stopped; nothing waits for it to pass

// The test binary is also the process that runs out of descriptors.
func TestMain(m *testing.M) {
	if path := os.Getenv("ACCEPT_TEST_SOCKET"); path != "" {
		if err := runOut(path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// asked remembers when it had no connection to give, and why.
type asked struct {
	net.Listener
	mu    sync.Mutex
	times []time.Time
	why   error
}

func (a *asked) Accept() (net.Conn, error) {
	conn, err := a.Listener.Accept()
	if err != nil {
		a.mu.Lock()
		a.times, a.why = append(a.times, time.Now()), err
		a.mu.Unlock()
	}
	return conn, err
}

// often waits until it was asked in vain so often, and says how long that took.
func (a *asked) often(times int) (took time.Duration, why error) {
	for ; ; time.Sleep(time.Millisecond) {
		a.mu.Lock()
		if len(a.times) >= times {
			defer a.mu.Unlock()
			return a.times[times-1].Sub(a.times[0]), a.why
		}
		a.mu.Unlock()
	}
}

// runOut serves with all descriptors taken and says how long it took to ask for a connection seven times in vain; then it gives them back.
func runOut(path string) error {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	a := &asked{Listener: listener}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 64, Max: 64}); err != nil {
		return err
	}
	var taken []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if errors.Is(err, syscall.EMFILE) {
			break
		}
		if err != nil {
			return err
		}
		taken = append(taken, f)
	}
	go Accept(ctx, a, func(_ context.Context, conn net.Conn) { conn.Write([]byte("served\n")) }, func(net.Conn) {})
	fmt.Println("full")
	took, why := a.often(7)
	fmt.Println("asked", took.Milliseconds(), why)
	for _, f := range taken {
		f.Close()
	}
	bufio.NewReader(os.Stdin).ReadString('\n') // the test has seen enough
	return nil
}

// Where the system has no descriptor left the next connection is asked for less and less often, and had once there is one again.
func TestWithoutDescriptors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "ACCEPT_TEST_SOCKET="+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(acceptPatience, func() { cmd.Process.Kill() }).Stop()
	says := bufio.NewReader(out)
	if line, err := says.ReadString('\n'); line != "full\n" {
		t.Fatalf("%q, %v", line, err)
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	line, err := says.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var milliseconds int64
	if _, err := fmt.Sscanf(line, "asked %d", &milliseconds); err != nil || !strings.Contains(line, "too many open files") {
		t.Fatalf("%q, %v", line, err)
	}
	// Seven times in vain are six pauses: 5, 10, 20, 40, 80 and 160 ms. A busy machine makes them longer, never shorter.
	if milliseconds < 300 {
		t.Errorf("it asked seven times in %d ms", milliseconds)
	}
	conn.SetReadDeadline(time.Now().Add(acceptPatience))
	if line, err := bufio.NewReader(conn).ReadString('\n'); line != "served\n" {
		t.Errorf("with descriptors again: %q, %v", line, err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// pipes is a listener of connections that need no descriptor.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return nil }

func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	p.conns <- there
	return here
}

// ends waits until the other end has closed a connection.
func ends(t *testing.T, c net.Conn) {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(acceptPatience))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection has not ended: %v", err)
	}
}

func TestTheBound(t *testing.T) {
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	served, refused := make(chan net.Conn), make(chan net.Conn, 1)
	over := make(chan error, 1)
	go func() {
		over <- Accept(ctx, p, func(_ context.Context, c net.Conn) {
			served <- c
			c.Read(make([]byte, 1))
		}, func(c net.Conn) { refused <- c })
	}()
	var open []net.Conn
	for range MostConnections {
		open = append(open, p.dial())
		<-served
	}
	more := p.dial()
	<-refused
	ends(t, more)
	// One goes, another takes its place. The place is free a moment after.
	open[0].Close()
	for end := time.Now().Add(acceptPatience); ; {
		next := p.dial()
		select {
		case <-served:
		case <-refused:
			ends(t, next)
			if time.Now().After(end) {
				t.Fatal("no place becomes free")
			}
			continue
		}
		open[0] = next
		break
	}
	cancel()
	for _, c := range open {
		ends(t, c)
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// A listener that somebody else has closed ends the connections, too.
func TestAClosedListener(t *testing.T) {
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	over := make(chan error, 1)
	go func() {
		over <- Accept(t.Context(), p, func(ctx context.Context, _ net.Conn) { <-ctx.Done() }, func(net.Conn) {})
	}()
	c := p.dial()
	p.Close()
	ends(t, c)
	if err := <-over; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}
