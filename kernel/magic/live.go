package magic

import (
	"context"
	"maps"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/nearest"
	"fsnetlab/widgets/anneal"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/matrix"
	"fsnetlab/widgets/panel"
	"fsnetlab/widgets/table"
)

// live is a view that stays alive after its cell.
type live interface {
	ipywidgets.Snapshotter
	// Widget is its model in the page.
	Widget() *ipywidgets.Model
	// Follow makes it show the session from now on, where it does not do so already.
	Follow()
}

// adjustable is a live view that takes the options of a request, such as the matrix to begin with.
type adjustable interface {
	Adjust(request session.MatrixRequest)
}

// adjust gives a live view its options.
func adjust(l live, options map[string]any) error {
	a, ok := l.(adjustable)
	if !ok || len(options) == 0 {
		return nil
	}
	var request session.MatrixRequest
	if err := read(options, &request); err != nil {
		return err
	}
	switch request.Of {
	case "", "probability", "sample", "soft":
	default:
		return fault.New(fault.Request, nearest.DidYouMean(request.Of, []string{"probability", "sample", "soft"}), "of = %q is not a selection matrix", request.Of)
	}
	a.Adjust(request)
	return nil
}

// takeLive takes the option live, which a view that is also a picture needs to be alive.
func takeLive(options map[string]any) (alive bool, rest map[string]any, err error) {
	value, given := options["live"]
	if !given {
		return false, options, nil
	}
	alive, ok := value.(bool)
	if !ok {
		return false, nil, fault.New(fault.Request, "give true or false", "live = %v", value)
	}
	rest = maps.Clone(options)
	delete(rest, "live")
	return alive, rest, nil
}

// liveViews make a view of a session.
func liveViews() map[string]func(context.Context, *ipywidgets.Manager, session.Service, session.Status) live {
	return map[string]func(context.Context, *ipywidgets.Manager, session.Service, session.Status) live{
		"panel": func(ctx context.Context, m *ipywidgets.Manager, s session.Service, now session.Status) live {
			return panel.New(ctx, m, s, now)
		},
		"matrix": func(ctx context.Context, m *ipywidgets.Manager, s session.Service, now session.Status) live {
			return matrix.New(ctx, m, s, now)
		},
		"anneal": func(ctx context.Context, m *ipywidgets.Manager, s session.Service, now session.Status) live {
			return anneal.New(ctx, m, s, now)
		},
		"table": func(ctx context.Context, m *ipywidgets.Manager, s session.Service, now session.Status) live {
			return table.New(ctx, m, s, now)
		},
	}
}

// showLive shows a live view. A session has one of each kind; asked for again, it is shown in another place, too.
func (i *Interpreter) showLive(ctx context.Context, view, name string, options map[string]any, start func(context.Context, *ipywidgets.Manager, session.Service, session.Status) live, out Output) error {
	if i.options.Widgets == nil {
		return fault.New(fault.Unavailable, "use it in a notebook", "nothing here can show the view %q", view)
	}
	host, err := i.options.Host(ctx)
	if err != nil {
		return err
	}
	now, err := host.Status(ctx, name)
	if err != nil {
		return err
	}
	if out.Silent() { // its models would be opened in the page, and nobody asked for them
		return nil
	}
	i.showing.Lock()
	defer i.showing.Unlock()
	if i.lives == nil {
		i.lives = map[string]live{}
	}
	l := i.lives[view+" "+name]
	if l == nil {
		l = start(i.options.Life, i.options.Widgets, host, now)
		i.lives[view+" "+name] = l
	}
	if err := adjust(l, options); err != nil {
		return err
	}
	l.Follow()
	out.Live(i.options.Widgets.View(l.Widget(), l))
	return nil
}

// follow wakes the live views of a session that may have been opened again.
func (i *Interpreter) follow(name string) {
	i.showing.Lock()
	defer i.showing.Unlock()
	for view := range liveViews() {
		if l := i.lives[view+" "+name]; l != nil {
			l.Follow()
		}
	}
}
