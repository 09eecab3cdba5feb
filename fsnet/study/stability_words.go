package study

import "fsnetlab/fsnet/config"

// Word says in how many of the half-samples a feature or one of its look-alikes was chosen.
type Word string

// The words, from three quarters, a half and a quarter of the half-samples on, and from two half-samples.
const (
	Certain     Word = "certain"
	Likely      Word = "likely"
	Lead        Word = "a lead"       // chance sometimes comes as far
	Replaceable Word = "replaceable"  // linked to the label, and others would do
	NotRepeated Word = "not repeated" // of none or one: nothing but the choice itself speaks for it
)

// FewestForWords is how many half-samples a word needs at the least: of one or two everything would be certain.
const FewestForWords = 20

// FewestWithin is how many rows more than classes a half-sample must have for words. With one row of each class nothing varies within a
// class, so that no column tells more of the classes than another: the first ones by name are chosen each time, and would be certain.
const FewestWithin = 2

// Alike is the |r| from which features are look-alikes.
const Alike = 0.8

// WordFor is the word for a feature that was seen, itself or one of its look-alikes, in group of so many half-samples; "" where they are
// too few.
func WordFor(group, halves int) Word {
	switch {
	case halves < FewestForWords:
		return ""
	case 4*group >= 3*halves:
		return Certain
	case 2*group >= halves:
		return Likely
	case 4*group >= halves:
		return Lead
	case group > 1:
		return Replaceable
	}
	return NotRepeated
}

// fewRows is whether the half-samples have too few rows for words. A quantity has no classes within which something could vary.
func (r *StabilityResult) fewRows() bool {
	return r.Task != config.Regression && r.Half < len(r.Classes)+FewestWithin
}

// anyOfGroup is whether a word is about the group rather than the feature, which was chosen less than three quarters as often.
func anyOfGroup(seen, group, halves int) bool {
	return halves >= FewestForWords && 4*group >= halves && 4*seen < 3*group
}
