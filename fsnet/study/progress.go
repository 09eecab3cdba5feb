package study

import (
	"sync"
	"time"
)

// Progress reports how far a study is: a comparison, replicas, or the
// half-samples of a stability study.
type Progress struct {
	Done, Total int           // Rows, or half-samples. Done of them have ended.
	Failed      int           // number of those that failed
	Share       float64       // share of the work, 0 to 1
	Left        time.Duration // Estimate of the remaining time. It is 0 while unknown.
	Cell        Row           // for a comparison: the row in progress, without its figures
	Stage       string        // Stage of that row's fit, e.g. "trees, 3 of 10". It is "" before and after.
	Finished    *Row          // The row that has just ended, otherwise nil.
	Running     int           // number of trainings in progress
	Workers     int           // Replicas trained concurrently. It is 0 while unknown.
	Steps       int           // steps of all replicas, complete or in progress
	// StepsPerSecond counts the steps of all replicas since the first one. It
	// is 0 while unknown.
	StepsPerSecond float64
	// News tells the user something new, for example that only a few trainings
	// fit into memory. It is usually "".
	News string
}

// pace estimates the remaining time of a comparison. It assumes that a row
// takes as long as others of its data set, method and K. Before there are any,
// it assumes the mean of all rows. Its keys come from cellKind, and the zero
// key stands for all rows.
type pace map[cellKey]kindPace

type kindPace struct {
	todo, made int // numbers of rows
	took       time.Duration
}

// cellKind returns the key of a row without its split.
func cellKind(cell Row) cellKey {
	k := cell.key()
	k.split = 0
	return k
}

// addRemaining adds rows like cell to those that are still to be made. If rows is
// negative, it removes some.
func (p pace) addRemaining(cell Row, rows int) {
	kind := p[cellKind(cell)]
	kind.todo += rows
	p[cellKind(cell)] = kind
}

// recordTime records how long a row took.
func (p pace) recordTime(cell Row, d time.Duration) {
	for _, k := range []cellKey{cellKind(cell), {}} {
		kind := p[k]
		p[k] = kindPace{kind.todo, kind.made + 1, kind.took + d}
	}
}

// remaining returns the estimated remaining time, or 0 before the first row is
// complete.
func (p pace) remaining() (sum time.Duration) {
	for _, kind := range p {
		like := kind
		if like.made == 0 {
			like = p[cellKey{}]
		}
		if like.made > 0 {
			sum += time.Duration(kind.todo) * (like.took / time.Duration(like.made))
		}
	}
	return sum
}

// tracker adds up the progress of concurrent trainings and reports it, one
// call at a time.
type tracker struct {
	mu      sync.Mutex
	report  func(Progress)
	now     Progress
	works   int             // number of all trainings, which may be more than those counted in now
	running map[int]stepsOf // by training
	ended   int             // number of trainings that have ended
	made    int             // steps of the trainings that have ended
	since   time.Time       // time of the first known step
	before  int             // steps made before since
	sent    time.Time       // time of the last report
}

// stepsOf is the progress of one training.
type stepsOf struct{ step, steps int }

// reportInterval is the shortest time between reports, except when a
// training ends.
const reportInterval = 100 * time.Millisecond

// newTracker returns a tracker for total rows or half-samples, which take
// works trainings. report may be nil.
func newTracker(total, works int, report func(Progress)) *tracker {
	if report == nil {
		report = func(Progress) {}
	}
	return &tracker{report: report, now: Progress{Total: total}, works: works, running: map[int]stepsOf{}}
}

// atStep records the progress of training i. It reports it when the training
// starts or restarts (step 0), and otherwise at most every reportInterval.
func (t *tracker) atStep(i, step, steps int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, known := t.running[i]
	t.running[i] = stepsOf{step, steps}
	if step > 0 && t.since.IsZero() {
		t.since, t.before = time.Now(), step
	}
	if !known || step == 0 || time.Since(t.sent) >= reportInterval {
		t.send()
	}
}

// end records that training i ended after some steps, and reports at once.
// change updates the counts. If it sets Finished, only this report has it.
func (t *tracker) end(i, steps int, change func(*Progress)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, i)
	t.ended++
	t.made += steps
	change(&t.now)
	t.send()
	t.now.Finished = nil
}

// note reports news to the user at once. Later reports don't repeat it.
func (t *tracker) note(news string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.News = news
	t.send()
	t.now.News = ""
}

// stop sends the last report, with nothing running.
func (t *tracker) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.running)
	t.send()
}

// send reports the sums over all trainings: steps, speed, share of the work
// and remaining time. The caller must hold the lock.
func (t *tracker) send() {
	p := &t.now
	p.Running, p.Steps = len(t.running), t.made
	share := float64(t.ended)
	for _, s := range t.running {
		p.Steps += s.step
		share += float64(s.step) / float64(max(s.steps, 1))
	}
	p.Share = max(p.Share, share/float64(t.works)) // A restarted training would lower it.
	if took := time.Since(t.since); p.Share > 0 && !t.since.IsZero() && took > 0 {
		p.StepsPerSecond = max(0, float64(p.Steps-t.before)/took.Seconds())
		p.Left = time.Duration(float64(took) * (1 - p.Share) / p.Share)
	}
	t.sent = time.Now()
	t.report(*p)
}

// workers sets the number of concurrent trainings. The next report includes it.
func (t *tracker) workers(count int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Workers = count
}
