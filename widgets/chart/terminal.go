package chart

import (
	"fsnetlab/widgets/chart/words"
)

// Terminal is the picture for a terminal of so many columns: names give way where a table is too wide; other lines break between words.
func (p Picture) Terminal(columns int) string {
	columns = max(columns, narrowest)
	text := p.Text
	if p.terminal != nil {
		text = p.terminal(columns)
	}
	return words.Wrap(text, columns)
}

// Fitting is the picture with words for terminals that fit them.
func (p Picture) Fitting(terminal func(columns int) string) Picture {
	p.terminal = terminal
	return p
}

// WithTerminal is the picture with words of its own for terminals, which Terminal wraps.
func (p Picture) WithTerminal(text string) Picture {
	p.terminal = func(int) string { return text }
	return p
}

// narrowest is what a terminal is taken to have at the least.
const narrowest = 24
