package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
)

// FSNET_TEST_FLOOD messages that are malformed, wrongly signed, replayed or senseless, 10,000 without a number, and peers that do not speak
// the protocol at all, leave a kernel that answers as before and has grown in nothing. FSNET_TEST_SEED makes other ones.
func TestBenchKernelFlood(t *testing.T) {
	skipWithoutProc(t)
	messages := 10_000
	if testing.Short() {
		messages = 1000
	}
	messages = fromEnvironment(t, "FSNET_TEST_FLOOD", messages)
	k := newTestKernel(t)
	k.warm(t)
	r, err := flood(t.Context(), k, messages, int64(fromEnvironment(t, "FSNET_TEST_SEED", 1)))
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	if !r.Survived || r.Signed == 0 || r.Signed > messages/10 || r.Answer <= 0 {
		t.Errorf("%s: %+v", r.Why, *r)
	}
	answer, err := k.front.Execute(t.Context(), "%fsnet status")
	if shown := answer.Of("display_data"); err != nil || len(shown) == 0 || !strings.Contains(string(shown[0].Content), benchSession) {
		t.Errorf("the session's status is %v, %v", shown, err)
	}
	log, err := os.ReadFile(k.log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(log), "\n"); n == 0 || n > 30 || !strings.Contains(string(log), "refused") ||
		strings.Contains(string(log), "goroutine") {
		t.Errorf("the log has %d lines: %.2000s", n, log)
	}
}

// floodReport is what a flood has left. Times are in milliseconds.
type floodReport struct {
	Messages   int
	Seed       int64
	Signed     int    // among them, and new: senseless only
	Survived   bool   // it answers, and nothing grew
	Why        string // where it did not
	Before     inUse  // the kernel alone
	Early      inUse  // after a quarter of them
	After      inUse
	Answer     float64 // median of a question afterwards
	AnswerMost float64 // the slowest of them
}

// What does not count as growth: a Go program's heap breathes between two collections, and its threads are kept.
const (
	floodMB      = 25.0
	floodThreads = 8
)

func (r *floodReport) String() string {
	survived := "survived"
	if !r.Survived {
		survived = "NOT survived: " + r.Why
	}
	return fmt.Sprintf("%d malformed or wrongly signed messages (seed %d): %s\n", r.Messages, r.Seed, survived) +
		fmt.Sprintf("  the kernel has      %d open files before, %d after; %.1f MB before, %.1f MB after a quarter, %.1f MB after\n",
			r.Before.Files, r.After.Files, r.Before.MB, r.Early.MB, r.After.MB) +
		fmt.Sprintf("  afterwards a question takes %.1f ms, %.1f ms at most", r.Answer, r.AnswerMost)
}

// flood sends a kernel messages that are malformed, wrongly signed, replayed or senseless, and lets strangers call at its ports; then it
// asks again. An error says that this could not be done; a kernel that does not survive is in the report.
func flood(ctx context.Context, k *testKernel, messages int, seed int64) (*floodReport, error) {
	client, err := jupyter.Dial(ctx, k.connection)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	go drain(client)
	r := &floodReport{Messages: messages, Seed: seed}
	if err := r.pour(ctx, k, client, newNonsense(seed, k.connection.Key)); err != nil {
		r.Why = err.Error()
		return r, nil
	}
	r.judge()
	return r, nil
}

// pour sends everything and looks at the kernel before it, after a quarter and at its end.
func (r *floodReport) pour(ctx context.Context, k *testKernel, client *jupyter.Client, n *nonsense) (err error) {
	if r.Before, err = settled(ctx, k.front, k.id()); err != nil {
		return err
	}
	for i := range r.Messages {
		if i == r.Messages/4 {
			if r.Early, err = settled(ctx, k.front, k.id()); err != nil {
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
		if err := strangers(ctx, k.connection, n); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	if r.After, err = settled(ctx, k.front, k.id()); err != nil {
		return err
	}
	const questions = 101
	took := make([]float64, questions)
	for i := range took {
		began := time.Now()
		if err := ask(ctx, k.front, "kernel_info_request", nil); err != nil {
			return err
		}
		took[i] = milliseconds(time.Since(began))
	}
	slices.Sort(took)
	r.Answer, r.AnswerMost = took[questions/2], took[questions-1]
	return nil
}

// judge says what grew. What comes first fills pools and buffers, so memory and threads are held against those after a quarter.
func (r *floodReport) judge() {
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
func drain(client *jupyter.Client) {
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
func strangers(ctx context.Context, c jupyter.Connection, n *nonsense) error {
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
func settled(ctx context.Context, front *fronttest.Front, id int) (inUse, error) {
	if err := ask(ctx, front, "kernel_info_request", nil); err != nil {
		return inUse{}, err
	}
	if err := ask(ctx, front, "execute_request", jupyter.ExecuteRequest{Code: "%fsnet version", StoreHistory: true}); err != nil {
		return inUse{}, err
	}
	for before := inUseOf(id); ; { // connections of strangers that are being closed
		select {
		case <-ctx.Done():
			return inUse{}, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
		now := inUseOf(id)
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
func ask(ctx context.Context, front *fronttest.Front, messageType string, content any) error {
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	answer, err := front.Ask(limited, messageType, content)
	if err != nil {
		return fmt.Errorf("the kernel does not answer: %w", err)
	}
	var reply jupyter.ErrorReply
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

func TestFloodIsJudged(t *testing.T) {
	early := inUse{Files: 31, Threads: 10, MB: 50}
	for _, c := range []struct {
		after inUse
		want  string
	}{
		{inUse{Files: 31, Threads: 18, MB: 75}, ""},
		{inUse{Files: 30, Threads: 9, MB: 40}, ""},
		{inUse{Files: 32, Threads: 10, MB: 50}, "open files by 1"},
		{inUse{Files: 31, Threads: 19, MB: 50}, "threads by 9"},
		{inUse{Files: 31, Threads: 10, MB: 76}, "memory by 26 MB"},
	} {
		r := floodReport{Before: inUse{Files: 31, MB: 20}, Early: early, After: c.after}
		r.judge()
		if r.Survived != (c.want == "") || !strings.Contains(r.Why, c.want) {
			t.Errorf("%+v: %t, %q, want %q", c.after, r.Survived, r.Why, c.want)
		}
	}
}
