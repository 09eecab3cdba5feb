package magic

import (
	"fmt"
	"strings"
)

// Reference is the page of the documentation that lists the verbs with their options, as Markdown.
func Reference() string {
	var page strings.Builder
	page.WriteString("# Verbs\n\n`%fsnet VERB [SESSION] [key=value …]` in a notebook, the same without `%fsnet` in `fsnet repl`. " +
		"The last session used is the default.\n")
	for _, v := range verbs() {
		fmt.Fprintf(&page, "\n## %s\n\n```\n%%fsnet %s\n```\n\n%s\n", v.name, v.line(), sentence(v.about))
		if len(v.options) > 0 {
			page.WriteString("\n")
		}
		for _, o := range v.options {
			name, about, _ := strings.Cut(o.String(), ": ")
			fmt.Fprintf(&page, "- `%s`: %s\n", name, strings.ReplaceAll(about, "\n", "; "))
		}
	}
	return page.String()
}

// sentence is what a verb is about, begun and ended as one.
func sentence(about string) string {
	text := strings.NewReplacer("<", "&lt;", "*", `\*`).Replace(about)
	first := []rune(text)
	return strings.ToUpper(string(first[:1])) + string(first[1:]) + "."
}
