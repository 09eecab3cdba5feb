package train

import (
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/devicetest"
)

// The rows are of the features that are selected, and only those of the test part are a look, which a rewind does not take back.
func TestRows(t *testing.T) {
	training := open(t, devicetest.All(t)[0], planted(60, 120), config.Config{K: 3, Epochs: 40, Stop: "never"})
	advance(t, training, 16)
	for _, c := range []struct {
		request session.RowsRequest
		looks   int
	}{{session.RowsRequest{Random: true, Neighbours: true}, 0}, {session.RowsRequest{Test: true}, 1}} {
		r := must(training.Rows(c.request))
		selected := must(training.Selection())
		if len(r.Features) != 3 || len(r.Train.Row) == 0 {
			t.Fatalf("%d features of %d rows", len(r.Features), len(r.Train.Row))
		}
		for k, f := range r.Features {
			if f.Index != selected[k].Index || f.Name != selected[k].Name ||
				float64(f.Train[0]) != float64(training.data.At(r.Train.Row[0], f.Index)) {
				t.Errorf("rank %d is %+v, selected is %+v", k+1, f, selected[k])
			}
		}
		if r.Step != 16 || r.TestLooks != c.looks || training.Status().TestLooks != c.looks || len(r.Random) != 3 && c.request.Random {
			t.Errorf("%+v: %d looks, %d random features at step %d", c.request, r.TestLooks, len(r.Random), r.Step)
		}
	}
}
