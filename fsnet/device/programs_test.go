package device_test

import (
	"strconv"
	"testing"

	"fsnetlab/fsnet/device"
)

// slow programs leave the device when they are let: a graph of theirs is being compiled.
type slow struct{ leaves, let chan struct{} }

func (p slow) Finalize() {
	p.leaves <- struct{}{}
	<-p.let
}

// If programs leave the device while one of them is still compiled, only a
// caller who closes it waits.
func TestPrograms_LeaveWithoutDelay(t *testing.T) {
	d, err := device.Open(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	p := slow{make(chan struct{}, 1+device.IdlePrograms), make(chan struct{})}
	take := func(key int) (giveBack func()) {
		_, giveBack, err := device.TakePrograms(d, strconv.Itoa(key), func() (slow, error) { return p, nil })
		if err != nil {
			t.Fatal(err)
		}
		return giveBack
	}
	for i := range device.IdlePrograms {
		take(i)()
	}
	given := make(chan struct{})
	go func() {
		defer close(given)
		take(device.IdlePrograms)()
	}()
	<-p.leaves
	if n := d.Programs(); n != device.IdlePrograms {
		t.Errorf("%d programs are kept, want %d", n, device.IdlePrograms)
	}
	back := take(0)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		d.Close()
	}()
	for range device.IdlePrograms + 1 {
		select {
		case <-closed:
			t.Fatal("the device is closed before its programs have left it")
		case p.let <- struct{}{}:
		}
	}
	p.let <- struct{}{}
	<-given
	<-closed
	back()
}
