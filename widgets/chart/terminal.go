package chart

import (
	"fsnetlab/widgets/chart/words"
)

// Terminal is the picture for a terminal of so many columns. Curves are drawn with dots where there are colours to tell them apart,
// else as sparklines; names give way where a table is too wide; other lines break between words. It has escape sequences only where
// colour is true, and those are the sixteen colours of the terminal's own theme.
func (p Picture) Terminal(columns int, colour bool) string {
	columns = max(columns, narrowest)
	text := p.Text
	if p.terminal != nil {
		text = p.terminal(columns, colour)
	}
	return words.Wrap(text, columns)
}

// Fitting is the picture with words for terminals that fit them.
func (p Picture) Fitting(terminal func(columns int, colour bool) string) Picture {
	p.terminal = terminal
	return p
}

// WithTerminal is the picture with words of its own for terminals, which Terminal wraps.
func (p Picture) WithTerminal(text string) Picture {
	p.terminal = func(int, bool) string { return text }
	return p
}

// narrowest is what a terminal is taken to have at the least.
const narrowest = 24
