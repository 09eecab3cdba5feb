package compare

import "time"

// pace estimates how long the rest takes: a row takes what others of its data set, method and K took, or where there is none yet what
// all rows took on average.
type pace struct {
	todos map[key]int
	took  map[key]*took
	all   took
}

type took struct {
	rows  int
	total time.Duration
}

func newPace() *pace { return &pace{todos: map[key]int{}, took: map[key]*took{}} }

// kind is a key without its split.
func kind(cell Row) key {
	k := cell.key()
	k.split = 0
	return k
}

func (p *pace) todo(cell Row) { p.todos[kind(cell)]++ }

func (p *pace) done(cell Row, d time.Duration) {
	p.todos[kind(cell)]--
	p.learn(cell, d)
}

// learn counts what a row took.
func (p *pace) learn(cell Row, d time.Duration) {
	k := kind(cell)
	if p.took[k] == nil {
		p.took[k] = new(took)
	}
	for _, t := range []*took{p.took[k], &p.all} {
		t.rows++
		t.total += d
	}
}

// left is 0 before the first row is done.
func (p *pace) left() time.Duration {
	var sum time.Duration
	for k, n := range p.todos {
		t := p.took[k]
		if t == nil {
			t = &p.all
		}
		if t.rows > 0 {
			sum += time.Duration(n) * (t.total / time.Duration(t.rows))
		}
	}
	return sum
}
