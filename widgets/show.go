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

// PNG is a PNG file, for [Show].
type PNG []byte

// SVG is an SVG drawing, for [Show].
type SVG string

// HTML is markup for a page, for [Show]. Its scripts run only in trusted
// notebooks.
type HTML string

// Markdown is text with formulas, tables and headings, for [Show].
type Markdown string

// VegaLite is a Vega-Lite v5 specification that contains its data, for [Show].
type VegaLite json.RawMessage

// Bundler is implemented by values that know how to be shown. MimeBundle
// returns the value's forms by MIME type: text and JSON as strings or as
// anything that encoding/json accepts, and pictures as []byte. If it returns no
// text/plain, which every front end can show, the value's %v is used.
type Bundler interface {
	MimeBundle() map[string]any
}

// Show shows values below the cell, one after the other: [PNG], [SVG], [HTML],
// [Markdown], [VegaLite], an image.Image, a gonum/plot, a matrix (anything with
// Dims and At), a slice of structs as a table, a [Bundler], an answer of a
// session as its %fsnet verb shows it, and anything else as fmt prints it.
// Outside a notebook it prints text. If a value can't be shown, Show ends the
// cell with one line that says why.
//
// Values appear in the order in which they are shown. Their order relative to
// what the cell prints is undefined, because printed text reaches the notebook
// in a different way.
func Show(values ...any) {
	for _, v := range values {
		session.ExitOn(display(os.Stdout, "", v))
	}
}

// Display is [Show] in a named place. The first call in a cell shows the value
// below the cell. Later calls with that name replace the value, even below
// earlier cells. Updates that come too soon after each other may be skipped,
// but the last one is always shown.
func Display(id string, value any) { session.ExitOn(display(os.Stdout, id, value)) }

// viewOf returns the view in which the %fsnet verb shows an answer of a
// session. It returns "" for other values.
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

// display shows a value below the cell, in the place named id unless that is
// "". Outside a notebook it prints the value's text to terminal.
func display(terminal io.Writer, id string, value any) (err error) {
	request := session.ShowRequest{ID: id}
	notebook := os.Getenv(session.SocketVariable) != ""
	if view := viewOf(value); view != "" && notebook {
		request.View = view
		if request.Value, err = json.Marshal(value); err != nil {
			return errs.Wrap(err, errs.Request, "numbers must be finite", "a %T cannot be shown", value)
		}
	} else if request.Data, err = bundle(value); err != nil {
		return err
	}

	if !notebook {
		text, _ := request.Data[mimeText].(string)
		_, err = fmt.Fprintln(terminal, strings.TrimRight(text, "\n"))
		return err
	}

	_, err = session.Ask(context.Background(), session.VerbShow, request)
	return err
}

// Ask asks the user of the notebook for a line and waits for it. If the front
// end can't ask, or the cell is interrupted during the wait, it prints one line
// and ends the cell.
func Ask(prompt string) string { return ask(prompt, false) }

// AskSecretly is [Ask] for a line that isn't shown while it is typed.
func AskSecretly(prompt string) string { return ask(prompt, true) }

// ask asks the user for a line, hidden if secret is set. If it gets no line, it
// ends the cell.
func ask(prompt string, secret bool) string {
	line, err := session.Ask(context.Background(), session.VerbInput, session.InputRequest{Prompt: prompt, Password: secret})
	session.ExitOn(err)
	return line
}
