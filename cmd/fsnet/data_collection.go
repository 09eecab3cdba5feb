package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// collectionCommands are list, get and verify.
func collectionCommands() []*cobra.Command {
	return []*cobra.Command{newDataListCommand(), newDataGetCommand(), newDataVerifyCommand()}
}

const dataWhere = "\n\nfsnet looks for files here, in $FSNET_DATA and in ../shared/data."

func newDataListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the data sets of the paper and of the public collection, with their hashes",
		Long: "List the data sets of the paper (*) and of the public collection, with the SHA-256 of their files, and which are at\n" +
			"hand.\n\n" +
			"A file that we have never had has no SHA-256 and is not verified: its sizes are those that its publishers give, and a\n" +
			"download is checked against the file's object in the collection's git repository." + dataWhere,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return listCollection(c.OutOrStdout(), asJSON)
		},
	}
	addJSON(c.Flags(), &asJSON)
	return c
}

func listCollection(out io.Writer, asJSON bool) error {
	entries := catalogue()
	if asJSON {
		return printJSON(out, entries)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range entries {
		star, there := " ", e.at(dataFolders())
		if e.Paper {
			star = "*"
		}
		if there == "" {
			there = "-"
		}
		fmt.Fprintf(w, "%s %s\t%s\t%s\t%s\t%s\n", star, e.Name, count.Table(e.N, e.D), count.Of(e.Classes, "class"), there, e.known())
	}
	return w.Flush()
}

func newDataGetCommand() *cobra.Command {
	var into, from string
	c := &cobra.Command{
		Use:   "get NAME…",
		Short: "Fetch data sets: copy a file at hand, or else download it",
		Long: "Fetch data sets: copy a file at hand or else download it, continuing where an earlier download broke off. A file gets\n" +
			"its name only when it is whole and its hash is right." + dataWhere,
		Example: "  fsnet data get GLIOMA Prostate_GE\n  FSNET_DATA=~/data fsnet data get CLL_SUB --to ~/data",
		Args:    someNames,
		RunE: func(c *cobra.Command, names []string) error {
			entries, err := namedCollected(names)
			if err != nil {
				return err
			}
			if !strings.HasSuffix(from, "/") {
				from += "/"
			}
			for _, e := range entries {
				path, how, err := e.get(c.Context(), into, from, dataFolders())
				if err != nil {
					return err
				}
				if _, err := fmt.Fprintf(c.OutOrStdout(), "%s: %s, %s\n", e.Name, path, how); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&into, "to", ".", "put the files into this `FOLDER`")
	c.Flags().StringVar(&from, "from", collectionAddress, "`ADDRESS` of the collection")
	return c
}

func newDataVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [NAME…]",
		Short: "Check the hashes of data sets; without NAME, of all that are at hand",
		Long: "Check the hashes of data sets; without NAME, of all that are at hand. It exits with status 1 if a file is another one\n" +
			"or half-written." + dataWhere,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, names []string) error {
			entries, err := namedCollected(names)
			if err != nil {
				return err
			}
			return verifyCollection(c.OutOrStdout(), entries, len(names) > 0)
		},
	}
}

// verifyCollection checks the entries that are at hand; where they were asked for, they must be.
func verifyCollection(out io.Writer, entries []collected, asked bool) error {
	var bad []string
	checked := 0
	for _, e := range entries {
		path := e.at(dataFolders())
		if path == "" {
			if asked {
				return fault.New(fault.NotFound, "fsnet data get "+e.Name+" downloads it", "%s is not on this machine", e.Name)
			}
			continue
		}
		checked++
		by := "by its SHA-256"
		if e.SHA256 == "" {
			by = "by its git object"
		}
		line := fmt.Sprintf("%s: %s is right, %s", e.Name, path, by)
		if err := e.readable(path); err != nil {
			bad = append(bad, e.Name)
			line = e.Name + ": " + err.Error()
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	switch {
	case checked == 0:
		return fault.New(fault.NotFound, "fsnet data get NAME downloads one; $FSNET_DATA names their folder",
			"no data set of the catalogue is on this machine")
	case len(bad) > 0:
		return fault.New(fault.Failed, "remove the files and run fsnet data get", "not what they should be: %s", strings.Join(bad, ", "))
	}
	return nil
}

// namedCollected are the entries of these names; all of them without names.
func namedCollected(names []string) ([]collected, error) {
	if len(names) == 0 {
		return catalogue(), nil
	}
	list := make([]collected, len(names))
	for i, name := range names {
		var err error
		if list[i], err = findCollected(name); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func someNames(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return fault.New(fault.Request, "fsnet data list shows them; "+fmt.Sprintf("%d are known", len(catalogue())), "no data set is named")
}
