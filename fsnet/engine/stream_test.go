package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/nn"
	"fsnetlab/tests/kit/devicetest"
)

// inMemory gives rows of a toy, until it is broken.
type inMemory struct {
	toy    toy
	broken atomic.Bool
}

func (m *inMemory) Gather(_ context.Context, rows []int, width int, into []float32) error {
	for at, row := range rows {
		copy(into[at*width:], m.toy.x[row*m.toy.arch.D:(row+1)*m.toy.arch.D])
	}
	if m.broken.Load() {
		return errors.New("the disk is gone")
	}
	return nil
}

// Streamed steps are the same steps, to the bit, even if they aren't those
// gathered ahead. A read error is returned, and the next call reads again. A
// group of streamed trainings is rejected.
func TestStep_Streamed(t *testing.T) {
	for _, d := range devicetest.All(t) {
		if nn.LoopsOn(d.Name) {
			continue // package train compares the training of both
		}
		toy := newToy(t, config.Config{})
		rows := &inMemory{toy: toy}
		streamed := must(newWith(d, toy.layout(d), toy.settings.Seed, slices.Clone(toy.phi), Rows{Stream: rows}, toy.target(), nil))
		defer streamed.Close()
		whole := toy.engine(t, d)
		for _, steps := range [][2]int{{0, 3}, {3, 1}, {9, 2}, {0, 2}, {2, 4}} {
			for _, e := range []*Engine{whole, streamed} {
				advanced(t, e, steps[0], steps[1], toy.settings.Live)
			}
			want, _, _ := whole.Parameters()
			got, _, err := streamed.Parameters()
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d steps from %d on: %v, not %v; %v", steps[1], steps[0], got[:4], want[:4], err)
			}
		}
		rows.broken.Store(true)
		if _, _, err := streamed.Advance(1, 2, toy.settings.Live); err == nil ||
			!strings.Contains(err.Error(), "steps 1 to 1: the disk is gone") {
			t.Errorf("%v", err)
		}
		rows.broken.Store(false)
		if _, _, err := streamed.Advance(1, 2, toy.settings.Live); err != nil {
			t.Error(err)
		}
	}
}
