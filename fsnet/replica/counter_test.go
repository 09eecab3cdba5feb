package replica

import "testing"

// A replica that is begun again takes nothing back from the share, and its steps are counted once.
func TestTally(t *testing.T) {
	var last Progress
	counts := newCounter(4, func(p Progress) { last = p })
	check := func(share float64, steps, running int) {
		t.Helper()
		if last.Share != share || last.Steps != steps || last.Running != running {
			t.Errorf("%+v, wanted a share of %v, %d steps, %d running", last, share, steps, running)
		}
	}
	counts.at(0, steps{Step: 0, Steps: 0})
	check(0, 0, 1)
	counts.at(0, steps{Step: 50, Steps: 100})
	check(0.125, 50, 1)
	counts.at(1, steps{Step: 20, Steps: 100})
	check(0.175, 70, 2)
	counts.at(1, steps{})
	check(0.175, 50, 2)
	counts.end(0, Replica{Result: &Result{Steps: 60}}) // settled
	check(0.25, 60, 1)
	counts.end(1, Replica{})
	check(0.5, 60, 0)
	counts.at(2, steps{Step: 1, Steps: 100})
	counts.stop()
	check(0.5025, 60, 0)
	if last.Done != 1 || last.Failed != 1 || last.Replicas != 4 {
		t.Errorf("%+v", last)
	}
}
