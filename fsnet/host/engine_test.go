package host_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/host/trainings"
	"fsnetlab/fsnet/session"
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

func realSubjects(path, backend string) sessiontest.Subjects {
	never, settled := "never", "settled"
	base := session.Config{Data: path, Label: "class", K: 3, Hidden: []int{4}, Stop: never, Epochs: 20, Backend: backend,
		SelectorLearningRate: new(0.1)}
	long, settling, failing := base, base, base
	long.Epochs = 100_000_000
	settling.Epochs, settling.Stop = 400, settled
	failing.LearningRate, failing.Epochs, failing.Hidden = new(1e12), 100, nil // the deeper the network, the sooner it overflows
	return sessiontest.Subjects{Short: base, Long: long, Settling: settling, Failing: failing, Rounds: 2}
}

// The suite again, with what people train with.
func TestRealTrainingsConform(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes about ten seconds")
	}
	backend := "xla:cpu"
	if device.FindPlugin(backend) == "" {
		t.Logf("backend %s is NOT TESTED, since no plugin is in %s", backend, strings.Join(device.PluginDirectories(), ", "))
		backend = "go"
	}
	engine := new(trainings.Opener)
	sessiontest.ConformOn(t, realSubjects(planted(t), backend), func(t *testing.T) session.Caller {
		return dial(t, serve(t, newHost(t, engine.Open)))
	})
}

func TestRealTrainingFindsThePlantedFeatures(t *testing.T) {
	engine := new(trainings.Opener)
	h := newHost(t, engine.Open)
	if _, err := session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "planted",
		Config: session.Config{Data: planted(t), Label: "class", K: 3}}); err != nil {
		t.Fatal(err)
	}
	if _, err := session.On(h, "planted").Run(t.Context(), session.Until{}); err != nil {
		t.Fatal(err)
	}
	list, err := session.On(h, "planted").Selection(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := " " + strings.Join(session.Selection(list).Names(), " ") + " "
	if !strings.Contains(names, " g3 ") || !strings.Contains(names, " g7 ") {
		t.Errorf("selected%s", names)
	}
	e, err := session.On(h, "planted").Evaluate(t.Context(), "test")
	if err != nil || e.Accuracy < 0.9 {
		t.Errorf("accuracy %.3f, %v", e.Accuracy, err)
	}
}

// Wrong data and settings are one line, whoever noticed it.
func TestRealTrainingRefuses(t *testing.T) {
	engine := new(trainings.Opener)
	h := newHost(t, engine.Open)
	path := planted(t)
	for name, c := range map[string]struct {
		config session.Config
		kind   fault.Kind
		words  string
	}{
		"no data set":     {session.Config{}, fault.Request, "ALLAML"},
		"no such file":    {session.Config{Data: "nowhere.csv"}, fault.NotFound, "nowhere.csv"},
		"no such builtin": {session.Config{Data: "ALLAMl2"}, fault.NotFound, "ALLAML"},
		"no such label":   {session.Config{Data: path, Label: "clas"}, fault.Request, "class"},
		"k too large":     {session.Config{Data: path, Label: "class", K: 31}, fault.Request, "31"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "x", Config: c.config})
			if !fault.Is(err, c.kind) && !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), c.words) {
				t.Errorf("want %s, %q: %v", c.kind, c.words, err)
			}
		})
	}
}
