package study

import (
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/listed"
	"fsnetlab/internal/suggest"
)

// Axis is a key with the values to try, as text, in the order of preference.
type Axis struct {
	Key    string   `json:"key"`    // name of the key
	Values []string `json:"values"` // as text
}

// Grid is every combination of the values of its axes.
type Grid []Axis

// MaxCombinations is the most combinations of a grid.
const MaxCombinations = 1000

// gridKeys are those that may stand in a grid: K, and those of the training. What divides, fills and scales the rows is the same for all
// combinations, and the seed is no setting: its best value is chance.
func gridKeys() []string { return append([]string{"k"}, Settings()...) }

// ParseGrid reads a grid such as "k=5,10,20 lambda=0,1": keys with their values, commas between. Values that have commas themselves are
// separated by bars, as in "hidden=64,32|32,16". The error is of kind Request.
func ParseGrid(text string) (Grid, error) {
	var g Grid
	for _, word := range strings.Fields(text) {
		key, values, has := strings.Cut(word, "=")
		if !has {
			return nil, fault.New(fault.Request, "write key=value,value, as in k=5,10,20 lambda=0,1", "grid: %q has no values", word)
		}
		axis, err := newAxis(key, values)
		if err != nil {
			return nil, err
		}
		g = append(g, axis)
	}
	return g, g.check()
}

// newAxis is one key of a grid with its values, written as [ParseGrid] takes them. They are checked, and one that is there twice counts
// once.
func newAxis(key, values string) (Axis, error) {
	a := Axis{Key: strings.ReplaceAll(key, "-", "_")}
	if _, err := config.Lookup(a.Key); err != nil {
		return a, fault.New(fault.Request, suggest.DidYouMean(a.Key, gridKeys()), "grid: unknown key %q", key)
	}
	if !slices.Contains(gridKeys(), a.Key) {
		return a, fault.New(fault.Request, "give it as an option, such as --"+strings.ReplaceAll(a.Key, "_", "-"),
			"grid: %s is the same for all combinations", a.Key)
	}
	for _, value := range separateValues(a.Key, values) {
		var c config.Config
		if err := c.Set(a.Key, value); err != nil {
			return a, fault.At(err, "grid")
		}
		if text := c.Text(a.Key); text != "" && !slices.Contains(a.Values, text) { // "" would be the default, whatever that is
			a.Values = append(a.Values, text)
		}
	}
	if len(a.Values) == 0 {
		return a, fault.New(fault.Request, "write "+a.Key+"=VALUE,VALUE", "grid: %s has no values", a.Key)
	}
	return a, nil
}

// separateValues takes values apart: at bars where there are some, else at commas - but a list of widths is one value, and so are the points of a
// schedule, whose parts begin with a digit.
func separateValues(key, values string) []string {
	switch {
	case strings.Contains(values, "|"):
		return strings.Split(values, "|")
	case key == "hidden" || key == "predictor_hidden":
		return []string{values}
	}
	return listed.Joined(strings.Split(values, ","), func(_, part string) bool {
		return key == "schedule" && part != "" && part[0] >= '0' && part[0] <= '9'
	})
}

// check refuses what is no grid.
func (g Grid) check() error {
	n := 1
	for i, a := range g {
		if slices.ContainsFunc(g[:i], func(b Axis) bool { return b.Key == a.Key }) {
			return fault.New(fault.Request, "give all its values at once", "grid: %s is there twice", a.Key)
		}
		if n *= len(a.Values); n > MaxCombinations {
			return fault.New(fault.Request, fmt.Sprintf("try %d or fewer at once", MaxCombinations), "grid: more than %d combinations",
				MaxCombinations)
		}
	}
	if n < 2 {
		return fault.New(fault.Request, "give a key at least two values, as in k=5,10,20", "grid: there is nothing to choose from")
	}
	return nil
}

// values are those of a key, or nil.
func (g Grid) values(key string) []string {
	if i := slices.IndexFunc(g, func(a Axis) bool { return a.Key == key }); i >= 0 {
		return g[i].Values
	}
	return nil
}

// combinations are those of all axes but k, the last axis changing first.
func (g Grid) combinations() ([]config.Config, error) {
	list := []config.Config{{}}
	for _, a := range g {
		if a.Key == "k" {
			continue
		}
		var longer []config.Config
		for _, c := range list {
			for _, value := range a.Values {
				next := c
				if err := next.Set(a.Key, value); err != nil {
					return nil, err
				}
				longer = append(longer, next)
			}
		}
		list = longer
	}
	return list, nil
}
