package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/printer"
	"regexp"
	"strings"
)

var output = regexp.MustCompile(`(?i)\n[ \t]*//[ \t]*(unordered )?output:`)

// examples are shown folded, each with what it prints.
func (w *writer) examples(list []*doc.Example) {
	for _, e := range list {
		title := "Example"
		if e.Suffix != "" {
			title += ": " + strings.ReplaceAll(e.Suffix, "_", " ")
		}
		code, err := w.source(e)
		if err != nil && w.err == nil {
			w.err = err
		}
		var folded strings.Builder
		folded.WriteString(w.text(e.Doc, 5))
		fmt.Fprintf(&folded, "```go\n%s\n```\n", code)
		if e.Output != "" {
			fmt.Fprintf(&folded, "\nIt prints:\n\n```text\n%s\n```\n", strings.TrimRight(e.Output, "\n"))
		}
		fmt.Fprintf(w, "??? example \"%s\"\n\n%s\n", title, indented(folded.String()))
	}
}

// source is the code of an example without the braces around it and the comment that says what it prints.
func (w *writer) source(e *doc.Example) (string, error) {
	var text bytes.Buffer
	if err := format.Node(&text, w.files, &printer.CommentedNode{Node: e.Code, Comments: e.Comments}); err != nil {
		return "", err
	}
	code := text.String()
	if _, body := e.Code.(*ast.BlockStmt); body {
		code = strings.TrimSuffix(strings.TrimPrefix(code, "{"), "}")
		if at := output.FindStringIndex(code); at != nil && e.Output != "" {
			code = code[:at[0]]
		}
		code = strings.ReplaceAll(code, "\n\t", "\n")
	}
	return strings.Trim(code, "\n "), nil
}

func indented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			line = "    " + line
		}
		out.WriteString(line)
	}
	return out.String()
}
