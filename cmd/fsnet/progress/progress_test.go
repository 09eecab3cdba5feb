package progress

import (
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// The line of a training's progress says of P what is known, and a dash before the first look.
func TestStatusLine(t *testing.T) {
	s := session.Status{Epoch: 2, Tau: 9.5, Loss: 1.5, LossClass: 0.5, LossReconstruction: 1,
		Config: config.Settings{Live: config.Live{Epochs: 300}}}
	if got, want := statusLine(s), "epoch 2/300  τ 9.5  loss 1.500  class 0.500  recon 1.000  P –"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.MaxProbability = new(0.25)
	if got, want := statusLine(s), "epoch 2/300  τ 9.5  loss 1.500  class 0.500  recon 1.000  P 0.25"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.Config.Task = config.Regression
	if got, want := statusLine(s), "epoch 2/300  τ 9.5  loss 1.500  quantity 0.500  recon 1.000  P 0.25"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
