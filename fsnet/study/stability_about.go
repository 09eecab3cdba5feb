package study

import (
	"cmp"
	"fmt"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/count"
)

// about explains the result to people: what was counted, what the words mean and meant where the answer was known, what the decoys say of
// the whole choice, and the consensus; a paragraph each.
func (r *StabilityResult) about() []string {
	label, apart, measured := "class", "tells the classes apart", ""
	if r.Task == config.Regression {
		label, apart = "quantity", "goes along with the quantity"
		measured = " All these sets had classes: for quantities no such counts were made."
	}
	list := []string{
		"* chosen by the fit to all training rows, which stays the choice. Seen: in how many half-samples it was chosen; with look-alikes: " +
			"it, or a feature that says the same (|r| of .8 or more on the training rows, average linkage).",
	}
	if r.Failed > 0 {
		list = append(list, fmt.Sprintf("%d of %s failed, the first: %s", r.Failed, count.Of(r.Planned, "half-sample"), r.Failure))
	}
	switch {
	case r.fewRows():
		list = append(list, fmt.Sprintf("A half-sample has %s of %s, too few for words: below %s hardly anything varies within "+
			"a class, and ties are broken by name. That says nothing about which features to trust.", count.Of(r.Half, "row"), count.Of(len(r.Classes), "class"),
			count.Of(len(r.Classes)+FewestWithin, "row")))
	case r.Done < FewestForWords:
		list = append(list, fmt.Sprintf("Half-samples done: %d, too few for words: from %d on a line has one.", r.Done, FewestForWords))
	default:
		from := func(quarters int) int { return (quarters*r.Done + 3) / 4 }
		list = append(list,
			fmt.Sprintf("With look-alikes in %d or more: certain; in %d: likely; in %d: a lead, which chance sometimes reaches; in fewer: "+
				"replaceable, that is linked to the %s, and others would do; in one or none: not repeated, so that nothing but this choice speaks for it. Any of its group: itself less than three quarters as often as "+
				"its group, so that the word is about the group.", from(3), from(2), from(1), label),
			"What such counts meant on 90 sets whose causal features were known: of features that were themselves seen in three quarters or more "+
				".94 were causal (95 %: .73 to .99), from half to three quarters .48 (.81 with look-alikes), below a quarter .03. Where labels "+
				"were permuted no feature reached half."+measured)
	}
	list = append(list, r.Decoys.about(label, apart))
	if len(r.Consensus) > 0 {
		var names []string
		for _, f := range r.Consensus {
			names = append(names, fmt.Sprintf("%s %d", f.Name, f.Seen))
		}
		list = append(list, "Consensus, the most frequent: "+strings.Join(names, ", ")+".")
	}
	if a := cmp.Or(r.Accuracy, r.R2); a != nil {
		who := "a support vector machine"
		if r.R2 != nil {
			who = "R² of a kernel ridge regression"
		}
		line := fmt.Sprintf("On the %s, at which this was a look: %s on the choice %.3f", count.Of(a.Rows, "test row"), who, a.Chosen)
		if a.Consensus != nil {
			line += fmt.Sprintf(", on the consensus %.3f", *a.Consensus)
		}
		list = append(list, line+".")
	}
	s := r.Stability
	return append(list, fmt.Sprintf("Stability of the half-samples: Nogueira's %.2f (95 %%: %.2f to %.2f, too narrow since half-samples "+
		"share rows), Jaccard %.2f.", s.Nogueira, *s.Low, *s.High, s.Jaccard))
}

// about is what the decoys say, and what they do not, of a label where something tells its classes apart or goes along with it.
func (d *Decoys) about(label, apart string) string {
	if d == nil {
		return "No decoys took part, so nothing tells whether chance would choose as well."
	}
	alarm := ""
	if d.Alarm {
		alarm = "CHANCE IS NOT EXCLUDED for this choice as a whole. "
	}
	return alarm + fmt.Sprintf("Decoys, copies of the columns with permuted rows, took %.0f %% of the picks; half or more would mean that "+
		"nothing %s. Estimated share of chance at the best cut: %.2f. This is about the choice as a whole and about "+
		"\"related to the %s\": it is no verdict on a feature, and does not tell causes from what goes along with them.", 100*d.Share, apart, d.Q, label)
}
