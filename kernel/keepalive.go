package kernel

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/jupyter"
)

// activityInterval is how often a kernel with a run in the background says that it is busy. Servers that end idle kernels look every few
// minutes.
const (
	activityInterval = 5 * time.Second
	answerLimit      = time.Second // a host that is not busy takes a millisecond
	silentLooks      = 60          // intervals until one that does not answer is no longer taken for busy
)

// keepAlive shows activity while a session runs in the background, though no cell does: a server that ends idle kernels would end the
// training with it.
func (k *Kernel) keepAlive() {
	interval := cmp.Or(k.options.Activity, activityInterval)
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	var silent time.Time // since when the host has not answered
	for {
		select {
		case <-ticks.C:
		case <-k.life.Done():
			return
		}
		if k.busy() { // which is activity
			continue
		}
		trains, answers := k.trains(min(answerLimit, interval))
		switch {
		case answers:
			silent = time.Time{}
		case silent.IsZero():
			silent = time.Now()
		case time.Since(silent) > silentLooks*interval: // it hangs, or was stopped
			continue
		}
		if (trains || !answers) && !k.busy() {
			k.pulse()
		}
	}
}

// trains asks a host that runs whether a session does. One that has no time to answer works: while it compiles, for example.
func (k *Kernel) trains(limit time.Duration) (trains, answers bool) {
	client := k.host.Current()
	if client == nil {
		return false, true
	}
	ctx, cancel := context.WithTimeout(k.life, limit)
	defer cancel()
	list, err := session.VerbSessions.Call(ctx, client, session.None{})
	if err != nil {
		return false, !errors.Is(ctx.Err(), context.DeadlineExceeded)
	}
	return slices.ContainsFunc(list, func(s session.Status) bool { return s.State == session.Running }), true
}

// pulse is busy and idle for a cell that nobody sent: of a status, jupyter_server counts only what answers something like a cell.
func (k *Kernel) pulse() {
	parent := jupyter.NewMessage(k.session, "execute_request", nil)
	k.publish(parent, "status", jupyter.Status{State: "busy"})
	k.publish(parent, "status", jupyter.Status{State: "idle"})
	k.sayBusy() // for one that began in between
}
