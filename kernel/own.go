package kernel

import (
	"fmt"
	"html"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/internal/history"
	"fsnetlab/kernel/wire"
	"fsnetlab/widgets/chart"
)

// longestLoaded bounds a file that becomes a cell, in bytes.
const longestLoaded = 1 << 20

// runOwn does the kernel's own lines of a cell, and then its Go code.
func (k *Kernel) runOwn(e *execution) outcome {
	timed := false
	for _, words := range e.text.own {
		var err error
		switch words[0] {
		case "%time":
			if timed = true; !e.text.hasGo() || len(words) > 1 {
				err = fault.New(fault.Request, "write it above Go code, on a line of its own", "%%time: there is nothing to time")
			}
		case "%who":
			k.who(e)
		case "%save":
			err = k.save(e, words[1:])
		case "%load":
			err = load(e, words[1:])
		}
		if err != nil {
			return outcome{fault: err}
		}
	}
	if !e.text.hasGo() {
		return outcome{}
	}
	began := time.Now()
	end := k.runGo(e, e.text.rest)
	if timed {
		e.publish("stream", wire.Stream{Name: "stdout", Text: fmt.Sprintf("%s, compiled and run\n", time.Since(began).Round(time.Millisecond))})
	}
	return end
}

// who lists what cells have declared.
func (k *Kernel) who(e *execution) {
	var list []gonb.Declared
	if child := k.gonb.keeper.Current(); child != nil {
		list = child.Declared()
	}
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
		return fault.New(fault.Request, "write %save FILE, or %save FILE 2-5,7", "%%save wants a file and perhaps the numbers of cells")
	}
	wanted := history.All
	if len(words) == 2 {
		var err error
		if wanted, err = history.Numbers(words[1]); err != nil {
			return err
		}
	}
	cells, err := k.history.Save(words[0], func(count int) bool { return count != e.count && wanted(count) })
	if err != nil {
		return err
	}
	e.Display(chart.Picture{Text: fmt.Sprintf("%d cells are written to %s\n", cells, words[0])})
	return nil
}

// load puts a file's text into the place of the cell.
func load(e *execution, words []string) error {
	if len(words) != 1 || e.text.hasGo() {
		return fault.New(fault.Request, "write it alone into a cell", "%%load wants one file, and a cell of its own")
	}
	info, err := os.Stat(words[0])
	if err == nil && (!info.Mode().IsRegular() || info.Size() > longestLoaded) {
		return fault.New(fault.Request, "use a text file of at most 1 MB",
			"%%load: %s is not a regular file, or too large (%d bytes)", words[0], info.Size())
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(words[0])
	}
	if err != nil {
		return fault.Wrap(err, fault.NotFound, "name a file that can be read", "%%load: %s", words[0])
	}
	if !utf8.Valid(text) {
		return fault.New(fault.Request, "take a file of text", "%%load: %s is not UTF-8", words[0])
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.payload = append(e.payload, map[string]any{"source": "set_next_input", "text": string(text), "replace": true})
	return nil
}
