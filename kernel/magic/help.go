package magic

import (
	"context"
	"fmt"
	"html"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/nearest"
	"fsnetlab/widgets/chart"
)

func (i *Interpreter) help(_ context.Context, r request) error {
	if len(r.words) == 0 {
		r.out.Page(overview())
		return nil
	}
	p, err := explain(r.words[0])
	if err != nil {
		return err
	}
	r.out.Display(p)
	return nil
}

// overview is the list of verbs and keys.
func overview() chart.Picture {
	var text, page strings.Builder
	text.WriteString("%fsnet VERB [SESSION] [key=value …]   the last session used is the default\n\n")
	page.WriteString("<p><code>%fsnet VERB [SESSION] [key=value …]</code> - the last session used is the default</p><table>")
	for _, v := range verbs() {
		fmt.Fprintf(&text, "  %-52s %s\n", strings.TrimSpace(v.name+" "+v.usage), v.about)
		fmt.Fprintf(&page, `<tr><td style="text-align:left"><code>%s</code></td><td style="text-align:left">%s</td></tr>`,
			html.EscapeString(strings.TrimSpace(v.name+" "+v.usage)), html.EscapeString(v.about))
	}
	var live, structural []string
	for _, key := range config.Keys() {
		if key.Live {
			live = append(live, key.Name)
		} else {
			structural = append(structural, key.Name)
		}
	}
	lists := "keys fixed when a session is opened: " + strings.Join(structural, ", ") + "\nlive keys, for set: " + strings.Join(live, ", ") +
		"\n%fsnet help KEY explains one"
	text.WriteString("\n" + lists)
	page.WriteString("</table><p>" + strings.ReplaceAll(html.EscapeString(lists), "\n", "<br>") + "</p>")
	return chart.Picture{Text: text.String(), HTML: page.String()}.WithTerminal(overviewInTerminal(lists))
}

// overviewInTerminal leaves out what a verb takes, which VERB? shows, and the views that only a notebook has.
func overviewInTerminal(lists string) string {
	var text strings.Builder
	text.WriteString("VERB [SESSION] [key=value …]   the last session used is the default\n\n")
	for _, v := range verbs() {
		_, live := liveViews()[v.name]
		if _, drawn := views()[v.name]; drawn || !live {
			fmt.Fprintf(&text, "  %-10s  %s\n", v.name, v.about)
		}
	}
	return text.String() + "\n" + lists + "\n"
}

// explain is what a verb or a key means.
func explain(word string) (chart.Picture, error) {
	for _, v := range verbs() {
		if v.name == word {
			return note(fmt.Sprintf("%%fsnet %s\n%s", strings.TrimSpace(v.name+" "+v.usage), v.about)), nil
		}
	}
	key, err := config.Lookup(word)
	if err != nil {
		return chart.Picture{}, fault.New(fault.Request, nearest.DidYouMean(word, append(verbNames(), config.Names()...)), "%q is neither a verb nor a key", word)
	}
	return note(describe(key)), nil
}

func describe(key config.Key) string {
	var b strings.Builder
	b.WriteString(key.Name)
	if key.Symbol != "" {
		b.WriteString(" (" + key.Symbol + ")")
	}
	b.WriteString(": " + key.Meaning)
	accepted := key.Range
	if accepted == "" {
		accepted = strings.Join(key.Choices, " · ")
	}
	b.WriteString("\nvalues: " + accepted)
	if d := key.Default(config.Supervised); d != "" {
		b.WriteString("\ndefault: " + d)
		if p := key.Default(config.Paper); p != d {
			b.WriteString("; with protocol=paper: " + p)
		}
	}
	if key.Live {
		b.WriteString("\nlive: set changes it at any step")
	} else {
		b.WriteString("\nfixed when the session is opened")
	}
	return b.String()
}
