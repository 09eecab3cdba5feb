package about

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"fsnetlab/fsnet/config"
	"fsnetlab/kernel/magic"
)

// references are the pages that the documentation has from the code, by name.
func references(root *cobra.Command) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{
		"commands.md": func(w io.Writer) error { return commandPage(w, root) },
		"keys.md":     keyPage,
		"verbs.md":    func(w io.Writer) error { _, err := io.WriteString(w, magic.Reference()); return err },
	}
}

// commandPage joins the pages that cobra has for each command.
func commandPage(w io.Writer, root *cobra.Command) error {
	var all bytes.Buffer
	all.WriteString("# Commands\n\n")
	for _, c := range commands(root) {
		c.DisableAutoGenTag = true
		link := func(file string) string {
			return "#" + strings.ReplaceAll(strings.TrimSuffix(file, ".md"), "_", "-")
		}
		if err := doc.GenMarkdownCustom(c, &all, link); err != nil {
			return err
		}
		all.WriteString("\n")
	}
	_, err := w.Write(all.Bytes())
	return err
}

// keyPage is a table of the keys.
func keyPage(w io.Writer) error {
	var page strings.Builder
	page.WriteString("# Keys\n\nThe same word in Go, in `%fsnet` lines, on the command line and on the wire. A live key may change at any " +
		"step.\n\n")
	page.WriteString("| key | symbol | meaning | values | default | with protocol=paper | live |\n|---|---|---|---|---|---|---|\n")
	for _, key := range config.Keys() {
		live := ""
		if key.Live {
			live = "yes"
		}
		cells := []string{"`" + key.Name + "`", key.Symbol, key.Meaning, key.Accepted(), key.Default(config.FsNet),
			key.Default(config.Paper), live}
		for i, cell := range cells {
			cells[i] = escape(cell)
		}
		fmt.Fprintf(&page, "| %s |\n", strings.Join(cells, " | "))
	}
	_, err := io.WriteString(w, page.String())
	return err
}

// escape keeps Markdown from taking a cell for a border of the table or for HTML.
func escape(cell string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(cell)
}
