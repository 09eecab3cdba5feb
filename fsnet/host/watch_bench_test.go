package host_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/host/trainings"
	"fsnetlab/fsnet/session"
)

// BenchmarkWatchedRun says what a watcher of everything, ten times a second, costs a run on 72 rows of 7129 features: the share of its
// steps a second that it loses, and how many updates came. Runs with and without it take turns.
func BenchmarkWatchedRun(b *testing.B) {
	path := table(b, 72, 7129)
	for _, k := range []int{10, 50} {
		b.Run(fmt.Sprintf("K=%d", k), func(b *testing.B) {
			engine := new(trainings.Opener)
			h := newHost(b, engine.Open)
			config := session.Config{Data: path, Label: "class", K: k, Epochs: 1_000_000, Stop: "never"}
			if _, err := session.VerbOpen.Call(b.Context(), h, session.OpenRequest{Session: "s", Config: config}); err != nil {
				b.Skip(err)
			}
			const steps = 200
			updates := 0
			run := func(watched bool) time.Duration {
				ctx, stop := context.WithCancel(b.Context())
				ended := make(chan error, 1)
				began := make(chan struct{}, 1)
				if watched {
					go func() {
						ended <- session.On(h, "s").Watch(ctx,
							session.WatchRequest{Selection: true, Matrix: new(session.MatrixRequest), History: new(session.HistoryRequest)},
							func(session.Update) {
								updates++
								select {
								case began <- struct{}{}:
								default:
								}
							})

					}()
					<-began
				} else {
					ended <- nil
				}
				start := time.Now()
				if _, err := session.On(h, "s").Step(ctx, steps); err != nil {
					b.Fatal(err)
				}
				took := time.Since(start)
				stop()
				if err := <-ended; err != nil {
					b.Fatal(err)
				}
				return took
			}
			run(true) // compiles
			updates = 0
			var watched, alone time.Duration
			for b.Loop() {
				alone += run(false)
				watched += run(true)
			}
			b.ReportMetric(100*(1-alone.Seconds()/watched.Seconds()), "%lost")
			b.ReportMetric(float64(updates)/watched.Seconds(), "updates/s")
			b.ReportMetric(float64(b.N*steps)/alone.Seconds(), "steps/s")
		})
	}
}

// table writes noise with a class column.
func table(b *testing.B, rows, features int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var t strings.Builder
	t.WriteString("class")
	for j := range features {
		fmt.Fprintf(&t, ",g%d", j)
	}
	for i := range rows {
		t.WriteString("\n" + []string{"healthy", "ill"}[i%2])
		for range features {
			fmt.Fprintf(&t, ",%.3f", random.NormFloat64())
		}
	}
	path := filepath.Join(b.TempDir(), "noise.csv")
	if err := os.WriteFile(path, []byte(t.String()+"\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}
