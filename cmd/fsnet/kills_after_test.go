package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
)

// explained waits for what the cell that was running says, or the next one: there must be a line about the death.
func (l *killedNotebook) explained(ctx context.Context, c *crash, under *cell) (err error) {
	if (c.Activity == "run" && c.Victim != "host") || (c.Activity == "cell" && c.Victim == "gopls") { // it goes on
		if err := l.interrupt(ctx); err != nil {
			return err
		}
	}
	text := ""
	if under != nil {
		if text, err = under.finish(ctx); err != nil {
			return err
		}
	}
	want, next := "", ""
	switch c.Victim {
	case "host":
		want, next = "the training process ended (signal: killed)", "%fsnet status "+crashSession
	case "gonb":
		want, next = "gonb, which runs Go cells, ended (signal: killed)", "%%\nfmt.Println(1)"
	case cellProgram:
		want = "signal: killed"
	}
	if next != "" && !strings.Contains(text, want) {
		more, err := l.cell(ctx, next)
		if err != nil {
			return err
		}
		text += more
	}
	c.Said += text
	if !strings.Contains(text, want) {
		c.wrong("no line says %q: %q", want, text)
	}
	if c.Victim == "gonb" {
		return l.declare(ctx)
	}
	return nil
}

// reopen opens the session again where its process was killed, and compares it with one that nobody killed.
func (l *killedNotebook) reopen(ctx context.Context, c *crash) error {
	text, err := l.cell(ctx, "%fsnet pause "+crashSession)
	if err != nil {
		return err
	}
	c.Said += text
	if strings.Contains(text, "not open, but its checkpoints are there") {
		list, err := runs.List(l.directory)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(list, func(r runs.Run) bool { return r.Name == crashSession })
		if at < 0 || len(list[at].Files) == 0 {
			c.Lost = crashBegin
			return fmt.Errorf("no checkpoint is left")
		}
		saved := list[at].Files[0].Step
		opened, err := l.magic(ctx, "open %s", crashSession)
		if err != nil {
			return err
		}
		c.Said += opened
		// The host that lost its kernel may have written one more since.
		at = strings.Index(opened, "continued at step ")
		var from int
		if _, err := fmt.Sscanf(opened[max(at, 0):], "continued at step %d from", &from); err != nil || from < saved {
			c.wrong("opened it says %q, and there is a checkpoint of step %d", opened, saved)
		}
		if err := l.atLeast(ctx, c, max(saved, crashBegin)); err != nil { // what was known to be kept before is so still
			return err
		}
	}
	return l.compare(ctx, c)
}

// atLeast counts the steps that are missing up to a checkpoint.
func (l *killedNotebook) atLeast(ctx context.Context, c *crash, step int) error {
	now, err := l.status(ctx)
	if err != nil {
		return err
	}
	if c.Lost = max(0, step-now.Step); c.Lost > 0 {
		c.wrong("it was kept at step %d and stands at %d", step, now.Step)
	}
	return nil
}

// compare holds the session against one that makes the same steps without a break: every probability, curve and figure.
func (l *killedNotebook) compare(ctx context.Context, c *crash) error {
	return l.ask(ctx, func(limited context.Context, client *session.Client) error {
		now, err := session.On(client, crashSession).Status(limited)
		if err != nil {
			return err
		}
		lines := []string{openLine("reference") + " replace=true", fmt.Sprintf("step reference %d", crashBegin), "set reference lambda=0.5"}
		if n := now.Step - crashBegin; n > 0 {
			lines = append(lines, fmt.Sprintf("step reference %d", n))
		}
		for _, line := range lines {
			if _, err := l.magic(ctx, "%s", line); err != nil {
				return err
			}
		}
		killed, err := allOf(limited, client, crashSession)
		if err != nil {
			return err
		}
		reference, err := allOf(limited, client, "reference")
		if err != nil {
			return err
		}
		if killed != reference {
			c.wrong("at step %d it differs from a training that nobody killed", now.Step)
		}
		_, err = l.magic(ctx, "close reference")
		return err
	})
}

// allOf is all that can be asked about a session, but for its name.
func allOf(ctx context.Context, client *session.Client, name string) (string, error) {
	m, err := session.On(client, name).Matrix(ctx, session.MatrixRequest{Top: 1000})
	if err != nil {
		return "", err
	}
	h, err := session.On(client, name).History(ctx, session.HistoryRequest{Points: 100_000})
	if err != nil {
		return "", err
	}
	e, err := session.On(client, name).Evaluate(ctx, "train")
	if err != nil {
		return "", err
	}
	m.Session, e.Session = "", ""
	text, err := json.Marshal([]any{m, h.Curves, e})
	return string(text), err
}

// reload closes the page during an activity: what runs goes on, and the next page sees it.
func (l *killedNotebook) reload(ctx context.Context, c *crash, under *cell) error {
	return l.ask(ctx, func(limited context.Context, client *session.Client) error {
		l.kernel.front.Close()
		before, err := session.On(client, crashSession).Status(limited)
		if err != nil {
			return err
		}
		after := before
		for under != nil && after.Step <= before.Step && before.State == session.Running {
			if after, err = session.On(client, crashSession).Status(limited); err != nil {
				return fmt.Errorf("the run does not go on without its page: %w", err)
			}
		}
		if err := l.kernel.meet(ctx); err != nil {
			return err
		}
		for strings.TrimSpace(c.Said) == "" { // a cell that comes before the interrupted one has ended is aborted with it
			if err := l.interrupt(ctx); err != nil {
				return err
			}
			if c.Said, err = l.cell(ctx, "%fsnet status "+crashSession); err != nil {
				return err
			}
		}
		if !strings.Contains(c.Said, crashSession+" ") || strings.Contains(c.Said, "continued at step") {
			c.wrong("the next page sees %q", c.Said)
		}
		if !l.runs("kernel") {
			c.wrong("the kernel has gone with its page: %v", l.processes())
		}
		return l.reopen(ctx, c)
	})
}

// ask talks to the session's process, for as long as answers may take.
func (l *killedNotebook) ask(ctx context.Context, about func(ctx context.Context, client *session.Client) error) error {
	client, err := l.client(ctx)
	if err != nil {
		return err
	}
	defer client.Disconnect()
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	return about(limited, client)
}

func (l *killedNotebook) status(ctx context.Context) (now session.Status, err error) {
	err = l.ask(ctx, func(ctx context.Context, client *session.Client) error {
		now, err = session.On(client, crashSession).Status(ctx)
		return err
	})
	return now, err
}

// kept waits until a step is on the disk.
func (l *killedNotebook) kept(ctx context.Context, step int) error {
	return l.ask(ctx, func(ctx context.Context, client *session.Client) error {
		for {
			now, err := session.On(client, crashSession).Status(ctx)
			if err != nil {
				return fmt.Errorf("step %d is not kept: %w", step, err)
			}
			if now.SavedStep != nil && *now.SavedStep == step {
				return nil
			}
			time.Sleep(2 * time.Millisecond)
		}
	})
}
