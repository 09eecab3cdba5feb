package views

import (
	"embed"
	"encoding/json"
	"fmt"

	"fsnetlab/widgets/ipywidgets"
)

//go:embed frontend
var files embed.FS

// module returns a view's module with its libraries. See doc.go. It panics for
// an unknown name.
func module(name string) ipywidgets.Module {
	libraries, there := librariesOf()[name]
	if !there {
		panic(fmt.Sprintf("frontend: libraries.json has no view %q", name))
	}
	code, css := source("common.js"), source("common.css")+source(name+".css")
	for _, library := range libraries {
		code += "\n" + source(library+".js")
		if sheet, err := files.ReadFile("frontend/" + library + ".css"); err == nil {
			css += fmt.Sprintf(".fsnet-%s {\n%s}\n", library, sheet)
		}
	}
	root := "fsnet-" + name
	css = fmt.Sprintf(".%s {\n%s}\n", root, css)
	return ipywidgets.Module{Name: root, ESM: code + "\n" + source(name+".js"), CSS: css}
}

// librariesOf returns the libraries of each view, in order. It panics if
// libraries.json can't be read.
func librariesOf() map[string][]string {
	var libraries map[string][]string
	if err := json.Unmarshal([]byte(source("libraries.json")), &libraries); err != nil {
		panic(fmt.Sprintf("frontend: libraries.json: %v", err))
	}
	return libraries
}

// source returns a file of the front end. It panics for an unknown name,
// because the files are compiled in.
func source(name string) string {
	content, err := files.ReadFile("frontend/" + name)
	if err != nil {
		panic(fmt.Sprintf("frontend: %v", err))
	}
	return string(content)
}
