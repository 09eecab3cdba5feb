package process

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/fsnet/errs"
)

// child is one without a process.
type child struct {
	done chan struct{}
	end  func()
}

func newChild() *child {
	c := &child{done: make(chan struct{})}
	c.end = sync.OnceFunc(func() { close(c.done) })
	return c
}

func (c *child) Done() <-chan struct{} { return c.done }
func (c *child) Stop(time.Duration)    { c.end() }

// All callers that wait share one start. If one gives up, the start goes on. A
// child that has ended is replaced once.
func TestKeeper_SharesAStart(t *testing.T) {
	var starts atomic.Int32
	begun, goOn := make(chan struct{}, 3), make(chan struct{})
	var befores []*child
	k := NewKeeper(KeeperOptions[*child]{Name: "x", Limit: time.Minute, Start: func(_ context.Context, before *child) (*child, error) {
		starts.Add(1)
		befores = append(befores, before)
		begun <- struct{}{}
		<-goOn
		return newChild(), nil
	}})
	defer k.Stop(0)
	short, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan error, 1)
	go func() {
		_, err := k.Get(short)
		gaveUp <- err
	}()
	<-begun
	cancel()
	if err := <-gaveUp; !errs.Is(err, errs.Interrupted) {
		t.Errorf("%v", err)
	}
	if k.Current() != nil {
		t.Error("it is there before it was started")
	}
	got := make(chan *child, 10)
	for range cap(got) {
		go func() {
			c, _ := k.Get(t.Context())
			got <- c
		}()
	}
	close(goOn)
	first := <-got
	for range cap(got) - 1 {
		if c := <-got; c != first || c == nil {
			t.Error("there are several")
		}
	}
	first.end()
	if k.Current() != nil || k.Last() != first {
		t.Error("one that has ended is current")
	}
	second, err := k.Get(t.Context())
	if err != nil || second == first || starts.Load() != 2 || befores[1] != first {
		t.Errorf("%v after %d starts", err, starts.Load())
	}
	k.Drop(first)
	if k.Current() != second {
		t.Error("who was replaced is dropped for the other")
	}
	k.Drop(second)
	<-second.Done()
	if third, err := k.Get(t.Context()); err != nil || third == second {
		t.Errorf("%v", err)
	}
}

// After a failed start the keeper rests before it tries again.
func TestKeeper_FailedStart(t *testing.T) {
	var starts atomic.Int32
	k := NewKeeper(KeeperOptions[*child]{Name: "x", Limit: time.Minute, Rest: time.Hour, Start: func(context.Context, *child) (*child, error) {
		starts.Add(1)
		return nil, errors.New("no")
	}})
	for range 3 {
		if c, err := k.Get(t.Context()); err == nil || c != nil {
			t.Errorf("%v, %v", c, err)
		}
	}
	if starts.Load() != 1 {
		t.Errorf("it was not left alone: %d starts", starts.Load())
	}
	k.Stop(0)
}

// Stop ends a start in progress, and no other one begins.
func TestKeeper_StopDuringStart(t *testing.T) {
	begun := make(chan struct{})
	var late *child
	k := NewKeeper(KeeperOptions[*child]{Name: "x", Limit: time.Minute, Start: func(ctx context.Context, _ *child) (*child, error) {
		close(begun)
		<-ctx.Done()
		late = newChild()
		return late, nil
	}})
	go k.Get(t.Context()) //nolint:errcheck // it does not come to that
	<-begun
	k.Stop(0)
	<-late.Done()
	if c, err := k.Get(t.Context()); err == nil || c != nil || !k.Ended() {
		t.Errorf("%v, %v", c, err)
	}
}

// A child that isn't used for some time is stopped.
func TestKeeper_StopsIdleChild(t *testing.T) {
	k := NewKeeper(KeeperOptions[*child]{
		Name: "x", Limit: time.Minute, Idle: 20 * time.Millisecond,
		Start: func(context.Context, *child) (*child, error) { return newChild(), nil },
	})
	defer k.Stop(0)
	c, err := k.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	<-c.Done()
}

// A child that answers is never silent. One that doesn't is, and at once if it
// was silent before.
func TestHeartbeat_Silence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 300 * time.Millisecond
		var deaf atomic.Bool
		hears := make(chan struct{})
		p := NewHeartbeat(limit, func() error {
			if deaf.Load() {
				<-hears
			}
			return nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		silent := p.Listen(ctx)
		select {
		case <-silent:
			t.Error("one that answers is silent")
		case <-time.After(2 * limit):
		}
		deaf.Store(true)
		if d := <-silent; d != limit {
			t.Errorf("after %s", d)
		}
		cancel()
		<-p.Listen(t.Context())
		deaf.Store(false)
		close(hears)
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		select {
		case <-p.Listen(ctx):
			t.Error("one that answers again is silent")
		case <-time.After(2 * limit):
		}
	})
}
