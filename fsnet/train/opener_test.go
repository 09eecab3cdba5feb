package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// settings are those of a training of a few milliseconds, on a table in a
// directory.
func settings(t *testing.T, data string) (config.Settings, string) {
	t.Helper()
	directory := t.TempDir()
	table := "TP53,BRCA1,diagnosis\n" + strings.Repeat("1,2,well\n9,3,ill\n2,4,well\n8,1,ill\n", 5)
	check(t, os.WriteFile(filepath.Join(directory, "cohort.csv"), []byte(table), 0o600))
	s, err := config.Config{Data: data, K: 1, Epochs: 20, Backend: "go", Stop: "never"}.Resolve()
	check(t, err)
	return s, directory
}

// keep goes to a step and writes a checkpoint.
func keep(t *testing.T, training session.Training, step int, path string) {
	t.Helper()
	for now := training.Status().Step; now < step; now = training.Status().Step {
		if _, err := training.Advance(t.Context(), step-now); err != nil {
			t.Fatal(err)
		}
	}
	save, err := training.Checkpoint()
	if err == nil {
		err = save(path)
	}
	check(t, err)
}

// Sessions of one backend share its device. A failed open leaves nothing
// behind.
func TestOpener_SharesDevices(t *testing.T) {
	s, directory := settings(t, "cohort.csv")
	o := new(Opener)
	for range 2 {
		training, err := o.Open(t.Context(), s, directory)
		check(t, err)
		defer training.Close()
	}
	if len(o.devices) != 1 {
		t.Errorf("%d devices are open", len(o.devices))
	}
	s.Data = "absent.csv"
	if training, err := o.Open(t.Context(), s, directory); training != nil || !errs.Is(err, errs.NotFound) {
		t.Errorf("%v, %v", training, err)
	}
	s.Data, s.Backend = "cohort.csv", "xla:nowhere"
	if training, err := o.Open(t.Context(), s, directory); training != nil || err == nil || len(o.devices) != 1 {
		t.Errorf("%v, %v", training, err)
	}
}

// A training resumes from the newest whole checkpoint, with those before it as
// its past. Damaged ones are named.
func TestResume_NewestWholeCheckpoint(t *testing.T) {
	s, directory := settings(t, "cohort.csv")
	at := func(name string) string { return filepath.Join(directory, name) }
	o := new(Opener)
	training, err := o.Open(t.Context(), s, directory)
	check(t, err)
	defer training.Close()
	keep(t, training, 4, at("4"))
	keep(t, training, 9, at("9"))
	check(t, os.WriteFile(at("damaged"), []byte("half a file"), 0o600))
	again, damaged, err := o.Resume(t.Context(), []string{at("damaged"), at("9"), at("4")}, directory)
	if err != nil || len(damaged) != 1 || !strings.Contains(damaged[0].Error(), "damaged") {
		t.Fatalf("%v, %v", damaged, err)
	}
	defer again.Close()
	if now := again.Status(); now.Step != 9 || now.Loss != training.Status().Loss || now.State == session.Broken {
		t.Errorf("taken up as %+v", now)
	}
	past, err := again.Replay(4)
	check(t, err)
	defer past.Close()
	if past.Step() != 4 { // from the file, without a step
		t.Errorf("the way back to step 4 begins at %d", past.Step())
	}
	if _, damaged, err := o.Resume(t.Context(), []string{at("damaged"), at("absent")}, directory); !errs.Is(err, errs.Request) ||
		len(damaged) != 2 ||
		!strings.Contains(err.Error(), "none of 2 checkpoints") || !strings.Contains(err.Error(), "replace=true") {
		t.Errorf("%v, %v", damaged, err)
	}
}
