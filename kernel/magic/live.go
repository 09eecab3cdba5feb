package magic

import (
	"context"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/panel"
)

// live is a view that stays alive after its cell.
type live interface {
	ipywidgets.Widget
	// Follow makes it show the session from now on, where it does not do so already.
	Follow()
	// Picture is its present state for readers without widgets.
	Picture() ipywidgets.Bundle
}

// liveViews make a view of a session.
func liveViews() map[string]func(context.Context, *ipywidgets.Manager, session.Service, session.Status) live {
	return map[string]func(context.Context, *ipywidgets.Manager, session.Service, session.Status) live{
		"panel": func(ctx context.Context, m *ipywidgets.Manager, s session.Service, now session.Status) live {
			return panel.New(ctx, m, s, now)
		},
	}
}

// showLive shows a live view. A session has one of each kind; asked for again, it is shown in another place, too.
func (i *Interpreter) showLive(ctx context.Context, view, name string, start func(context.Context, *ipywidgets.Manager, session.Service, session.Status) live, out Output) error {
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
	l.Follow()
	out.Live(i.options.Widgets.View(l, l.Picture))
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
