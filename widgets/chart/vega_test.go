package chart

import (
	"strings"
	"testing"
)

func TestTooltipsNameFeatureSelectorAndProbability(t *testing.T) {
	p, err := Matrix(sampleMatrix(10, 40, 0.5))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"field":"x","title":"feature"}`, `{"field":"y","title":"selector"}`, `{"field":"value","title":"probability"}`} {
		if !strings.Contains(string(p.VegaLite), want) {
			t.Errorf("no tooltip says %s", want)
		}
	}
}
