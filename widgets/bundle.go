package widgets

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"reflect"
	"strings"

	"fsnetlab/fsnet/errs"
)

const (
	mimeText = "text/plain"
	mimeHTML = "text/html"
	mimePNG  = "image/png"
	mimeSVG  = "image/svg+xml"

	// mostBytes bounds one value: a notebook with much larger outputs can be neither saved nor opened.
	mostBytes = 16_000_000
	// mostJSON bounds it as it is sent, where < has six letters; the kernel takes no more.
	mostJSON = 30_000_000
	// mostText bounds the text that stands for a page of HTML.
	mostText = 10_000
)

// isMIMEType reports whether a name is one such as text/html, with parameters or without. A regular expression would make the linking of
// every cell that shows something, and with it the cell, a tenth slower.
func isMIMEType(name string) bool {
	kind, _, _ := strings.Cut(name, ";")
	family, member, _ := strings.Cut(kind, "/")
	const lower, others = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-"
	return family != "" && strings.Trim(family, lower) == "" && member != "" && strings.Trim(member, lower+others) == ""
}

// bundle gives a value's forms by MIME type, text/plain always among them. A method of the value's that panics is an error.
func bundle(value any) (data map[string]any, err error) {
	defer func() {
		if raised := recover(); raised != nil {
			err = errs.New(errs.Failed, "fix that method, or show something else", "a %T cannot be shown: it panicked with %.200v", value, raised)
		}
	}()
	forms, err := formsOf(value)
	if err != nil {
		return nil, err
	}
	if forms[mimeText] == nil {
		forms[mimeText] = fmt.Sprintf("%v", value)
	}
	size := 0
	for name, form := range forms {
		if !isMIMEType(name) {
			return nil, errs.New(errs.Request, "use one such as text/html", "a %T has a form %.100q, which is not a MIME type", value, name)
		}
		if size += length(form); size > mostBytes {
			return nil, tooLarge(value, size)
		}
		if forms[name], err = encoded(name, form); err != nil {
			return nil, errs.New(errs.Request, "give text, []byte, or what encoding/json takes",
				"the form %s of a %T cannot be written: %v", name, value, err)
		}
	}
	if size > mostJSON/8 {
		if text, err := json.Marshal(forms); err != nil || len(text) > mostJSON {
			return nil, tooLarge(value, len(text))
		}
	}
	return forms, nil
}

func tooLarge(value any, size int) error {
	return errs.New(errs.Request, "make it smaller, or write it to a file", "a %T of %d MB is too large for a notebook, which takes %d MB",
		value, size/1_000_000, mostBytes/1_000_000)
}

// length is how many bytes a form has, as far as that is known before it is written.
func length(form any) int {
	switch v := reflect.ValueOf(form); {
	case !v.IsValid():
		return 0
	case v.Kind() == reflect.String, v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		return v.Len()
	}
	return 0
}

// encoded is a form as JSON has it: bytes are base64, but for those of text and of JSON.
func encoded(name string, form any) (any, error) {
	switch f := form.(type) {
	case string:
		return strings.ToValidUTF8(f, "\uFFFD"), nil
	case json.RawMessage:
		if !json.Valid(f) {
			return nil, fmt.Errorf("it is not JSON")
		}
		return f, nil
	case []byte:
		if strings.HasPrefix(name, "text/") || name == mimeSVG {
			return strings.ToValidUTF8(string(f), "\uFFFD"), nil
		}
		return base64.StdEncoding.EncodeToString(f), nil
	}
	text, err := json.Marshal(form)
	if err == nil && len(text) > mostBytes {
		return nil, fmt.Errorf("it takes %d MB", len(text)/1_000_000)
	}
	return json.RawMessage(text), err
}

// matrix is what gonum's mat.Matrix has of interest.
type matrix interface {
	Dims() (rows, columns int)
	At(row, column int) float64
}

// formsOf is how a value is shown, by its kind.
func formsOf(value any) (map[string]any, error) {
	switch v := value.(type) {
	case Bundler:
		given := v.MimeBundle()
		forms := make(map[string]any, len(given)+1) // which is the value's own
		for name, form := range given {
			forms[name] = form
		}
		return forms, nil
	case PNG:
		return pngForms(v)
	case SVG:
		return map[string]any{mimeSVG: string(v), mimeText: "an SVG drawing"}, nil
	case HTML:
		return map[string]any{mimeHTML: string(v), mimeText: untagged(string(v))}, nil
	case Markdown:
		return map[string]any{"text/markdown": string(v), mimeText: string(v)}, nil
	case VegaLite:
		if !json.Valid(v) {
			return nil, errs.New(errs.Request, "give one JSON object", "the Vega-Lite specification is not JSON")
		}
		return map[string]any{"application/vnd.vegalite.v5+json": json.RawMessage(v), mimeText: "a Vega-Lite chart"}, nil
	case image.Image:
		return imageForms(v)
	case matrix:
		return tableForms(matrixTable(v)), nil
	}
	if forms, ok, err := plotForms(value); ok || err != nil {
		return forms, err
	}
	if t, ok := structTable(value); ok {
		return tableForms(t), nil
	}
	return map[string]any{mimeText: plainly(value)}, nil
}

// plainly is a value in words: what it says of itself, or its parts with their names.
func plainly(value any) string {
	switch value.(type) {
	case error, fmt.Stringer, string:
		return fmt.Sprint(value)
	}
	return fmt.Sprintf("%+v", value)
}

// untagged is the text of HTML.
func untagged(markup string) string {
	var text strings.Builder
	for markup != "" && text.Len() < mostText {
		before, rest, tagged := strings.Cut(markup, "<")
		text.WriteString(before[:min(len(before), mostText)])
		if markup = ""; tagged {
			_, markup, _ = strings.Cut(rest, ">")
		}
	}
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&nbsp;", " ", "&amp;", "&").Replace(text.String())
}
