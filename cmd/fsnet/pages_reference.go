package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

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
