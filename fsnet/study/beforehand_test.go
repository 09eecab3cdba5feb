package study

import (
	"fmt"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/internal/rng"
)

// Half-samples are told under their own names what is known of the columns; a decoy shares never and cost with its column, and nothing
// else.
func TestHalvesAreTold(t *testing.T) {
	const n, d = 24, 6
	r := rng.New(1, "told")
	x := make([]float32, n*d)
	var labels []string
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for i := range n {
		labels = append(labels, []string{"a", "b"}[i%2])
	}
	data, err := dataset.New("told", x, []string{"f", "e", "d", "c", "b", "a"}, labels) // places are by name
	if err != nil {
		t.Fatal(err)
	}
	s, err := config.Config{K: 3, Must: []string{"c", "a"}, Never: []string{"f"}, Cost: "b:2.5", FeatureGroups: "a:x,b:x,e:y",
		Backend: "go"}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	sample, err := newHalfSample(data, s, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	half, told, err := sample.half(s, 0)
	if err != nil {
		t.Fatal(err)
	}
	k, err := dataset.ReadConstraints(told, half)
	if err != nil {
		t.Fatal(err)
	}
	// Places a b c d e f are 0 to 5, their decoys 6 to 11.
	if !slices.Equal(k.Must, []int{2, 0}) || len(k.Never) != 2 || !k.Never[5] || !k.Never[11] || fmt.Sprint(k.Cost) != "map[1:2.5 7:2.5]" ||
		fmt.Sprint(k.Group) != "map[0:1 1:1 4:2]" {
		t.Errorf("%+v", k)
	}
}
