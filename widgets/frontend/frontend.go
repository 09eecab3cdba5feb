// Package frontend is the browser's half of the live views: plain ES modules, one for each view, run by the extension anywidget. Go puts
// them together as text, so there is nothing to build, and what is read here is what runs.
//
// # Basics
//
//	view := ipywidgets.NewModel(m, module, state) // module from frontend.Module("panel")
//
// NAME.js has a default export with render({model, el}), which puts an element of the class fsnet-NAME into el: the view's root. NAME.css
// is its style sheet. common.js comes before every module: it gives them the object fsnet, with the theme's colours, numbers as text and
// safe text. libraries.json names what else comes before each, in this order: libraries, which may have a sheet of their own.
//
// Every sheet of a page applies to the whole page. So common.css and NAME.css are put inside one rule for the view's root (CSS nesting):
// their selectors reach what is in the root, & is the root itself. A library's sheet is put inside a rule for its own root in there.
//
// # Caveats
//
// Modules make no network request, put data into the page as text and never as HTML, and follow JupyterLab's light and dark theme. They
// are tested in a browser, not here.
package frontend

import (
	"embed"
	"encoding/json"
	"fmt"

	"fsnetlab/widgets/ipywidgets"
)

//go:embed *.js *.css libraries.json
var files embed.FS

// Module is the view's module with the libraries that it needs. It panics where there is no such view: names are written in this program.
func Module(name string) ipywidgets.Module {
	libraries, there := views()[name]
	if !there {
		panic(fmt.Sprintf("frontend: libraries.json has no view %q", name))
	}
	code, css := text("common.js"), text("common.css")+text(name+".css")
	for _, library := range libraries {
		code += "\n" + text(library+".js")
		if sheet, err := files.ReadFile(library + ".css"); err == nil {
			css += fmt.Sprintf(".fsnet-%s {\n%s}\n", library, sheet)
		}
	}
	root := "fsnet-" + name
	css = fmt.Sprintf(".%s {\n%s}\n", root, css)
	return ipywidgets.Module{Name: root, ESM: code + "\n" + text(name+".js"), CSS: css}
}

// views are the libraries of each view.
func views() map[string][]string {
	var libraries map[string][]string
	if err := json.Unmarshal([]byte(text("libraries.json")), &libraries); err != nil {
		panic(fmt.Sprintf("frontend: libraries.json: %v", err))
	}
	return libraries
}

func text(name string) string {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("frontend: %v", err))
	}
	return string(content)
}
