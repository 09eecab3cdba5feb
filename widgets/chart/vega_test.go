package chart

import (
	"fmt"
	"strings"
	"testing"

	"fsnetlab/tests/kit/charttest"
)

// The tests in the browser ask for the specifications as files, and look at what becomes of them.
func TestSpecificationsStandAlone(t *testing.T) {
	check := func(name string, p Picture, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		charttest.SpecificationStandsAlone(t, name, p.VegaLite)
	}
	for name, m := range matrices() {
		p, err := Matrix(m)
		check("matrix-"+name, p, err)
	}
	for name, h := range histories() {
		p, err := Curves(h)
		check("curves-"+name, p, err)
	}
	for name, h := range convergences() {
		p, err := Convergence(h)
		check("convergence-"+name, p, err)
	}
	for name, f := range features() {
		p, err := Feature(f)
		check("feature-"+name, p, err)
	}
}

func TestTooltipsNameFeatureSelectorAndProbability(t *testing.T) {
	p, err := Matrix(sampleMatrix(10, 40, 0.5))
	if err != nil {
		t.Fatal(err)
	}
	var spec struct{ Layer []charttest.VegaLayer }
	charttest.DecodeJSON(t, p.VegaLite, &spec)
	said := ""
	for _, layer := range spec.Layer {
		if layer.Encoding.Color.Scale != nil {
			said = fmt.Sprint(layer.Encoding.Tooltip)
		}
	}
	for _, want := range []string{"{feature feature}", "{selector selector}", "{value probability}"} {
		if !strings.Contains(said, want) {
			t.Errorf("the tooltip %s lacks %s", said, want)
		}
	}
}
