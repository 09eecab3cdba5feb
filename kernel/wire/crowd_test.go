package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"fsnetlab/internal/accept"
)

// meet connects to a kernel's heartbeat.
func meet(c Connection) (*link, error) {
	network, address := c.endpoint(c.HeartbeatPort)
	conn, err := net.Dial(network, address)
	if err != nil {
		return nil, err
	}
	return openLink(conn, zmq4.Dealer, "", false)
}

// beats reports whether the kernel answers on a connection.
func (l *link) beats() error {
	if err := l.stream.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if err := l.send([][]byte{[]byte("ping")}); err != nil {
		return err
	}
	_, err := l.receive()
	return err
}

// A socket takes so many connections and no more, and another one when one has gone.
func TestTheBoundOfConnections(t *testing.T) {
	c := connections(t)["ipc"]
	server, err := Listen(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var links []*link
	for range accept.Most {
		l, err := meet(c)
		if err != nil {
			t.Fatalf("connection %d: %v", len(links)+1, err)
		}
		defer l.close()
		links = append(links, l)
	}
	if l, err := meet(c); err == nil {
		l.close()
		t.Errorf("connection %d is taken", accept.Most+1)
	}
	if err := links[len(links)-1].beats(); err != nil {
		t.Error(err)
	}
	links[0].close()
	awaitPlace(t, c)
}

// awaitPlace waits until a kernel takes another connection, and answers on it.
func awaitPlace(t *testing.T, c Connection) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		l, err := meet(c)
		if err == nil {
			err = l.beats()
			l.close()
		}
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("with a place again: %v", err)
		}
	}
}

// crowded is set for the process that is a kernel without descriptors; its value begins the paths of the sockets.
const crowded = "WIRE_TEST_CROWDED"

// A kernel that has no descriptor left for the next connection does not spend its time on asking for one, and takes it when it can.
func TestAKernelWithoutDescriptors(t *testing.T) {
	if prefix := os.Getenv(crowded); prefix != "" {
		beCrowded(t, prefix)
		return
	}
	prefix := filepath.Join(t.TempDir(), "k")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), crowded+"="+prefix)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(patience, func() { cmd.Process.Kill() }).Stop()
	says := bufio.NewReader(out)
	if line, err := says.ReadString('\n'); line != "full\n" {
		t.Fatalf("%q, %v", line, err)
	}
	c := NewLocalConnection(prefix)
	network, address := c.endpoint(c.HeartbeatPort)
	waiting, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer waiting.Close()
	line, err := says.ReadString('\n')
	var milliseconds int
	if _, scan := fmt.Sscanf(line, "worked %d", &milliseconds); err != nil || scan != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if milliseconds >= busyLimit {
		t.Errorf("it worked for %d ms on a connection that it cannot take", milliseconds)
	}
	awaitPlace(t, c)
	in.Close()
	io.Copy(io.Discard, says) // of the test framework
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

const (
	busyLimit = 300             // milliseconds of processor time, a thousand times what waiting takes
	watched   = 5 * time.Second // in which whoever asks without a pause takes more also where twenty others are busy
)

func beCrowded(t *testing.T, prefix string) {
	server, err := Listen(NewLocalConnection(prefix), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 64, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	for {
		f, err := os.Open(os.DevNull)
		if errors.Is(err, syscall.EMFILE) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
	}
	fmt.Println("full")
	begin, worked := time.Now(), processorTime(t)
	for time.Since(begin) < watched && processorTime(t)-worked < busyLimit*time.Millisecond {
		time.Sleep(50 * time.Millisecond)
	}
	fmt.Println("worked", (processorTime(t) - worked).Milliseconds())
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	bufio.NewReader(os.Stdin).ReadString('\n') // the test has seen enough
}

func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
