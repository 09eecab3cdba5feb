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
	content func() ([]byte, error)
}

func (p Picture) forms() []form {
	ready := func(content []byte) func() ([]byte, error) { return func() ([]byte, error) { return content, nil } }
	return []form{ // an ending that is the end of another comes after it
		{".dark.png", p.dark}, {".png", ready(p.PNG)}, {".svg", ready(p.SVG())}, {".html", ready([]byte(p.HTML))}, {".json", ready(p.VegaLite)},
		{".txt", ready([]byte(p.Text))},
	}
}

// dark is the PNG for dark paper.
func (p Picture) dark() ([]byte, error) {
	if p.scene == nil {
		return nil, nil
	}
	return p.scene.Dark().PNG()
}

// Forms are the endings of files that a picture may be saved in.
func Forms() string { return ".png, .dark.png, .svg, .html, .json (Vega-Lite) or .txt" }

// As is the picture in the form that a file's name asks for. The error is of kind Request where its ending is none of [Forms], or where the
// picture does not have that form.
func (p Picture) As(file string) ([]byte, error) {
	forms := p.forms()
	at := slices.IndexFunc(forms, func(f form) bool { return strings.HasSuffix(strings.ToLower(file), f.ending) })
	if at < 0 {
		return nil, fault.New(fault.Request, "end its name in "+Forms(), "%s does not say which form the picture should have", file)
	}
	content, err := forms[at].content()
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "", "the picture cannot be written")
	}
	if len(content) > 0 {
		return content, nil
	}
	var others []string
	for _, f := range forms {
		if content, err := f.content(); err == nil && len(content) > 0 {
			others = append(others, f.ending)
		}
	}
	return nil, fault.New(fault.Request, "choose "+strings.Join(others, " or "), "this has no %s form", filepath.Ext(file))
}
