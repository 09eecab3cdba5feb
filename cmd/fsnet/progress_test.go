package main

import (
	"bytes"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// The line of a training's progress says what is known of P, and has a dash
// before the first look.
func TestProgress_StatusLine(t *testing.T) {
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

// If the remaining time isn't known, the line says nothing about it.
func TestProgress_UnknownTime(t *testing.T) {
	for left, want := range map[string]string{
		remainingText(3, false): " 50%  1 of 2\n", remainingText(3, true): " 50%  1 of 2  3s left\n",
	} {
		var out bytes.Buffer
		if newBar(&out, false).draw(0.5, false, "1 of 2", left); out.String() != want {
			t.Errorf("%q: %q, want %q", left, out.String(), want)
		}
	}
}

// A bar is never wider than the terminal, since a wrapped line stays on the
// screen, ten times a second.
func TestProgress_FitsTheTerminal(t *testing.T) {
	line, left := "epoch 60/600  τ 5.01  loss 1.174  class 0.247  recon 0.927  P 0.85", "  3s left"
	for columns, want := range map[int]string{
		0:   "████████████░░░░░░░░░░░░  50%  " + line + left,
		120: "████████████░░░░░░░░░░░░  50%  " + line + left,
		86:  "█░░  50%  " + line + left,
		80:  "  50%  epoch 60/600  τ 5.01  loss 1.174  class 0.247  recon 0.927  P 0  3s left",
		20:  "  50%  epo  3s left",
		3:   "  50%  ",
	} {
		got := barDrawing(columns, 0.5, line, left)
		if n := len([]rune(got)); got != want || columns >= 20 && n >= columns {
			t.Errorf("%d columns: %q, %d wide, want %q", columns, got, n, want)
		}
	}
}
