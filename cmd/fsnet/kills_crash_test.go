package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"fsnetlab/internal/rng"
)

// crash is one process that was killed, and what was seen afterwards.
type crash struct {
	Number   int           // from 1
	Victim   string        // kernel · host · browser · gonb · a program of a cell · gopls
	Activity string        // what went on: rest · run · background · cell · compile
	After    time.Duration // from its beginning to the kill
	Said     string        // what the notebook says about it
	Restart  time.Duration // from the start of the next kernel to its first answer; 0 where none was killed
	Left     int           // processes, sockets and directories that stay
	Lost     int           // steps before the last checkpoint that are not there
	Wrong    []string      // whatever is not as it should be, in words; nil is survived
}

func (c crash) String() string {
	return fmt.Sprintf("%d: %s, %s, %s", c.Number, c.Victim, c.Activity, c.After)
}

func (c *crash) wrong(format string, args ...any) {
	c.Wrong = append(c.Wrong, fmt.Sprintf(format, args...))
}

const (
	crashSession = "leukemia"
	crashBegin   = 20 // steps made before anything is killed
)

// next lets the notebook do something, kills one of its processes at a moment that the seed draws, and looks at what is left. Each kind
// of process is killed as often. An error ends the experiment: something hangs, or the context ended.
func (l *killedNotebook) next(ctx context.Context) (crash, error) {
	i := l.report.Kills
	if i%len(l.victims) == 0 {
		l.draw.Shuffle(len(l.victims), func(a, b int) { l.victims[a], l.victims[b] = l.victims[b], l.victims[a] })
	}
	c := crash{Number: i + 1, Victim: l.victims[i%len(l.victims)], Activity: l.activity()}
	switch {
	case c.Victim == cellProgram:
		c.Activity = "cell"
	case c.Victim == "browser" && c.Activity == "rest":
		c.Activity = "run"
	}
	c.After = time.Duration(l.draw.IntN(600)) * time.Millisecond
	err := l.crash(ctx, &c)
	if err != nil {
		c.wrong("%s", err)
		err = fmt.Errorf("kill %s: %w", c, err)
	}
	l.report.add(c)
	if c.Restart > 0 {
		l.restarts = append(l.restarts, milliseconds(c.Restart))
	}
	return c, err
}

func (l *killedNotebook) activity() string {
	list := []string{"rest", "run", "background", "cell", "compile"}
	if !l.golang {
		list = list[:3]
	}
	return list[l.draw.IntN(len(list))]
}

func (l *killedNotebook) crash(ctx context.Context, c *crash) error {
	if err := l.prepare(ctx); err != nil {
		return err
	}
	under, err := l.begin(ctx, c.Activity)
	if err != nil {
		return err
	}
	select { // the moment is drawn, not waited for
	case <-time.After(c.After):
	case <-ctx.Done():
		return ctx.Err()
	}
	if c.Victim == "browser" {
		return l.reload(ctx, c, under)
	}
	if c.Victim == "gopls" {
		if err := l.complete(ctx); err != nil {
			return err
		}
		if !l.runs("gopls") { // one that was killed is not always replaced
			c.Victim = "gonb"
		}
	}
	id, err := l.find(ctx, c.Victim)
	if err != nil {
		return err
	}
	before := l.processes()
	if err := syscall.Kill(id, syscall.SIGKILL); err != nil {
		return fmt.Errorf("%s (%d) cannot be killed: %w", c.Victim, id, err)
	}
	if err := gone(ctx, c.Victim, id); err != nil {
		return err
	}
	if c.Victim != "kernel" {
		if err := l.explained(ctx, c, under); err != nil {
			return err
		}
		return l.reopen(ctx, c)
	}
	l.kernel.front.Close()
	if err := l.start(ctx); err != nil { // at once, while what the killed one has started ends
		return err
	}
	c.Restart = l.kernel.took
	if err := l.reopen(ctx, c); err != nil {
		return err
	}
	for _, p := range before {
		if err := gone(ctx, p.name+" of the killed kernel", p.id); err != nil {
			c.Left++
			c.wrong("%s", err)
		}
	}
	for _, name := range l.leftovers(ctx, l.kernel.id()) {
		c.Left++
		c.wrong("the killed kernel left %s, with %s", name, l.inside(name))
	}
	return nil
}

// prepare brings the session to where every crash begins: at rest, at its first steps, with a live key changed and all of it kept.
func (l *killedNotebook) prepare(ctx context.Context) error {
	if _, err := l.magic(ctx, "rewind %s %d", crashSession, crashBegin); err != nil {
		return err
	}
	return l.kept(ctx, crashBegin)
}

// begin starts an activity and returns the cell that does it, nil for none.
func (l *killedNotebook) begin(ctx context.Context, activity string) (*cell, error) {
	switch activity {
	case "run":
		c, err := l.send("%fsnet run " + crashSession)
		if err != nil {
			return nil, err
		}
		return c, c.until(ctx, "display_data")
	case "background":
		_, err := l.magic(ctx, "run %s wait=false", crashSession)
		return nil, err
	case "cell":
		c, err := l.send("%%\nfmt.Println(\"begun\")\nfor { s.Must().Step(10) }")
		if err != nil {
			return nil, err
		}
		return c, c.until(ctx, "stream")
	case "compile":
		return l.send(fmt.Sprintf("%%%%\nfmt.Println(%q, s.Must().Status().Step)", time.Now()))
	}
	return nil, nil
}

// anywhere lists what can be killed also where there are no Go cells.
func anywhere() []string { return []string{"kernel", "host", "browser"} }

func drawOf(seed int64) *rand.Rand { return rng.New(seed, "crash") }
