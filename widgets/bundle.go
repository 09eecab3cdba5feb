package widgets

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"maps"
	"reflect"
	"strings"

	"fsnetlab/fsnet/errs"
)

const (
	mimeText = "text/plain"
	mimeHTML = "text/html"
	mimePNG  = "image/png"
	mimeSVG  = "image/svg+xml"

	// maxBytes bounds one value, because you can neither save nor open a
	// notebook with much larger outputs.
	maxBytes = 16_000_000
	// maxJSON bounds the encoding of a value, in which < takes six letters. The
	// kernel accepts no more.
	maxJSON = 30_000_000
	// maxText bounds the text/plain of HTML, and of a value that fmt prints.
	maxText = 10_000
)

// isMIMEType reports whether a name has the form of text/html, with or without
// parameters. With a regular expression, every cell that shows something would
// take a tenth longer to link.
func isMIMEType(name string) bool {
	kind, _, _ := strings.Cut(name, ";")
	family, member, _ := strings.Cut(kind, "/")
	const lower, others = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-"
	return family != "" && strings.Trim(family, lower) == "" && member != "" && strings.Trim(member, lower+others) == ""
}

// bundle returns a value's forms by MIME type. They always include text/plain.
// If a method of the value panics, bundle returns an error.
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
		forms[mimeText] = cut(fmt.Sprintf("%v", value))
	}

	size := 0
	for name, form := range forms {
		if !isMIMEType(name) {
			return nil, errs.New(errs.Request, "use one such as text/html", "a %T has a form %.100q, which is not a MIME type", value, name)
		}

		if size += length(form); size > maxBytes {
			return nil, tooLarge(value, size)
		}

		if forms[name], err = encodeForm(name, form); err != nil {
			return nil, errs.New(errs.Request, "give text, []byte, or what encoding/json takes",
				"the form %s of a %T cannot be written: %v", name, value, err)
		}
	}

	if size > maxJSON/8 {
		if text, err := json.Marshal(forms); err != nil || len(text) > maxJSON {
			return nil, tooLarge(value, len(text))
		}
	}

	return forms, nil
}

func tooLarge(value any, size int) error {
	return errs.New(errs.Request, "make it smaller, or write it to a file", "a %T of %d MB is too large for a notebook, which takes %d MB",
		value, size/1_000_000, maxBytes/1_000_000)
}

// length returns the number of bytes of a form. It returns 0 if the number is
// unknown before the form is encoded.
func length(form any) int {
	switch v := reflect.ValueOf(form); {
	case !v.IsValid():
		return 0
	case v.Kind() == reflect.String, v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		return v.Len()
	}
	return 0
}

// encodeForm returns a form as JSON has it. Strings stay, JSON stays as it is,
// and bytes become base64, except text and SVG. encoding/json writes anything
// else. The error doesn't name the form.
func encodeForm(name string, form any) (any, error) {
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
	if err == nil && len(text) > maxBytes {
		return nil, fmt.Errorf("it takes %d MB", len(text)/1_000_000)
	}
	return json.RawMessage(text), err
}

// matrix is the interface of gonum's matrices.
type matrix interface {
	Dims() (rows, columns int)
	At(row, column int) float64
}

// formsOf returns a value's forms by MIME type, unencoded and perhaps without
// text/plain.
func formsOf(value any) (map[string]any, error) {
	switch v := value.(type) {
	case Bundler:
		forms := map[string]any{} // a copy, because bundle changes it
		maps.Copy(forms, v.MimeBundle())
		return forms, nil
	case PNG:
		return pngForms(v)
	case SVG:
		return map[string]any{mimeSVG: string(v), mimeText: "an SVG drawing"}, nil
	case HTML:
		return map[string]any{mimeHTML: string(v), mimeText: htmlText(string(v))}, nil
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

	text := cut(plainText(value))
	if list := reflect.ValueOf(value); len(text) > maxText {
		switch list.Kind() {
		case reflect.Slice, reflect.Array, reflect.Map:
			text += fmt.Sprintf(", of the %d elements of a %T", list.Len(), value)
		}
	}

	return map[string]any{mimeText: text}, nil
}

// cut returns the first maxText bytes of a text. If the text is longer, it adds
// how many bytes there are.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + fmt.Sprintf(" …\nthese are the first %d of %d bytes", maxText, len(text))
}

// plainText returns a value as fmt prints it, with the names of fields.
func plainText(value any) string {
	switch value.(type) {
	case error, fmt.Stringer, string:
		return fmt.Sprint(value)
	}
	return fmt.Sprintf("%+v", value)
}

// htmlText returns the text of HTML without tags. It returns at most 2·maxText
// bytes, counted before entities are replaced.
func htmlText(markup string) string {
	var text strings.Builder
	for markup != "" && text.Len() < maxText {
		before, rest, tagged := strings.Cut(markup, "<")
		text.WriteString(before[:min(len(before), maxText)])
		if markup = ""; tagged {
			_, markup, _ = strings.Cut(rest, ">")
		}
	}
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&nbsp;", " ", "&amp;", "&").Replace(text.String())
}
