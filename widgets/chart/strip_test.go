package chart_test

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
)

// A strip has a column for each part with rows, each class as high as its
// fullest part, and says so in words.
func TestStrip_Columns(t *testing.T) {
	counts := [][]int{{4, 1, 0}, {0, 0, 7}}
	image := chart.Strip(counts)
	_, encoded, _ := strings.Cut(image, "base64,")
	svg, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(encoded, `"/>`))
	if err != nil || !strings.Contains(image, `alt="`+words.Strip(counts)+`"`) {
		t.Fatalf("%s: %v", image, err)
	}
	var high []string
	for _, column := range regexp.MustCompile(`M[\d.]+ [\d.]+v([\d.]+)h`).FindAllStringSubmatch(string(svg), -1) {
		high = append(high, column[1])
	}
	if got := strings.Join(high, " "); got != "17 4.25 17" {
		t.Errorf("columns are %s high in %s", got, svg)
	}
	if chart.Strip(nil) != "" {
		t.Error("no counts have a strip")
	}
}
