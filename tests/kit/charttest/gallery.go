package charttest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"fsnetlab/widgets/chart/scene"
)

//nolint:gochecknoglobals // a flag of the tests
var gallery = flag.String("gallery", "", "write all pictures, for light and dark paper, into this `directory`")

// writeGallery writes NAME.png and NAME.dark.png.
func writeGallery(t *testing.T, name string, s *scene.Scene) {
	t.Helper()
	for ending, of := range map[string]*scene.Scene{".png": s, ".dark.png": s.Dark()} {
		picture, err := of.PNG()
		if err == nil {
			err = os.WriteFile(filepath.Join(*gallery, name+ending), picture, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
