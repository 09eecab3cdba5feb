package study

import (
	"reflect"
	"strings"
	"testing"

	"fsnetlab/fsnet/fault"
)

func TestParseGrid(t *testing.T) {
	for text, want := range map[string]Grid{
		"k=5,10,5 lambda=0,1e0,1":             {{"k", []string{"5", "10"}}, {"lambda", []string{"0", "1"}}},
		"selector-learning-rate=0.01,0.001":   {{"selector_learning_rate", []string{"0.01", "0.001"}}},
		"hidden=64,32|32":                     {{"hidden", []string{"64,32", "32"}}},
		"hidden=64,32 k=1,2":                  {{"hidden", []string{"64,32"}}, {"k", []string{"1", "2"}}},
		"schedule=exponential,points:1=2,3=4": {{"schedule", []string{"exponential", "points:1=2,3=4"}}},
		"protocol=fsnet,paper":                {{"protocol", []string{"fsnet", "paper"}}},
	} {
		if g, err := ParseGrid(text); err != nil || !reflect.DeepEqual(g, want) {
			t.Errorf("%s: %v, %v", text, g, err)
		}
	}
	for text, want := range map[string]string{
		"":                    "nothing to choose from",
		"k=5":                 "nothing to choose from",
		"k":                   `"k" has no values`,
		"k=":                  "not a whole number",
		"k=5,0":               "below 1",
		"lamda=0,1":           "did you mean lambda?",
		"seed=1,2":            "seed is the same for all combinations - give it as an option, such as --seed",
		"test_fraction=.1,.2": "--test-fraction",
		"k=1,2 k=3,4":         "k is there twice",
		"k=" + strings.Repeat("1,2,", 500) + "3 epochs=" + numbers(600): "more than 1000 combinations",
	} {
		if _, err := ParseGrid(text); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}

// numbers are 1 to n with commas between.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.Repeat("1", 1+i/100))
		b.WriteString(string(rune('0'+i/10%10)) + string(rune('0'+i%10)))
	}
	return b.String()
}
