package chart

import (
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/scene"
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

// Legend, text and the sentence for those who see nothing say that a line is smoothed, and over what.
func TestSmoothingIsSaid(t *testing.T) {
	quantity := sampleHistory(sampleStop)
	quantity.Curves["r2_train"], quantity.Curves["r2_validation"] = quantity.Curves["accuracy_train"], quantity.Curves["accuracy_validation"]
	only := sampleHistory(sampleStop)
	only.Curves = map[string]session.Curve{"loss": only.Curves["loss"]}
	for name, c := range map[string]struct {
		h     session.History
		words []string
	}{
		"run": {sampleHistory(sampleStop), []string{
			"total", "class", "reconstruction, without λ (all smoothed over 5 epochs, raw faint)",
			"training batches (smoothed over 5 epochs, raw faint)", "validation rows",
		}},
		"quantity": {quantity, []string{"training batches (smoothed over 5 epochs, raw faint)"}},
		"only":     {only, []string{"total (smoothed over 5 epochs, raw faint)"}},
	} {
		p, err := Curves(c.h)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, m := range p.scene.Marks {
			if l, ok := m.(scene.Label); ok {
				said = append(said, l.Text)
			}
		}
		for _, word := range c.words {
			if !slices.Contains(said, word) {
				t.Errorf("%s: the legend does not say %q: %q", name, word, said)
			}
		}
		for form, text := range map[string]string{
			"text": p.Text, "alt": p.Alt, "a terminal": p.Terminal(80, true), "a narrow one": p.Terminal(60, false),
		} {
			if flat := strings.Join(strings.Fields(text), " "); !strings.Contains(flat, "smoothed over 5 epochs") ||
				!strings.Contains(flat, "(smoothed 0.0") {
				t.Errorf("%s: %s does not say that lines are smoothed: %s", name, form, text)
			}
		}
	}
}

// Who points at a line is told both values, in every form that can be pointed at.
func TestBothValuesAreAtThePointer(t *testing.T) {
	f := figureOf(sampleHistory(sampleStop), usual())
	c := f.panels[0].curves[1]
	both := 0
	for _, m := range f.scene().Marks {
		line, ok := m.(scene.Stroke)
		if !ok || line.Colour != c.colour || len(line.Points) != len(c.values) || line.Width != c.width && line.Width != measuredWidth {
			continue
		}
		facts := map[string]any{}
		for _, fact := range line.Facts {
			facts[fact.Name] = fact.Values[100]
		}
		if facts["class"] == scene.Rounded(c.values[100]) && facts["smoothed"] == scene.Rounded(c.smooth[100]) {
			both++
		}
	}
	if both < 2 {
		t.Errorf("%d lines of the class's loss say both values, want the raw one and its average", both)
	}
}
