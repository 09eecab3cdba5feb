package study

import (
	"sync"
	"time"
)

// Progress is where a study is: a comparison, replicas or the half-samples of a stability.
type Progress struct {
	Done, Total    int           // rows, or half-samples; Done of them came to their end
	Failed         int           // of those that are done
	Share          float64       // of the work, 0 to 1
	Left           time.Duration // an estimate; 0 while nothing is known
	Cell           Row           // of a comparison: the row that is being made, without its figures
	Stage          string        // of its fit, such as "trees, 3 of 10"; "" before it and after
	Finished       *Row          // the row that has just come to its end, else nil
	Running        int           // trainings that go on side by side
	Workers        int           // replicas that are trained side by side; 0 before that is known
	Steps          int           // of all replicas that are done or running
	StepsPerSecond float64       // of all together, since the first; 0 while it is not known
	News           string        // what has just happened and a person should know, such as how few have room; else ""
}

// pace estimates how long the rest of a comparison takes: a row takes what others of its data set, method and K took, or where there is
// none yet what all rows took on average.
type pace struct {
	todos  map[cellKey]int
	times  map[cellKey]time.Duration
	counts map[cellKey]int
}

// cellKind is a key without its split.
func cellKind(cell Row) cellKey {
	k := cell.key()
	k.split = 0
	return k
}

func (p *pace) todo(cell Row, rows int) {
	if p.todos == nil {
		p.todos = map[cellKey]int{}
	}
	p.todos[cellKind(cell)] += rows
}

func (p *pace) took(cell Row, d time.Duration) {
	if p.times == nil {
		p.times, p.counts = map[cellKey]time.Duration{}, map[cellKey]int{}
	}
	for _, k := range []cellKey{cellKind(cell), {}} {
		p.times[k] += d
		p.counts[k]++
	}
}

// left is 0 before the first row is done.
func (p *pace) left() (sum time.Duration) {
	for k, n := range p.todos {
		if p.counts[k] == 0 {
			k = cellKey{}
		}
		if p.counts[k] > 0 {
			sum += time.Duration(n) * (p.times[k] / time.Duration(p.counts[k]))
		}
	}
	return sum
}

// tracker adds up how far trainings are that go on side by side, and reports it: never twice at once.
type tracker struct {
	mu      sync.Mutex
	report  func(Progress)
	now     Progress
	works   int             // trainings in all, which may be more than those that are counted
	running map[int]stepsOf // by training
	ended   int             // trainings
	made    int             // steps of those
	since   time.Time       // steps are known to be made
	before  int             // steps made then
	told    time.Time
}

// stepsOf is how far a training is.
type stepsOf struct{ step, steps int }

// reportInterval is the least time between two reports in which no training ended.
const reportInterval = 100 * time.Millisecond

func newTracker(total, works int, report func(Progress)) *tracker {
	if report == nil {
		report = func(Progress) {}
	}
	return &tracker{report: report, now: Progress{Total: total}, works: works, running: map[int]stepsOf{}}
}

// at notes how far a training is; one that begins again is at 0.
func (t *tracker) at(i, step, steps int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, known := t.running[i]
	t.running[i] = stepsOf{step, steps}
	if step > 0 && t.since.IsZero() {
		t.since, t.before = time.Now(), step
	}
	if !known || step == 0 || time.Since(t.told) >= reportInterval {
		t.tell()
	}
}

// end notes that a training came to its end after so many steps; what it does to the counts change says.
func (t *tracker) end(i, steps int, change func(*Progress)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, i)
	t.ended++
	t.made += steps
	change(&t.now)
	t.tell()
	t.now.Finished = nil
}

// say tells what a person should know.
func (t *tracker) say(news string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.News = news
	t.tell()
	t.now.News = ""
}

// stop tells for the last time: nothing runs any more.
func (t *tracker) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.running)
	t.tell()
}

func (t *tracker) tell() {
	p := &t.now
	p.Running, p.Steps = len(t.running), t.made
	share := float64(t.ended)
	for _, s := range t.running {
		p.Steps += s.step
		share += float64(s.step) / float64(max(s.steps, 1))
	}
	p.Share = max(p.Share, share/float64(t.works)) // a training that was begun again would take it back
	if took := time.Since(t.since); p.Share > 0 && !t.since.IsZero() && took > 0 {
		p.StepsPerSecond = max(0, float64(p.Steps-t.before)/took.Seconds())
		p.Left = time.Duration(float64(took) * (1 - p.Share) / p.Share)
	}
	t.told = time.Now()
	t.report(*p)
}

// workers notes how many are trained side by side.
func (t *tracker) workers(count int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Workers = count
}
