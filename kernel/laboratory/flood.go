package laboratory

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/wire"
)

// FloodOptions for Flood.
type FloodOptions struct {
	Messages int            // how many
	Seed     int64          // of what is in them
	Progress func(sent int) // called now and then; nil is nobody
}

// FloodReport is what a flood has left. Times are in milliseconds.
type FloodReport struct {
	Messages   int     `json:"messages"`
	Seed       int64   `json:"seed"`
	Signed     int     `json:"rightly_signed"` // among them, and new: senseless only
	Survived   bool    `json:"survived"`       // it answers, and nothing grew
	Why        string  `json:"why,omitempty"`  // where it did not
	Before     Use     `json:"before"`         // the kernel alone
	Early      Use     `json:"early"`          // after a quarter of them
	After      Use     `json:"after"`
	Answer     float64 `json:"answer_ms"`      // median of a question afterwards
	AnswerMost float64 `json:"answer_most_ms"` // the slowest of them
}

// What does not count as growth: a Go program's heap breathes between two collections, and its threads are kept.
const (
	floodMB      = 25.0
	floodThreads = 8
)

// Flood sends a kernel messages that are malformed, wrongly signed, replayed or senseless, and lets strangers call at its ports; then it
// asks again. An error says that this could not be done; a kernel that does not survive is in the report.
func Flood(ctx context.Context, front *wire.Front, c wire.Connection, id int, o FloodOptions) (*FloodReport, error) {
	if !Visible() {
		return nil, fault.New(fault.Unavailable, "leave it out", "what a kernel withstands is not to be seen here: there is no /proc")
	}
	client, err := wire.Dial(ctx, c)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	go drain(client)
	r := &FloodReport{Messages: o.Messages, Seed: o.Seed}
	n := newNonsense(o.Seed, c.Key)
	if err := r.pour(ctx, front, client, c, id, n, o.Progress); err != nil {
		if ctx.Err() != nil {
			return nil, interrupted()
		}
		r.Why = err.Error()
		return r, nil
	}
	r.judge()
	return r, nil
}

// pour sends everything and looks at the kernel before it, after a quarter and at its end.
func (r *FloodReport) pour(ctx context.Context, front *wire.Front, client *wire.Client, c wire.Connection, id int, n *nonsense, progress func(int)) (err error) {
	if r.Before, err = settled(ctx, front, id); err != nil {
		return err
	}
	for i := range r.Messages {
		if i == r.Messages/4 {
			if r.Early, err = settled(ctx, front, id); err != nil {
				return err
			}
		}
		frames, good := n.next()
		if good {
			r.Signed++
		}
		if err := client.SendFrames(frames); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if i%50 != 0 {
			continue
		}
		if err := strangers(ctx, c, n); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if progress != nil {
			progress(i)
		}
	}
	if r.After, err = settled(ctx, front, id); err != nil {
		return err
	}
	const questions = 101
	took := make([]float64, questions)
	for i := range took {
		began := time.Now()
		if err := ask(ctx, front, "kernel_info_request", nil); err != nil {
			return err
		}
		took[i] = milliseconds(time.Since(began))
	}
	slices.Sort(took)
	r.Answer, r.AnswerMost = took[questions/2], took[questions-1]
	return nil
}

// judge says what grew. What comes first fills pools and buffers, so memory and threads are held against those after a quarter.
func (r *FloodReport) judge() {
	var grew []string
	if more := r.After.Files - r.Before.Files; more > 0 {
		grew = append(grew, fmt.Sprintf("open files by %d", more))
	}
	if more := r.After.Threads - r.Early.Threads; more > floodThreads {
		grew = append(grew, fmt.Sprintf("threads by %d", more))
	}
	if more := r.After.MB - r.Early.MB; more > floodMB {
		grew = append(grew, fmt.Sprintf("memory by %.0f MB", more))
	}
	if r.Survived = len(grew) == 0; !r.Survived {
		r.Why = "grew: " + strings.Join(grew, ", ")
	}
}

// drain reads what the kernel answers to nonsense: nobody else does.
func drain(client *wire.Client) {
	for {
		select {
		case <-client.Shell():
		case <-client.IOPub():
		case <-client.Ended():
			return
		}
	}
}

// strangers connect to each port and say something else.
func strangers(ctx context.Context, c wire.Connection, n *nonsense) error {
	for _, port := range []int{c.ShellPort, c.ControlPort, c.IOPubPort, c.StdinPort, c.HeartbeatPort} {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(c.IP, strconv.Itoa(port)))
		if err != nil {
			return err
		}
		conn.Write(n.bytes(n.random.IntN(300))) //nolint:errcheck // it may be shown the door
		conn.Close()
	}
	return nil
}

// settled waits until the kernel has dealt with all that was sent, and gives what it has then.
func settled(ctx context.Context, front *wire.Front, id int) (Use, error) {
	if err := ask(ctx, front, "kernel_info_request", nil); err != nil {
		return Use{}, err
	}
	if err := ask(ctx, front, "execute_request", wire.ExecuteRequest{Code: "%fsnet version", StoreHistory: true}); err != nil {
		return Use{}, err
	}
	for before := UseOf(id); ; { // connections of strangers that are being closed
		select {
		case <-ctx.Done():
			return Use{}, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
		now := UseOf(id)
		if now.Processes == 0 {
			return now, fmt.Errorf("the kernel has ended")
		}
		if now.Files >= before.Files {
			return now, nil
		}
		before = now
	}
}

// ask waits for an answer that says ok.
func ask(ctx context.Context, front *wire.Front, messageType string, content any) error {
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	answer, err := front.Ask(limited, messageType, content)
	if err != nil {
		return fmt.Errorf("the kernel does not answer: %w", err)
	}
	var reply wire.ErrorReply
	if err := answer.Reply.Decode(&reply); err != nil {
		return err
	}
	if reply.Status != "ok" {
		return fmt.Errorf("%s: %s", messageType, reply.Value)
	}
	return nil
}

// answerLimit is how long anything may take before it is said to hang.
const answerLimit = time.Minute

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
