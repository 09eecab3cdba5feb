// Package own does the kernel's own lines of a cell, which need no compiler: %who, %save, %load and %fmt.
//
// A [Cell] is the cell as these lines see it; Run does one line. What a line shows goes to an [Output]. Which lines there are is in package
// kernel/cell; lines that time Go code are not done here.
package own

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/internal/history"
	"fsnetlab/widgets/chart"
)

// longestLoaded bounds a file that becomes a cell, in bytes.
const longestLoaded = 1 << 20

// Cell is a cell as its own lines see it.
type Cell struct {
	Code     string // all of it
	Count    int
	HasGo    bool // there is something to run
	History  *history.History
	Declared func() []gonb.Declared
	Output   Output

	Directory string // where relative names of files start
}

// Output is where they show what they have to say.
type Output interface {
	Display(p chart.Picture)
	Replace(code string) // the cell's text by this one
}

// Run does one line, other than those that time Go code.
func (c Cell) Run(line cell.Own) error {
	switch words := line.Words; words[0] {
	case "%fmt":
		return c.format()
	case "%load":
		return c.load(words[1:])
	case "%save":
		return c.save(words[1:])
	case "%who":
		c.who()
	}
	return nil
}

// who lists what cells have declared.
func (c Cell) who() {
	list := c.Declared()
	if len(list) == 0 {
		c.Output.Display(chart.Picture{Text: "nothing is declared\n"})
		return
	}
	var text, page strings.Builder
	columns := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "name\tkind\tdeclaration\tcell")
	page.WriteString("<table><tr><th>name</th><th>kind</th><th>declaration</th><th>cell</th></tr>\n")
	for _, d := range list {
		fmt.Fprintf(columns, "%s\t%s\t%s\t[%d]\n", d.Name, d.Kind, d.Text, d.Cell)
		fmt.Fprintf(&page, "<tr><td>%s</td><td>%s</td><td><code>%s</code></td><td>[%d]</td></tr>\n",
			html.EscapeString(d.Name), d.Kind, html.EscapeString(d.Text), d.Cell)
	}
	columns.Flush() //nolint:errcheck // it writes into memory
	page.WriteString("</table>")
	c.Output.Display(chart.Picture{Text: text.String(), HTML: page.String()})
}

// save writes cells that were run to a file that is not there yet.
func (c Cell) save(words []string) error {
	if len(words) == 0 || len(words) > 2 {
		return fault.New(fault.Request, "write %save FILE, or %save FILE 2-5,7", "%%save needs a file, and takes the numbers of cells")
	}
	wanted := history.All
	if len(words) == 2 {
		var err error
		if wanted, err = history.Numbers(words[1]); err != nil {
			return err
		}
	}
	cells, err := c.History.Save(c.path(words[0]), func(count int) bool { return count != c.Count && wanted(count) })
	if err != nil {
		return err
	}
	c.Output.Display(chart.Picture{Text: fmt.Sprintf("wrote %s to %s\n", count.Of(cells, "cell"), words[0])})
	return nil
}

func (c Cell) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.Directory, name)
}

// load puts a file's text into the place of the cell.
func (c Cell) load(words []string) error {
	if len(words) != 1 || c.HasGo {
		return fault.New(fault.Request, "write it alone into a cell", "%%load needs one file, and a cell of its own")
	}
	info, err := os.Stat(c.path(words[0]))
	if err == nil && (!info.Mode().IsRegular() || info.Size() > longestLoaded) {
		return fault.New(fault.Request, "use a text file of at most 1 MB",
			"%%load: %s is not a regular file, or too large (%d bytes)", words[0], info.Size())
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(c.path(words[0]))
	}
	if err != nil {
		return fault.Wrap(err, fault.NotFound, "name a file that can be read", "%%load: %s", words[0])
	}
	if !utf8.Valid(text) {
		return fault.New(fault.Request, "use a text file", "%%load: %s is not UTF-8", words[0])
	}
	c.Output.Replace(string(text))
	return nil
}

// format lays the cell out.
func (c Cell) format() error {
	text, err := cell.Format(c.Code)
	if err != nil {
		return err
	}
	c.Output.Replace(text)
	return nil
}
