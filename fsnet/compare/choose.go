package compare

import (
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/listed"
)

// Part narrows a plan to part i of n, from 1: cells that follow one another, so that a part prepares few splits. Each cell is in one part.
func (p *Plan) Part(i, n int) error {
	cells := p.Cells()
	from, to, ok := listed.Part(i, n, len(cells))
	if !ok {
		return fault.New(fault.Request, "write --part i/N with i from 1 to N, as in --part 3/20, and N up to 1000000", "part %d/%d", i, n)
	}
	p.choose(cells[from:to])
	return nil
}

// Choose narrows a plan to the cells of these identities ([Identity.ID]) on a kind of device.
func (p *Plan) Choose(kind string, ids []string) error {
	cells := map[string]Row{}
	for _, c := range p.Cells() {
		c.Device = kind
		cells[c.ID()] = c
	}
	var chosen []Row
	for _, id := range ids {
		cell, ok := cells[strings.ToLower(strings.TrimSpace(id))]
		if !ok {
			return fault.New(fault.NotFound, "the plan lists its cells with their ids", "the plan has no cell %.40q", id)
		}
		chosen = append(chosen, cell)
	}
	p.choose(chosen)
	return nil
}

// Keep narrows a plan to the cells that are wanted.
func (p *Plan) Keep(wanted func(Row) bool) {
	p.choose(slices.DeleteFunc(p.Cells(), func(c Row) bool { return !wanted(c) }))
}

func (p *Plan) choose(cells []Row) {
	p.only = make(map[key]bool, len(cells))
	for _, c := range cells {
		p.only[c.key()] = true
	}
}

// asked is whether Run makes a cell.
func (p *Plan) asked(cell Row) bool { return p.only == nil || p.only[cell.key()] }
