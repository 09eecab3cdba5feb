package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/internal/suggest"
)

// How the rows are divided by chance.
const (
	Stratified = "stratified" // each class gives its share
	Random     = "random"
)

// OwnSplit is a split of the user's own, as the key split names it. The zero value is none.
type OwnSplit struct {
	Column string // holds the words train, validation and test, or the numbers of folds
	Value  string // of the test rows in Column, such as the number of a fold; "" where it holds the words
	File   string // names of samples, each with its word, or those of the test rows alone
}

// ParseSplit reads a value of the key split.
func ParseSplit(text string) (OwnSplit, error) {
	kind, name, own := strings.Cut(text, ":")
	name = strings.TrimSpace(name)
	switch words := []string{Stratified, Random}; {
	case text == "" || slices.Contains(words, text):
		return OwnSplit{}, nil
	case !own:
		return OwnSplit{}, errors.New(suggest.DidYouMean(text, words))
	case kind != "column" && kind != "file":
		return OwnSplit{}, fmt.Errorf("%q is neither column nor file", kind)
	case name == "":
		return OwnSplit{}, fmt.Errorf("no name after %s", kind)
	case kind == "file":
		return OwnSplit{File: name}, nil
	}
	column, value := name, ""
	if at := strings.LastIndexByte(name, '='); at > 0 {
		column, value = strings.TrimSpace(name[:at]), strings.TrimSpace(name[at+1:])
		if value == "" {
			return OwnSplit{}, errors.New("no value after =")
		}
	}
	return OwnSplit{Column: column, Value: value}, nil
}

// RowColumn is a column that tells something of the rows other than their class, and the key that names it.
type RowColumn struct{ Key, Column string }

// RowColumns lists them. They are no features.
func (s Settings) RowColumns() []RowColumn {
	own, _ := ParseSplit(s.Split) // Resolve has checked it
	list := []RowColumn{{"groups", s.Groups}, {"paired", s.Pairs}, {"row_weights", s.RowWeights}, {"nuisance", s.Nuisance},
		{"split", own.Column}}
	return slices.DeleteFunc(list, func(c RowColumn) bool { return c.Column == "" })
}

// WithoutDivision are the settings for data whose rows are not to be divided, such as those that a model predicts. What changes the
// measurements of a row stays.
func (s Settings) WithoutDivision() Settings {
	s.Groups, s.RowWeights, s.Split = "", "", Stratified
	return s
}
