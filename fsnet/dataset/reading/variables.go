package reading

import (
	"cmp"
	"context"
	"fmt"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/word"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
	"slices"
	"strings"
)

// variable is one of a file that holds some by name.
type variable struct {
	values
	name string
	dims []int
}

type values interface {
	String() string
	IsText() bool
	Texts() ([]string, error)
	CheckMatrix() error
	Matrix() ([]float32, error)
	Vector(remedy string) ([]float64, error)
}

// variables are those of a file.
type variables struct {
	path string
	list []variable
}

// lookup is the variable of a name, if need be in another case; nil if there is none.
func (c variables) lookup(name string) *variable {
	at := slices.IndexFunc(c.list, func(v variable) bool { return v.name == name })
	if at < 0 {
		at = slices.IndexFunc(c.list, func(v variable) bool { return strings.EqualFold(v.name, name) })
	}
	if at < 0 {
		return nil
	}
	return &c.list[at]
}

// reading makes a reading of X, the measurements, and Y, the classes, or of what x and label name.
func (c variables) reading(ctx context.Context, s config.Settings) (*Reading, error) {
	contents, path := c, c.path
	label := s.Label
	if label == "" {
		label = c.looksLikeLabel()
	}
	x, err := contents.variable(cmp.Or(s.X, "X"), "the measurements, samples × features")
	if err != nil {
		return nil, err
	}
	y, err := contents.variable(label, "the class of each sample")
	if err != nil {
		return nil, err
	}
	if err := x.CheckMatrix(); err != nil {
		return nil, err
	}
	n, d := x.dims[0], x.dims[1]
	if n == 0 || d == 0 {
		return nil, fault.New(fault.Request, "check how it was made", "%s: variable %s is empty (%d×%d)", path, x.name, n, d)
	}
	r := &Reading{LabelName: "variable " + y.name}
	if r.Labels, err = matLabels(y); err != nil {
		return nil, err
	}
	if len(r.Labels) != n {
		hint := "Y needs one class for each row of X"
		if len(r.Labels) == d {
			hint = "X looks transposed: its rows must be the samples"
		}
		return nil, fault.New(fault.Request, hint, "%s: %s has %d rows, %s has %d classes", path, x.name, n, y.name, len(r.Labels))
	}
	for _, c := range s.RowColumns() {
		v, err := contents.variable(c.Column, c.Key)
		if err != nil {
			return nil, err
		}
		texts, err := matLabels(v)
		if err != nil {
			return nil, err
		}
		if len(texts) != n {
			return nil, fault.New(fault.Request, "save one for each row of X",
				"%s: variable %s (%s) has %d values for %d rows", path, v.name, c.Key, len(texts), n)
		}
		r.tell(c.Column, texts)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.X, err = x.Matrix(); err != nil {
		return nil, err
	}
	if r.Features, err = contents.names(d, "features", "feature_names", "genes", "names", "columns"); err != nil {
		return nil, err
	}
	r.Samples, err = contents.names(n, "samples", "sample_names")
	return r, err
}

// looksLikeLabel is Y, or the only variable that is called like a label.
func (c variables) looksLikeLabel() string {
	var found []string
	for _, v := range c.list {
		if looksLikeLabel(v.name) {
			found = append(found, v.name)
		}
	}
	if c.lookup("Y") != nil || len(found) != 1 {
		return "Y"
	}
	return found[0]
}

// names reads the first of some variables that there is as count names; without one there are none.
func (c variables) names(count int, variables ...string) ([]string, error) {
	for _, name := range variables {
		v := c.lookup(name)
		if v == nil || !v.IsText() {
			continue
		}
		texts, err := matTexts(v)
		if err != nil {
			return nil, err
		}
		if len(texts) != count {
			return nil, fault.New(fault.Request, "make the counts agree, or take the variable out",
				"%s: variable %s holds %d names for %d", c.path, v.name, len(texts), count)
		}
		for i, text := range texts {
			if text == "" {
				return nil, fault.New(fault.Request, "give it a name, or take the variable out",
					"%s: name %d in variable %s is empty", c.path, i+1, v.name)
			}
		}
		return texts, nil
	}
	return nil, nil
}

// variable is Lookup for one that must be there.
func (c variables) variable(name, meaning string) (*variable, error) {
	if v := c.lookup(name); v != nil {
		return v, nil
	}
	if len(c.list) == 0 {
		return nil, fault.New(fault.Request, "save X and Y in it", "%s holds no variable", c.path)
	}
	name = word.Clean(name)
	likely := c.likely()
	var names, described []string
	for _, v := range c.list {
		names = append(names, v.name)
		described = append(described, v.String())
	}
	remedy := fmt.Sprintf("%s (%s) must be one of its variables", name, meaning)
	if near := suggest.Nearest(name, names); near != "" && len(name) > 1 {
		remedy = "did you mean " + near + "?"
	} else if likely != "" {
		remedy = "name its variables, as in " + likely
	}
	if len(described) > 10 {
		described = append(described[:10], fmt.Sprintf("%d more", len(described)-10))
	}
	return nil, fault.New(fault.Request, remedy, "%s has no variable %s; it has %s", c.path, name, strings.Join(described, ", "))
}

// matTexts are a variable's texts as names.
func matTexts(v *variable) ([]string, error) {
	texts, err := v.Texts()
	for i := range texts {
		texts[i] = word.Clean(texts[i])
	}
	return texts, err
}

// matLabels reads a vector of numbers, a cell array of text or a char matrix as one text for each row.
func matLabels(v *variable) ([]string, error) {
	if v.IsText() {
		texts, err := matTexts(v)
		for i, text := range texts {
			if word.IsMissing(text) {
				texts[i] = ""
			}
		}
		return texts, err
	}
	numbers, err := v.Vector("save one class for each sample")
	if err != nil {
		return nil, err
	}
	labels := make([]string, len(numbers))
	for i, x := range numbers {
		if x == x {
			labels[i] = word.Spell(x)
		}
	}
	return labels, nil
}

// likely names the variables that may be the measurements and the classes: the largest matrix, and what has one value for each of its rows;
// "" where there are none such.
func (c variables) likely() string {
	var x *variable
	size := func(v *variable) int { return v.dims[0] * v.dims[1] }
	for i := range c.list {
		if v := &c.list[i]; len(v.dims) == 2 && min(v.dims[0], v.dims[1]) > 1 && v.CheckMatrix() == nil && (x == nil || size(v) > size(x)) {
			x = v
		}
	}
	if x == nil {
		return ""
	}
	text := "x=" + x.name
	for _, v := range c.list {
		one, rows := true, 0
		for _, n := range v.dims {
			if n == x.dims[0] {
				rows++
			} else {
				one = one && n == 1
			}
		}
		switch v.name {
		case "samples", "sample_names":
		default:
			if one && rows == 1 {
				return text + " label=" + v.name
			}
		}
	}
	return text
}
