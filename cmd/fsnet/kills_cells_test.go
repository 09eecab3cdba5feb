package main

import (
	"context"
	"fmt"
	"strings"

	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
)

// cell is one that was sent.
type cell struct{ *fronttest.Exchange }

func (l *killedNotebook) send(code string) (*cell, error) {
	e, err := l.kernel.front.Start("execute_request", jupyter.ExecuteRequest{Code: code, StoreHistory: true, StopOnError: true})
	return &cell{e}, err
}

// until waits for the first message of a type under a cell.
func (c *cell) until(ctx context.Context, messageType string) error {
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	return c.Until(limited, func(m jupyter.Message) bool { return m.Header.Type == messageType || m.Header.Type == "error" })
}

// finish waits for the end of a cell and gives all that it shows.
func (c *cell) finish(ctx context.Context) (string, error) {
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	answer, err := c.Wait(limited)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, m := range answer.Published {
		var content struct {
			Text  string         `json:"text"`
			Data  map[string]any `json:"data"`
			Value string         `json:"evalue"`
		}
		if m.Decode(&content) == nil {
			plain, _ := content.Data["text/plain"].(string)
			text.WriteString(content.Text + plain + content.Value + "\n")
		}
	}
	return text.String(), nil
}

// cell runs a cell and gives all that it shows, an error included.
func (l *killedNotebook) cell(ctx context.Context, code string) (string, error) {
	c, err := l.send(code)
	if err != nil {
		return "", err
	}
	return c.finish(ctx)
}

// magic runs a %fsnet line that must not fail.
func (l *killedNotebook) magic(ctx context.Context, format string, args ...any) (string, error) {
	line := fmt.Sprintf(format, args...)
	c, err := l.send("%fsnet " + line)
	if err != nil {
		return "", err
	}
	text, err := c.finish(ctx)
	if err != nil {
		return "", err
	}
	var reply jupyter.ErrorReply
	if err := c.Now().Reply.Decode(&reply); err != nil {
		return "", err
	}
	if reply.Status != "ok" {
		return "", fmt.Errorf("%s: %s", line, reply.Value)
	}
	return text, nil
}

func (l *killedNotebook) interrupt(ctx context.Context) error {
	e, err := l.kernel.front.StartControl("interrupt_request", nil)
	if err != nil {
		return err
	}
	_, err = (&cell{e}).finish(ctx)
	return err
}

// complete asks for a completion of Go code, which needs gopls.
func (l *killedNotebook) complete(ctx context.Context) error {
	const code = "%%\nfmt.Prin"
	return ask(ctx, l.kernel.front, "complete_request", jupyter.CompleteRequest{Code: code, CursorPos: len(code)})
}

// declare gives the cells their handle, as the first cell of a notebook does.
func (l *killedNotebook) declare(ctx context.Context) error {
	if !l.golang {
		return nil
	}
	return ask(ctx, l.kernel.front, "execute_request",
		jupyter.ExecuteRequest{Code: "var s = session.Use(\"" + crashSession + "\", session.Config{})\n%%\n"})
}
