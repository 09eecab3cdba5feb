package kernel

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/widgets/chart"
)

// runPart does the kernel's own lines of a part of a cell, and then its Go code.
func (k *Kernel) runPart(e *execution, p part) error {
	timed := false // how long the Go code took is said
	var body *cell.Timing
	for _, line := range p.magics {
		switch line.Words[0] {
		case "%time":
			if timed = true; !p.hasGo() || len(line.Words) > 1 {
				return errs.New(errs.Request, "write it above Go code, on a line of its own", "%%time: there is nothing to time")
			}
		case "%timeit":
			t, err := cell.ReadTiming(line)
			if err == nil && t.Statement == "" && !p.hasGo() {
				err = errs.New(errs.Request, "write a statement after it, or a body below", "%%timeit: there is nothing to time")
			}
			if err != nil {
				return err
			}
			if t.Statement == "" {
				body = &t
				continue
			}
			if err := k.runGo(e, strings.Repeat("\n", line.Line)+line.Text, &t); err != nil {
				return err
			}
		default:
			if err := k.runLineMagic(e, line); err != nil {
				return err
			}
		}
	}
	if !p.hasGo() {
		return nil
	}
	began := time.Now()
	err := k.runGo(e, p.rest.String(), body)
	if timed {
		e.print("stdout", fmt.Sprintf("%s, compiled and run\n", time.Since(began).Round(time.Millisecond)))
	}
	return err
}

// longestLoaded bounds a file that becomes a cell, in bytes.
const longestLoaded = 1 << 20

// runLineMagic does one of the kernel's own lines, other than those that time Go code.
func (k *Kernel) runLineMagic(e *execution, line cell.LineMagic) error {
	switch words := line.Words; words[0] {
	case "%fmt":
		text, err := cell.Format(e.cell.Request.Code)
		if err == nil {
			e.Replace(text)
		}
		return err
	case "%load":
		return k.load(e, words[1:])
	case "%save":
		return k.save(e, words[1:])
	case "%who":
		if child := k.gonb.keeper.Current(); child != nil {
			who(e, child.Declared())
		} else {
			who(e, nil)
		}
	}
	return nil
}

// who lists what cells have declared.
func who(e *execution, list []gonb.Declared) {
	if len(list) == 0 {
		e.Display(chart.Picture{Text: "nothing is declared\n"})
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
	e.Display(chart.Picture{Text: text.String(), HTML: page.String()})
}

// save writes cells that were run to a file that is not there yet.
func (k *Kernel) save(e *execution, words []string) error {
	if len(words) == 0 || len(words) > 2 {
		return errs.New(errs.Request, "write %save FILE, or %save FILE 2-5,7", "%%save needs a file, and takes the numbers of cells")
	}
	wanted := jupyter.AllCells
	if len(words) == 2 {
		var err error
		if wanted, err = jupyter.CellNumbers(words[1]); err != nil {
			return err
		}
	}
	cells, err := k.loop.History.Save(k.path(words[0]), func(count int) bool { return count != e.cell.Count && wanted(count) })
	if err != nil {
		return err
	}
	e.Display(chart.Picture{Text: fmt.Sprintf("wrote %s to %s\n", phrase.Count(cells, "cell"), words[0])})
	return nil
}

func (k *Kernel) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(k.gonb.workingDirectory(), name)
}

// load puts a file's text into the place of the cell.
func (k *Kernel) load(e *execution, words []string) error {
	if len(words) != 1 || e.text.hasGo() {
		return errs.New(errs.Request, "write it alone into a cell", "%%load needs one file, and a cell of its own")
	}
	info, err := os.Stat(k.path(words[0]))
	if err == nil && (!info.Mode().IsRegular() || info.Size() > longestLoaded) {
		return errs.New(errs.Request, "use a text file of at most 1 MB",
			"%%load: %s is not a regular file, or too large (%d bytes)", words[0], info.Size())
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(k.path(words[0]))
	}
	if err != nil {
		return errs.Wrap(err, errs.NotFound, "name a file that can be read", "%%load: %s", words[0])
	}
	if !utf8.Valid(text) {
		return errs.New(errs.Request, "use a text file", "%%load: %s is not UTF-8", words[0])
	}
	e.Replace(string(text))
	return nil
}
