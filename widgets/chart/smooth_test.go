package chart

import (
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/spec"
)

// averaged is which curves of a figure have an average, in order.
func averaged(f figure) (metrics []string) {
	for _, p := range f.panels {
		for _, c := range p.curves {
			if c.smooth != nil {
				metrics = append(metrics, c.metric)
			}
		}
	}
	return metrics
}

// What is measured on batches is averaged, over as many epochs as were asked for, or else as the length suggests; nothing else is.
func TestNoisyCurvesAreAveraged(t *testing.T) {
	noisy := []string{"loss", "loss_class", "loss_reconstruction", "accuracy_train"}
	for _, c := range []struct {
		what   string
		epochs int
		asked  *int
		smooth int
	}{
		{"as it is", sampleStop, nil, 5}, {"a hundred epochs", 100, nil, 2}, {"few epochs", 49, nil, 0}, {"not at all", sampleStop, new(0), 0},
		{"over many", sampleStop, new(40), 40}, {"few epochs, asked for", 30, new(3), 3},
		{"too few points", session.LeastSmoothed - 1, new(3), 0},
	} {
		h := sampleHistory(c.epochs)
		h.Smooth = c.asked
		f := figureOf(h, usual())
		want := noisy
		if c.smooth == 0 {
			want = nil
		}
		if got := averaged(f); f.smooth != c.smooth || !slices.Equal(got, want) {
			t.Errorf("%s: %v over %d epochs, want %v over %d", c.what, got, f.smooth, want, c.smooth)
			continue
		}
		if c.smooth > 0 &&
			!slices.Equal(f.panels[0].curves[0].smooth, h.Curves["loss"].Smooth(float64(c.smooth*samplePerEpoch), h.LossMadeOtherwise()...)) {
			t.Errorf("%s: the average is another one", c.what)
		}
	}
	bare := sampleHistory(100)
	bare.PerEpoch = 0
	if got := averaged(figureOf(bare, usual())); got != nil {
		t.Errorf("where the epochs are not known, %v", got)
	}
}

// Picture, text and the sentence for those who see nothing say that a line is smoothed, and over what, and who points at it is told both
// values.
func TestSmoothingIsSaid(t *testing.T) {
	f := figureOf(sampleHistory(sampleStop), usual())
	p, err := Curves(sampleHistory(sampleStop))
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{"text": p.Text, "alt": p.Alt, "a terminal": p.Terminal(60)} {
		if flat := strings.Join(strings.Fields(text), " "); !strings.Contains(flat, "smoothed over 5 epochs, raw faint") ||
			!strings.Contains(flat, "(smoothed 0.0") {
			t.Errorf("%s does not say that lines are smoothed: %s", form, text)
		}
	}
	c, both := f.panels[0].curves[1], false
	for _, d := range marksIn(f.panel(f.panels[0]), spec.Line) {
		both = both || slices.Contains(d.Tips, any(spec.Rounded(c.values[100]))) && slices.Contains(d.Tips, any(spec.Rounded(c.smooth[100])))
	}
	if !both {
		t.Error("nobody says the raw loss of the class and its average")
	}
}
