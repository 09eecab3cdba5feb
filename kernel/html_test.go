package kernel

import (
	"context"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/kernel/magic"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// hostile is a name that is a program where it is taken for HTML: between tags, in an attribute, in a comment or a script.
const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>-->&lt;u&gt;`

var (
	// hostileTag finds it where it was not made text of.
	hostileTag = regexp.MustCompile(`(?i)<\s*(script|img|u\b)|<[^>]*\sonerror|<!--`)
	// quotedValue is an attribute's value, in which only its own quotation mark ends it.
	quotedValue = regexp.MustCompile(`="[^"]*"`)
)

// program finds what of an HTML text a browser would run.
func program(text string) string {
	bare := quotedValue.ReplaceAllString(text, `=""`)
	if at := hostileTag.FindStringIndex(bare); at != nil {
		return bare[max(0, at[0]-100):min(len(bare), at[1]+60)]
	}
	return ""
}

// spoil puts the hostile name into every text that a value holds.
func spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() && v.Kind() == reflect.Pointer {
			spoil(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				spoil(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			spoil(v.Index(i))
		}
	case reflect.String:
		if v.CanSet() && v.Type().Name() == "string" { // not a state, of which there are a few
			v.SetString(hostile)
		}
	}
}

// hostileHost is a real one whose data set, features, classes, sessions, files and notes are all hostile.
type hostileHost struct{ session.Caller }

func (h hostileHost) Call(ctx context.Context, verb string, params, result any) error {
	err := h.Caller.Call(ctx, verb, params, result)
	switch r := result.(type) {
	case *session.History: // whose curves are found by their names
		for i := range r.Events {
			spoil(reflect.ValueOf(&r.Events[i]).Elem())
		}
	case *session.Rows: // whose features are found by their names
		for i := range r.Selection {
			spoil(reflect.ValueOf(&r.Selection[i]).Elem())
		}
	case *session.Event, *[]string, nil:
	default:
		spoil(reflect.ValueOf(r).Elem())
	}
	return err
}

func (h hostileHost) Watch(ctx context.Context, r session.WatchRequest, tell func(session.Update)) error {
	return h.Caller.Watch(ctx, r, func(u session.Update) {
		spoil(reflect.ValueOf(&u).Elem())
		tell(u)
	})
}

// shownAll keeps all that is shown, as a notebook gets it.
type shownAll struct {
	mu      sync.Mutex
	bundles []map[string]any
	html    map[string]bool // comms of models whose value a page takes for HTML
}

var (
	_ magic.Output       = (*shownAll)(nil)
	_ ipywidgets.Channel = (*shownAll)(nil)
)

func (s *shownAll) add(data map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bundles = append(s.bundles, data)
}

func (s *shownAll) Display(p chart.Picture)          { s.add(p.Bundle()) }
func (s *shownAll) Update(_ string, p chart.Picture) { s.add(p.Bundle()) }
func (s *shownAll) Result(p chart.Picture)           { s.add(p.Bundle()) }
func (s *shownAll) Page(p chart.Picture)             { s.add(p.Bundle()) }
func (s *shownAll) Clear(bool)                       {}
func (s *shownAll) Silent() bool                     { return false }
func (s *shownAll) Live(v ipywidgets.View)           { s.add(v.Data) }

// Send implements ipywidgets.Channel: the values of HTML widgets are checked like the rest. Descriptions, labels and tooltips are text
// to a page.
func (s *shownAll) Send(m ipywidgets.Message) {
	var data struct {
		State map[string]any `json:"state"`
	}
	if json.Unmarshal(m.Data, &data) != nil {
		return
	}
	s.mu.Lock()
	if m.Kind == ipywidgets.Open {
		name, _ := data.State["_model_name"].(string)
		s.html[m.Comm] = strings.HasPrefix(name, "HTML")
	}
	taken := s.html[m.Comm]
	s.mu.Unlock()
	if text, ok := data.State["value"].(string); ok && taken {
		s.add(map[string]any{chart.MIMEHTML: text})
	}
	if allowed, ok := data.State["description_allow_html"].(bool); ok && allowed {
		text, _ := data.State["description"].(string)
		s.add(map[string]any{chart.MIMEHTML: text})
	}
}

// check takes what was shown since the last time, and gives how much of it was HTML and how often the hostile name is a text in it.
func (s *shownAll) check(t *testing.T, code string) (pages, texts int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, bundle := range s.bundles {
		for mime, value := range bundle {
			text, ok := value.(string)
			if !ok || (mime != chart.MIMEHTML && !strings.Contains(mime, "svg") && !strings.Contains(mime, "markdown")) {
				continue
			}
			pages++
			texts += strings.Count(text, "&lt;script&gt;")
			if found := program(text); found != "" {
				t.Errorf("%s: %s holds a program: …%s…", code, mime, found)
			}
			if mime == chart.MIMEHTML && !strings.HasPrefix(text, `<div class="mathjax_ignore `) {
				t.Errorf("%s: a page would typeset $10k-$20k in %.200s", code, text)
			}
		}
	}
	s.bundles = nil
	return pages, texts
}

// Whatever the name of a feature, class, data set, session or file, HTML shows
// it as text, and not as a formula.
func TestKernel_NamesAreTextInHTML(t *testing.T) {
	l := newLab(t)
	client := l.dial()
	shown := &shownAll{html: map[string]bool{}}
	life, end := context.WithCancel(context.Background())
	defer end()
	directory := t.TempDir()
	interpreter := magic.New(magic.Options{
		Life: life, Widgets: ipywidgets.NewManager(shown, ipywidgets.Options{}), Directory: func() string { return directory }, Version: hostile,
		Host:   func(context.Context) (session.Caller, error) { return hostileHost{client}, nil },
		Doctor: func(context.Context) string { return hostile },
		NewID:  jupyter.NewID,
	})
	for _, c := range []struct {
		line string
		page bool // it shows HTML with names in it
	}{
		{"open leukemia data=planted k=3 epochs=20 stop=never", true},
		{"step leukemia 7", true},
		{"set leukemia lambda=0.5", false},
		{"run leukemia step=9", true},
		{"rewind leukemia 8", true},
		{"fork leukemia other", true},
		{"status leukemia", true},
		{"selection leukemia", true},
		{"matrix leukemia", false},
		{"feature leukemia 0", false},
		{"curves leukemia", false},
		{"history leukemia", true},
		{"evaluate leukemia train", true},
		{"sessions", true},
		{"panel leukemia", false}, // its module writes them as text: tests/browser
		{"matrix leukemia live=true", false},
		{"anneal leukemia", false},
		{"table leukemia", false},
		{"help", false},
		{"help lambda", false},
		{"version", false},
		{"doctor", true},
	} {
		parts, err := magic.Split("%fsnet " + c.line)
		if err != nil {
			t.Fatal(err)
		}
		if err := interpreter.Run(l.Soon(), parts[0].Commands[0], shown); err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		pages, texts := shown.check(t, c.line)
		if c.page && texts == 0 {
			t.Errorf("%s shows the names in none of its %d pages", c.line, pages)
		}
		t.Logf("%-50s %d of HTML, %d names in it", c.line, pages, texts)
	}
}
