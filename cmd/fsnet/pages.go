package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// newPagesCommand returns the hidden command fsnet pages. With --share it
// writes man pages and shell completion, and with --reference the page of
// commands. install.sh calls it.
func newPagesCommand() *cobra.Command {
	var share, reference string
	c := &cobra.Command{
		Use:    "pages",
		Short:  "Write man pages, shell completion and the page of commands (install.sh calls it)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var pages map[string]func(io.Writer) error
			root := c.Root()
			root.InitDefaultCompletionCmd()
			root.InitDefaultHelpCmd()
			switch {
			case share != "":
				pages = sharedPages(root)
			case reference != "":
				share = reference
				pages = map[string]func(io.Writer) error{"commands.md": func(w io.Writer) error { return commandPage(w, root) }}
			default:
				return errs.New(errs.Request, "give --share or --reference", "no directory to write to")
			}
			for name, page := range pages {
				if err := writePage(filepath.Join(share, name), page); err != nil {
					return errs.Wrap(err, errs.Failed, "make the directory writable, or name another one", "the pages cannot be written")
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&share, "share", "", "write man pages and completion below this `DIRECTORY`, as they lie in a prefix's share")
	c.Flags().StringVar(&reference, "reference", "", "write the Markdown of the commands into this `DIRECTORY`")
	return c
}

// writePage writes a page to a file, and creates the directory if necessary. If
// page fails, it writes nothing.
func writePage(path string, page func(io.Writer) error) error {
	var text bytes.Buffer
	if err := page(&text); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

// sharedPages returns, by path, what shells and man look for in a prefix's
// share.
func sharedPages(root *cobra.Command) map[string]func(io.Writer) error {
	pages := map[string]func(io.Writer) error{
		"bash-completion/completions/fsnet":    func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh/site-functions/_fsnet":            root.GenZshCompletion,
		"fish/vendor_completions.d/fsnet.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
	}
	for _, c := range commands(root) {
		c.DisableAutoGenTag = true
		pages["man/man1/"+strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"] = func(w io.Writer) error {
			// Without a date, cobra would use today's. The pages of a version
			// must not change from day to day.
			header := &doc.GenManHeader{Section: "1", Source: "fsnet " + system.Version(), Manual: "FsNet Lab", Date: &time.Time{}}
			return doc.GenMan(c, header, w)
		}
	}
	return pages
}

// commands lists a command and the visible commands below it, parents first.
func commands(c *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			list = slices.Concat(list, commands(sub))
		}
	}
	return list
}

// commandPage writes one page from cobra's page of each command.
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
