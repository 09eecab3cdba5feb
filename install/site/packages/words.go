package main

import (
	"go/doc"
	"go/doc/comment"
	"go/format"
	"path/filepath"
	"strings"
)

// text is a comment as Markdown, whose headings are of a level.
func (w *writer) text(words string, level int) string {
	parsed := w.Parser().Parse(words)
	w.resolve(parsed.Content)
	printer := w.Printer()
	printer.HeadingLevel = level
	printer.HeadingID = func(*comment.Heading) string { return "" } // MkDocs makes one
	printer.DocLinkURL = w.address
	text := string(printer.Markdown(parsed))
	return fenced(text) + "\n"
}

// resolve makes plain words of the links that would lead nowhere: to packages of this module that have no page, and to names that a page
// does not have.
func (w *writer) resolve(blocks []comment.Block) {
	for _, block := range blocks {
		switch b := block.(type) {
		case *comment.Paragraph:
			b.Text = w.resolved(b.Text)
		case *comment.Heading:
			b.Text = w.resolved(b.Text)
		case *comment.List:
			for _, item := range b.Items {
				w.resolve(item.Content)
			}
		}
	}
}

func (w *writer) resolved(words []comment.Text) (list []comment.Text) {
	for _, word := range words {
		if link, ok := word.(*comment.DocLink); ok && w.address(link) == "" {
			list = append(list, link.Text...)
			continue
		}
		list = append(list, word)
	}
	return list
}

// address is where a name is explained, "" if nowhere.
func (w *writer) address(link *comment.DocLink) string {
	anchor := link.Name
	if link.Recv != "" {
		anchor = link.Recv + "." + link.Name
	}
	path := link.ImportPath
	if path == "" {
		path = w.ImportPath
	}
	p := w.packages[path]
	switch {
	case p == nil && (path == w.path || strings.HasPrefix(path, w.path+"/")):
		return ""
	case p == nil:
		return link.DefaultURL("https://pkg.go.dev")
	case anchor != "" && !p.symbols[anchor]:
		return ""
	case anchor != "":
		anchor = "#" + anchor
	}
	if p == w.goPackage && anchor != "" {
		return anchor
	}
	page, err := filepath.Rel(filepath.Dir(w.name), strings.TrimPrefix(path, w.path+"/")+".md")
	if err != nil {
		return ""
	}
	return filepath.ToSlash(page) + anchor
}

// sentence is the first one of a comment, as a cell of a table.
func (m *module) sentence(p *doc.Package, words string) string {
	return strings.ReplaceAll(markdown(p.Synopsis(words)), "|", `\|`)
}

// markdown keeps Markdown from taking a text for more than its words.
func markdown(text string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", "`", "\\`").Replace(text)
}

// fenced puts fences around indented code, which a list before it would swallow.
func fenced(text string) string {
	var out, code strings.Builder
	blank := ""
	end := func() {
		if code.Len() == 0 {
			return
		}
		language := "text"
		if _, err := format.Source([]byte(code.String())); err == nil {
			language = "go"
		}
		out.WriteString("```" + language + "\n" + code.String() + "```\n")
		code.Reset()
	}
	for line := range strings.Lines(text) {
		inside, indented := strings.CutPrefix(line, "\t")
		switch {
		case strings.TrimSpace(line) == "":
			blank += line
			continue
		case indented && code.Len() > 0:
			code.WriteString(blank + inside)
		case indented:
			out.WriteString(blank)
			code.WriteString(inside)
		default:
			end()
			out.WriteString(blank + strings.ReplaceAll(line, `\<`, "&lt;")) // MkDocs' Markdown does not escape it
		}
		blank = ""
	}
	end()
	return out.String() + blank
}
