package replicatest

import (
	"sync/atomic"
	"testing"

	"fsnetlab/fsnet/replica"
)

// watcher holds a runner to what it promises about its progress.
type watcher struct {
	t        *testing.T
	replicas int
	inside   atomic.Bool
	last     replica.Progress
}

func newWatcher(t *testing.T, replicas int) *watcher { return &watcher{t: t, replicas: replicas} }

func (w *watcher) see(p replica.Progress) {
	if !w.inside.CompareAndSwap(false, true) {
		w.t.Error("two reports at once")
		return
	}
	defer w.inside.Store(false)
	if p.Replicas != w.replicas || p.Done < w.last.Done || p.Failed < w.last.Failed || p.Share < w.last.Share || p.Share > 1+1e-9 ||
		p.Done+p.Failed+p.Running > w.replicas || p.StepsPerSecond < 0 || p.Left < 0 {
		w.t.Errorf("after %+v comes %+v", w.last, p)
	}
	w.last = p
}
