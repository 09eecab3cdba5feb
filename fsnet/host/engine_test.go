package host_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/tests/kit/devicetest"
	"fsnetlab/tests/kit/sessiontest"
)

// planted writes a table of 40 samples in which features g3 and g7 tell the classes apart and 28 do not.
func planted(t *testing.T) string {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("class")
	for j := range 30 {
		fmt.Fprintf(&b, ",g%d", j)
	}
	for i := range 40 {
		class := i % 2
		b.WriteString("\n" + []string{"healthy", "ill"}[class])
		for j := range 30 {
			x := random.NormFloat64()
			if j == 3 || j == 7 {
				x += 4 * float64(class)
			}
			fmt.Fprintf(&b, ",%.4f", x)
		}
	}
	path := filepath.Join(t.TempDir(), "planted.csv")
	if err := os.WriteFile(path, []byte(b.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// middling writes a table of 60 samples in which M has one class in the middle and the other at both sides, beside 120 genes of noise.
// Blends hide it, so that selectors settle on noise.
func middling(t *testing.T) string {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString("class,M")
	for j := range 120 {
		fmt.Fprintf(&b, ",g%d", j)
	}
	for i := range 60 {
		class := i % 2
		fmt.Fprintf(&b, "\n%s,%.4f", []string{"healthy", "ill"}[class], 0.2*random.NormFloat64()+2*float64(class*(2*random.IntN(2)-1)))
		for range 120 {
			fmt.Fprintf(&b, ",%.4f", random.NormFloat64())
		}
	}
	path := filepath.Join(t.TempDir(), "middling.csv")
	if err := os.WriteFile(path, []byte(b.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func realSubjects(path, contested, backend string) sessiontest.Subjects {
	never, settled := "never", "settled"
	base := session.Config{Data: path, Label: "class", K: 3, Hidden: []int{4}, Stop: never, Epochs: 20, Backend: backend,
		SelectorLearningRate: new(0.1)}
	long, settling, failing := base, base, base
	long.Epochs = 100_000_000
	settling.Epochs, settling.Stop = 400, settled
	failing.LearningRate, failing.Epochs, failing.Hidden = new(1e12), 100, nil // the deeper the network, the sooner it overflows
	return sessiontest.Subjects{Short: base, Long: long, Settling: settling, Failing: failing, Rounds: 2,
		Contested: session.Config{Data: contested, Label: "class", K: 2, Hidden: []int{4}, Stop: settled, Epochs: 100, Backend: backend, Seed: 1}}
}

// The conformance suite passes with the real engine.
func TestHost_RealTrainingsConform(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes about ten seconds")
	}
	backend := devicetest.Backend(t)
	engine := new(train.Opener)
	sessiontest.ConformOn(t, realSubjects(planted(t), middling(t), backend), func(t *testing.T) session.Caller {
		return dial(t, serve(t, newHost(t, engine.Open)))
	})
}
