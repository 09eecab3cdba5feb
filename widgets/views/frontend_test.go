package views

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fsnetlab/widgets/chart/spec"
)

// Every file here is loaded: each module is common, a view, or a library of
// one.
func TestFrontend_EveryModuleIsLoaded(t *testing.T) {
	loaded := []string{"common.js"}
	for view, libraries := range librariesOf() {
		for _, name := range append(libraries, view) {
			loaded = append(loaded, name+".js")
		}
	}
	there, err := fs.Glob(files, "frontend/*.js")
	for i, path := range there {
		there[i] = strings.TrimPrefix(path, "frontend/")
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(loaded)
	if loaded = slices.Compact(loaded); !slices.Equal(loaded, there) {
		t.Errorf("the views load %v, and there are %v", loaded, there)
	}
}

// sheets are the views and libraries that have a sheet of their own.
func sheets(t *testing.T) []string {
	t.Helper()
	found, err := fs.Glob(files, "frontend/*.css")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, sheet := range found {
		if name := strings.TrimSuffix(strings.TrimPrefix(sheet, "frontend/"), ".css"); name != "common" {
			names = append(names, name)
		}
	}
	if len(names) < 4 {
		t.Fatalf("views are %v", names)
	}
	return names
}

// No sheet ends the rule that is put around it, so that no rule of a view
// reaches another view, whatever else is on the page. Only the theme's mark on
// the body may precede the view's root.
func TestFrontend_RulesStayInTheirView(t *testing.T) {
	comment, before := regexp.MustCompile(`(?s)/\*.*?\*/`), regexp.MustCompile(`[^\s{},;&][^{},;&]*&`)
	for name := range librariesOf() { // with the sheets of its libraries
		module := module(name)
		root := "fsnet-" + name
		if module.Name != root || !strings.Contains(source(name+".js"), `class: "`+root+`"`) {
			t.Errorf("%s: the module is %s, and its root has not the class %s", name, module.Name, root)
		}
		css, depth := strings.TrimSpace(comment.ReplaceAllString(module.CSS, "")), 0
		for at, sign := range css {
			if sign == '{' {
				depth++
			}
			if sign == '}' {
				depth--
			}
			if ended := at == len(css)-1; (depth == 0) != ended && strings.ContainsRune("{}", sign) || !strings.HasPrefix(css, "."+root+" {") {
				t.Fatalf("%s: the rule of its root ends before %.60q", name, css[at+1:])
			}
		}
		for _, outside := range before.FindAllString(css, -1) {
			if !strings.HasPrefix(outside, "body[") {
				t.Errorf("%s: %q reaches beyond the view", name, outside)
			}
		}
	}
}

// A class is in one sheet only, so that it has one meaning, and the JavaScript
// uses it.
func TestFrontend_ClassesHaveOneMeaning(t *testing.T) {
	sheet, class, word := map[string]string{}, regexp.MustCompile(`\.((?:fsnet|u)-[\w-]*|uplot)`), regexp.MustCompile(`[\w-]+`)
	for _, name := range append(sheets(t), "common") {
		code := source("common.js")
		for view, libraries := range librariesOf() {
			if name == view || name == "common" || slices.Contains(libraries, name) {
				code += module(view).ESM
			}
		}
		words := map[string]bool{}
		for _, w := range word.FindAllString(code, -1) {
			words[w] = true
		}
		for _, match := range class.FindAllStringSubmatch(source(name+".css"), -1) {
			class := match[1]
			if other := sheet[class]; other != "" && other != name {
				t.Errorf(".%s stands in %s.css and in %s.css", class, other, name)
			}
			sheet[class] = name
			if !words[class] {
				t.Errorf("%s.css: nothing has the class %s", name, class)
			}
		}
	}
}

// The page's colours are those of the pictures.
func TestFrontend_PaletteMatchesPictures(t *testing.T) {
	var list []string
	for i := range 10 {
		list = append(list, `"`+spec.Category(i).CSS()+`"`)
	}
	if want := "const palette = [" + strings.Join(list, ", ") + "];"; !strings.Contains(source("common.js"), want) {
		t.Errorf("common.js has no %s", want)
	}
}
