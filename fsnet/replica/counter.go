package replica

import (
	"sync"
	"time"
)

// counter adds up how far all replicas are, and tells it.
type counter struct {
	mu      sync.Mutex
	report  func(Progress)
	now     Progress
	made    int           // steps of the replicas that are done
	running map[int]steps // by replica
	since   time.Time     // steps are known to be made
	before  int           // steps made then
}

func newCounter(replicas int, report func(Progress)) *counter {
	if report == nil {
		report = func(Progress) {}
	}
	return &counter{report: report, now: Progress{Replicas: replicas}, running: map[int]steps{}}
}

// at notes how far replica r is; a replica that begins again is at 0.
func (t *counter) at(r int, s steps) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running[r] = s
	if s.Step > 0 && t.since.IsZero() {
		t.since, t.before = time.Now(), s.Step
	}
	t.tell()
}

// end notes what became of replica r.
func (t *counter) end(r int, replica Replica) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, r)
	if replica.Result != nil {
		t.now.Done++
		t.made += replica.Result.Steps
	} else {
		t.now.Failed++
	}
	t.now.Finished = &replica
	t.tell()
	t.now.Finished = nil
}

// say tells what a person should know.
func (t *counter) say(news string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.News = news
	t.tell()
	t.now.News = ""
}

// workers notes how many processes there are.
func (t *counter) workers(count int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Workers = count
}

func (t *counter) tell() {
	p := &t.now
	p.Running, p.Steps = len(t.running), t.made
	finished := float64(p.Done + p.Failed)
	share := finished
	for _, s := range t.running {
		p.Steps += s.Step
		if s.Steps > 0 {
			share += float64(s.Step) / float64(s.Steps)
		}
	}
	// A replica that was begun again would take the share back.
	p.Share = max(p.Share, share/float64(p.Replicas))
	if took := time.Since(t.since); p.Share > 0 && !t.since.IsZero() && took > 0 {
		p.StepsPerSecond = max(0, float64(p.Steps-t.before)/took.Seconds())
		p.Left = time.Duration(float64(took) * (1 - p.Share) / p.Share)
	}
	t.report(*p)
}

// stop tells for the last time: nothing runs any more.
func (t *counter) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.running)
	t.tell()
}
