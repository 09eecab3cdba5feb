package host_test

import (
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
)

// Where tests ask for more to be told than usual, a run leaves most of its time to those who are told it, and makes the same steps.
func TestARunThatTellsMuchRests(t *testing.T) {
	took := func(factor float64) (took time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			h := host.New(host.Options{Open: open, UpdateFactor: factor})
			defer h.Shutdown()
			if _, err := h.Open(t.Context(), session.OpenRequest{Session: "leukemia", Config: session.Config{Data: "planted", K: 3}}); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			status, err := h.Run(t.Context(), "leukemia", session.Until{Step: 640})
			if err != nil || status.Step != 640 {
				t.Fatalf("%+v, %v", status, err)
			}
			took = time.Since(began)
		})
		return took
	}
	if usual, told := took(0), took(1.5); usual == 0 || told < 3*usual || told > 4*usual {
		t.Errorf("the run took %v, and %v where more is told", usual, told)
	}
}
