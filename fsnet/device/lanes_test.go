package device

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/internal/num"
)

type named string

func (n named) String() string { return string(n) }

// Lanes that come and go, rest, and make different calls each get their own results, and none waits for ever.
func TestLanes_WaitForOneAnother(t *testing.T) {
	d := must(Open(context.Background(), "go"))
	defer d.Close()
	lanes := d.NewLanes(3)
	defer lanes.Close()
	build := map[string]func(in []*graph.Node) []*graph.Node{
		"product": func(in []*graph.Node) []*graph.Node {
			return []*graph.Node{graph.Mul(in[0], graph.ConvertDType(in[1], in[0].DType()))}
		},
		"sum": func(in []*graph.Node) []*graph.Node {
			return []*graph.Node{graph.Add(in[0], graph.ConvertDType(in[1], in[0].DType()))}
		},
	}
	var group sync.WaitGroup
	for i := range 5 { // more than places
		group.Go(func() {
			random, on := num.RNG(int64(i), "lanes"), lanes.Device()
			defer on.Rest()
			for range 40 {
				x, count, key := float32(random.IntN(100)), int32(random.IntN(3)), []string{"product", "sum"}[random.IntN(2)]
				out, err := on.Together(Together{Name: named(key), Key: key, Build: build[key], Apart: func(int) bool { return false }, Args: []any{x, count}})
				want := x * float32(count)
				if key == "sum" {
					want = x + float32(count)
				}
				if err != nil || tensors.ToScalar[float32](out[0]) != want {
					t.Errorf("lane %d: %s of %g and %d: %v, %v", i, key, x, count, out, err)
				}
				if random.IntN(4) == 0 {
					on.Rest()
				}
			}
		})
	}
	group.Wait()
	if len(lanes.programs) != 2 || lanes.training != 0 {
		t.Errorf("%d programs, %d lanes still train", len(lanes.programs), lanes.training)
	}
}

// A lane that joined is waited for before its first call, so several first
// calls are one, and no longer after it rests.
func TestLanes_Join(t *testing.T) {
	d := must(Open(context.Background(), "go"))
	defer d.Close()
	lanes := d.NewLanes(3)
	defer lanes.Close()
	call := func(on *Device) error {
		_, err := on.Together(Together{Name: named("graph"), Key: "same", Apart: func(int) bool { return false }, Args: []any{float32(1)},
			Build: func(in []*graph.Node) []*graph.Node { return in }})
		return err
	}
	first, second, third := lanes.Device(), lanes.Device(), lanes.Device()
	for _, on := range []*Device{first, second, third} {
		on.Join()
		on.Join() // counts once
	}

	done := make(chan error, 2)
	for _, on := range []*Device{first, second} {
		go func() { done <- call(on) }()
	}
	select {
	case err := <-done:
		t.Fatalf("a call did not wait for a lane that joined: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	third.Rest()
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A call that fails is an error of all that it was made with, and the next one works.
func TestLanes_Fail(t *testing.T) {
	d := must(Open(context.Background(), "go"))
	defer d.Close()
	lanes := d.NewLanes(2)
	defer lanes.Close()
	on := lanes.Device()
	for _, fails := range []bool{true, false, true} {
		_, err := on.Together(Together{Name: named("graph"), Key: fmt.Sprint(fails), Apart: func(int) bool { return false }, Args: []any{float32(1)},
			Build: func(in []*graph.Node) []*graph.Node {
				if fails {
					panic("a defect")
				}
				return in
			}})
		if (err != nil) != fails {
			t.Errorf("fails=%v: %v", fails, err)
		}
	}
}
