package chart

import (
	"fmt"
	"image/color"
	"strings"
	"testing"

	"fsnetlab/fsnet/session"
)

// sampleFeature has so many classes of twenty rows, each further to the right, and a course of so many points.
func sampleFeature(classes, points int) session.Feature {
	f := session.Feature{Session: "leukemia", Step: 1500, Index: 4846, Name: "X95735_at", Kept: true}
	for i := range 11 {
		f.Bins.Edges = append(f.Bins.Edges, 100+250*float64(i))
	}
	for c := range classes {
		counts := make([]int, 10)
		for i := range 20 {
			counts[min(9, (i*i/60+c*9/max(classes-1, 1))%10)]++
		}
		f.Bins.Counts = append(f.Bins.Counts, counts)
		f.Classes = append(f.Classes, session.Distribution{Class: fmt.Sprintf("class %c", 'A'+c), N: 20, Mean: 400 + 700*float64(c), SD: 210, Min: 100, Q1: 250, Median: 380, Q3: 610, Max: 2600})
	}
	for i := range points {
		f.Course.Add(i*1500/max(points-1, 1), []float64{0.0001, 0.98 * float64(i*i) / float64(max((points-1)*(points-1), 1)), 0.001})
	}
	f.Probability = []float64{0.0001, 0.98, 0.001}
	return f
}

func features() map[string]session.Feature {
	constant := sampleFeature(2, 0)
	constant.Kept, constant.Probability = false, nil
	constant.Bins = session.Bins{Edges: []float64{5, 5}, Counts: [][]int{{20}, {20}}}
	long := sampleFeature(6, 3)
	long.Name = "ENSG00000000000 homologue of an uncharacterised transmembrane protein <b>"
	return map[string]session.Feature{"two": sampleFeature(2, 40), "six": long, "constant": constant, "start": sampleFeature(3, 1), "none": {Session: "leukemia", Name: "empty"}}
}

func TestGoldenFeatures(t *testing.T) {
	for name, f := range features() {
		p, err := Feature(f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		golden(t, "feature-"+name, p)
	}
}

// Every count is to be read from both forms.
func TestFeatureRenderersShowTheSameMarks(t *testing.T) {
	for name, f := range features() {
		d := featureOf(f)
		spec, err := d.vegaLite()
		if err != nil {
			t.Fatal(err)
		}
		var vega struct {
			VConcat []struct {
				Layer []struct {
					Data struct {
						Values []struct {
							From, To float64
							Rows     int
						}
					}
				}
			}
		}
		decodeJSON(t, spec, &vega)
		b, err := d.png()
		if err != nil {
			t.Fatal(err)
		}
		img := decode(t, b)
		for c, counts := range f.Bins.Counts {
			for bin, n := range counts {
				v := vega.VConcat[0].Layer[c].Data.Values[bin]
				if v.Rows != n {
					t.Errorf("%s: class %d has %d rows in bin %d, shown as %d", name, c, n, bin, v.Rows)
				}
				x := plotLeft + d.x((v.From+v.To)/2)
				for _, at := range []struct {
					rows   float64
					filled bool
				}{{float64(n) - 0.2, n > 0}, {float64(n) + 0.4, false}} {
					if at.rows < 0 || at.rows > d.bars.high {
						continue
					}
					got := color.RGBAModel.Convert(img.At(int(x*pixelsPerPoint), int((d.barsTop()+d.bars.y(at.rows))*pixelsPerPoint))).(color.RGBA)
					red, green, blue := classColour(c).parts()
					near := func(a uint8, b uint32) bool { return max(uint32(a), b)-min(uint32(a), b) < 24 }
					if filled := near(got.R, red) && near(got.G, green) && near(got.B, blue); filled != at.filled {
						t.Errorf("%s: class %d, bin %d at %g of %d rows is %v", name, c, bin, at.rows, n, got)
					}
				}
			}
		}
		if courses := len(vega.VConcat) - 1; courses != len(d.course.panels) {
			t.Errorf("%s: %d courses", name, courses)
		}
	}
}

func TestFeatureOfUnevenNumbers(t *testing.T) {
	f := sampleFeature(2, 5)
	f.Course.Selectors = f.Course.Selectors[:2]
	p, err := Feature(f)
	if err != nil || strings.Contains(p.Text, "in P") {
		t.Errorf("%v: %s", err, p.Text)
	}
}
