package chart

import (
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
)

// form is one in which a picture can be saved; without content it does not have it.
type form struct {
	ending  string
	content []byte
}

func (p Picture) forms() []form {
	return []form{{".png", p.PNG}, {".svg", p.SVG()}, {".html", []byte(p.HTML)}, {".json", p.VegaLite}, {".txt", []byte(p.Text)}}
}

// Forms are the endings of files that a picture may be saved in.
func Forms() string { return ".png, .svg, .html, .json (Vega-Lite) or .txt" }

// As is the picture in the form that a file's name asks for. The error is of kind Request where its ending is none of [Forms], or where the
// picture does not have that form.
func (p Picture) As(file string) ([]byte, error) {
	forms := p.forms()
	at := slices.IndexFunc(forms, func(f form) bool { return strings.HasSuffix(strings.ToLower(file), f.ending) })
	if at < 0 {
		return nil, fault.New(fault.Request, "end its name in "+Forms(), "%s does not say which form the picture should have", file)
	}
	if len(forms[at].content) > 0 {
		return forms[at].content, nil
	}
	var others []string
	for _, f := range forms {
		if len(f.content) > 0 {
			others = append(others, f.ending)
		}
	}
	return nil, fault.New(fault.Request, "choose "+strings.Join(others, " or "), "this has no %s form", filepath.Ext(file))
}
