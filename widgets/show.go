package widgets

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// PNG is a picture, as a file has it, for [Show].
type PNG []byte

// SVG is a drawing, for [Show].
type SVG string

// HTML is shown as far as the notebook trusts it: scripts run in a trusted notebook alone.
type HTML string

// Markdown is text with formulas, tables and headings, for [Show].
type Markdown string

// VegaLite is a Vega-Lite v5 specification with its data inside, for [Show].
type VegaLite json.RawMessage

// Bundler is a value that says itself how it is shown: forms by MIME type. Text and JSON are given as strings or as what encoding/json
// takes, bytes of a picture as []byte. It should have text/plain, which everybody can show; without it the value's %v stands there.
type Bundler interface {
	MimeBundle() map[string]any
}

// Show shows values below the cell, one after the other: [PNG], [SVG], [HTML], [Markdown], [VegaLite], an image.Image, a gonum/plot, a
// matrix (anything with Dims and At), a slice of structs as a table, a [Bundler], what a session answers as its %fsnet verb shows it, and
// anything else as fmt prints it. Outside a notebook it
// prints text. What cannot be shown ends the cell with one line that says why.
//
// Values appear in the order in which they are shown. Between them and what the cell prints there is no order, since that takes another
// way to the notebook.
func Show(values ...any) {
	for _, v := range values {
		finish(show(os.Stdout, "", v))
	}
}

// Display is Show in a place that has a name: the first call in a cell shows the value below it, every further one with that name takes
// the place of what was shown, also that of earlier cells. Updates that follow closely are passed over; the last one is always shown.
func Display(id string, value any) { finish(show(os.Stdout, id, value)) }

// finish ends the cell where something went wrong, as the Must verbs of a session do.
func finish(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, strings.Join(strings.Fields(err.Error()), " "))
	if errs.Is(err, errs.Interrupted) {
		os.Exit(130)
	}
	os.Exit(1)
}

// shown is what the kernel is asked to show.
type shown struct {
	Data     map[string]any `json:"data"`
	Metadata map[string]any `json:"metadata,omitempty"`
	ID       string         `json:"id,omitempty"`
	View     string         `json:"view,omitempty"`  // that the kernel draws of the value; "": Data is what it looks like
	Value    any            `json:"value,omitempty"` // what a session answered
}

// viewOf names the view in which the %fsnet verb shows what a session answered; "" for other values.
func viewOf(value any) string {
	switch value.(type) {
	case session.Status:
		return "status"
	case session.Selection:
		return "selection"
	case session.Matrix:
		return "matrix"
	case session.Feature:
		return "feature"
	case session.Rows:
		return "heatmap"
	case session.History:
		return "curves"
	case session.Evaluation:
		return "evaluation"
	}
	return ""
}

// show shows one value below the cell, or prints its text where there is no notebook.
func show(terminal io.Writer, id string, value any) error {
	view := viewOf(value)
	if view != "" && os.Getenv(session.SocketVariable) != "" {
		return session.Ask(context.Background(), "show", shown{View: view, Value: value, ID: id}, nil)
	}
	data, err := bundle(value)
	if err != nil {
		return err
	}
	if os.Getenv(session.SocketVariable) == "" {
		text, _ := data[mimeText].(string)
		_, err := fmt.Fprintln(terminal, strings.TrimRight(text, "\n"))
		return err
	}
	return session.Ask(context.Background(), "show", shown{Data: data, ID: id}, nil)
}

// Ask asks the user of the notebook for a line, behind a prompt, and waits for it. Where the front end cannot ask, or the cell is
// interrupted meanwhile, it prints one line and ends the cell.
func Ask(prompt string) string { return ask(prompt, false) }

// AskSecretly is Ask for what must not be seen while it is typed.
func AskSecretly(prompt string) string { return ask(prompt, true) }

func ask(prompt string, secret bool) (line string) {
	finish(session.Ask(context.Background(), "input", map[string]any{"prompt": prompt, "password": secret}, &line))
	return line
}
