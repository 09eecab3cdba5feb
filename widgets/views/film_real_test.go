//go:build !race

package views

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/num"
)

// The same is true of real trainings, 15 rows in batches of 4. The race
// detector's build would compile all that trains for it.
func TestFilm_OfRealTrainings(t *testing.T) {
	directory := t.TempDir()
	table := "TP53,BRCA1,MYC,diagnosis\n" + strings.Repeat("1,2,3,well\n9,3,3.5,ill\n2,4,2,well\n8,1,4,ill\n", 5)
	if err := os.WriteFile(filepath.Join(directory, "cohort.csv"), []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	config := session.Config{Data: "cohort.csv", K: 2, Epochs: 1000, Backend: "go", Stop: "never", Batch: new(4)}
	newFilm(t, new(train.Opener).Open, config, directory).once()
	for seed := range 3 {
		f, draw := newFilm(t, new(train.Opener).Open, config, directory), num.RNG(int64(seed), "real film")
		for range 20 {
			f.play(t.Context(), draw)
		}
		f.settled()
	}
}
