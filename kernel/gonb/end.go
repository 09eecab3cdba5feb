package gonb

import (
	"context"
	"fmt"
	"log/slog"
	"syscall"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/internal/process"
)

// Done is closed when GoNB has ended and what it had sent was passed on, or when it was given up: another is to be started.
func (c *Child) Done() <-chan struct{} { return c.over }

// How says how it ended, once Done is closed.
func (c *Child) How() string {
	<-c.over
	how := c.why
	if how == "" {
		how = "ended" + c.process.How()
	}
	return "gonb, which runs Go cells, " + how
}

// forceLimit is how long GoNB has to end a cell once somebody has forced: its processes are killed at once, and it reports that. With it
// go the declarations, so a busy machine gets some time.
const forceLimit = 3 * time.Second

// AbandonUnless ends GoNB where a cell is not over a while after somebody has forced: it was stopped, or waits for a program that nobody
// here can end. beyond names those.
func (c *Child) AbandonUnless(over, forced <-chan struct{}, beyond func() string) {
	select {
	case <-forced:
	case <-over:
		return
	}
	select {
	case <-over:
	case <-time.After(forceLimit):
		c.giveUp("did not end the cell and was killed" + beyond())
		c.process.Signal(syscall.SIGKILL)
	}
}

// awaitEnd tells of GoNB's end, once what it had sent until then was passed on.
func (c *Child) awaitEnd() {
	<-c.process.Done()
	all := make(chan struct{})
	go func() {
		c.readers.Wait()
		close(all)
	}()
	c.awaitOutput(context.Background(), all)
	c.giveUp("")
}

// giveUp ends whatever waits for GoNB. What a cell has begun goes on until Stop: it may be worth hours.
func (c *Child) giveUp(why string) {
	c.givingUp.Do(func() {
		c.why = why
		if why != "" {
			slog.Warn("gonb was given up", "process", c.ID(), "why", why)
		}
		close(c.over)
	})
}

// ended describes the end to the cell that ran.
func (c *Child) ended() *fault.Error {
	return fault.New(fault.Unavailable, "the next Go cell starts it again; run the cells with declarations first", "%s", c.How())
}

// unheard is ended for a message that could not be sent: the process has just ended, or does not read.
func (c *Child) unheard() *fault.Error {
	select {
	case <-c.process.Done():
		<-c.over
	case <-c.over:
	case <-time.After(unheardLimit):
		c.giveUp("does not read what it is sent" + c.halted())
	}
	return c.ended()
}

// unheardLimit is how long: a process that has ended is noticed sooner.
const unheardLimit = time.Second

// listen gives GoNB up where it is silent for too long while a cell runs, until stop is called.
func (c *Child) listen() (stop func()) {
	ctx, stop := context.WithCancel(context.Background())
	silent := c.heartbeat.Listen(ctx)
	go func() {
		select {
		case silence := <-silent:
			c.giveUp(fmt.Sprintf("has not answered for %s%s", silence, c.halted()))
		case <-ctx.Done():
		}
	}()
	return stop
}

// halted says that the process was stopped, which may be why it does not answer.
func (c *Child) halted() string {
	if process.Stopped(c.ID()) {
		return fmt.Sprintf(" (process %d was stopped)", c.ID())
	}
	return fmt.Sprintf(" (process %d)", c.ID())
}
