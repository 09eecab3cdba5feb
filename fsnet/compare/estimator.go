package compare

import "time"

// estimator estimates how long the rest takes: a row takes what others of its data set, method and K took, or where there is none yet what
// all rows took on average.
type estimator struct {
	todos map[key]int
	took  map[key]*took
	all   took
}

type took struct {
	rows  int
	total time.Duration
}

func newEstimator() *estimator { return &estimator{todos: map[key]int{}, took: map[key]*took{}} }

// kind is a key without its split.
func kind(cell Row) key {
	k := cell.key()
	k.split = 0
	return k
}

func (p *estimator) todo(cell Row) { p.todos[kind(cell)]++ }

func (p *estimator) done(cell Row, d time.Duration) {
	p.todos[kind(cell)]--
	p.learn(cell, d)
}

// learn counts what a row took.
func (p *estimator) learn(cell Row, d time.Duration) {
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
func (p *estimator) left() time.Duration {
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
