package gonb

import (
	"fmt"
	"regexp"
	"syscall"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/internal/process"
)

// Done is closed when GoNB has ended, or was given up: another is to be started.
func (c *Child) Done() <-chan struct{} { return c.over }

// How says how it ended, once Done is closed.
func (c *Child) How() string {
	<-c.over
	how := c.why
	if how == "" {
		how = "ended"
		if err := c.process.Err(); err != nil {
			how += " (" + err.Error() + ")"
		}
		how += c.quote()
	}
	return "gonb, which runs Go cells, " + how
}

// Abandon gives GoNB up and kills it with its group, also where it was stopped.
func (c *Child) Abandon(why string) {
	c.giveUp(why)
	c.process.Signal(syscall.SIGKILL)
}

// giveUp ends whatever waits for GoNB. What a cell has begun goes on until Stop: it may be worth hours.
func (c *Child) giveUp(why string) {
	c.givingUp.Do(func() {
		c.why = why
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
	case <-c.over:
	case <-time.After(unheardLimit):
		c.giveUp("does not read what it is sent" + c.halted())
	}
	return c.ended()
}

const (
	unheardLimit = time.Second // a process that has ended is noticed sooner
	looks        = 6           // that GoNB may miss in a row
)

// listen asks GoNB, while a cell runs, whether it answers, which it does at once whatever its cell does. One that is silent for too long is
// given up. Looks are counted, not time: where the kernel was stopped together with GoNB nobody was silent. Call stop at the cell's end.
func (c *Child) listen() (stop func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(c.workspace.silence / looks)
		defer tick.Stop()
		for missed := 0; ; {
			select {
			case <-tick.C:
			case <-c.over:
				return
			case <-over:
				return
			}
			if c.answers() {
				missed = 0
			} else if missed++; missed >= looks {
				c.giveUp(fmt.Sprintf("has not answered for %s%s", c.workspace.silence, c.halted()))
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}

// answers reports whether the last question was answered, and asks the next one then.
func (c *Child) answers() bool {
	if c.asked != nil {
		select {
		case <-c.asked: // or the connection has ended, which Done tells
		default:
			return false
		}
	}
	answered := make(chan error, 1)
	c.asked = answered
	go func() { answered <- c.client.Ping() }()
	return true
}

// halted says that the process was stopped, which may be why it does not answer.
func (c *Child) halted() string {
	if process.Stopped(c.ID()) {
		return fmt.Sprintf(" (process %d was stopped)", c.ID())
	}
	return fmt.Sprintf(" (process %d)", c.ID())
}

// quote is the last line of the log that reports an error or a panic, if there is one.
func (c *Child) quote() string {
	line := c.log.Last(func(line string) bool { return fatalLine.MatchString(line) })
	if line == "" {
		return ""
	}
	return ": " + escapes.ReplaceAllString(line, "")
}

var fatalLine = regexp.MustCompile(`^(F\d{4} |panic:|fatal error:)`) // GoNB's log, and Go's
