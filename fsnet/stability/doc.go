// Package stability says which of the chosen features to trust: it makes the same fit again on many halves of the training rows and counts
// how often every feature, or one that says the same, is chosen.
//
// # Nouns
//
//   - a half-sample is half of the training rows of every class, or of every range of a quantity. They come in complementary
//     pairs: what one has the other has not ([Halves]). All are of one size, so that they share a compiled program;
//   - the look-alikes of a feature are the others of its group: the features that were ever chosen are put together by average linkage on
//     1 − |r| over the training rows, up to a distance of .2 ([Groups]);
//   - a decoy is a copy of a column whose rows are permuted: it looks like a measurement and says nothing of the label. Decoys take part in
//     the same fits as the columns;
//   - a [Result] has the choice, which stays that of a single fit to all training rows, a [Gene] for each line of the table with a [Word],
//     the consensus of the half-samples, what the decoys say, and Nogueira's stability.
//
// # Basics
//
//	result, err := stability.Run(ctx, device, data, settings, stability.Options{Decoys: true})
//	for _, g := range result.Genes { fmt.Println(g.Name, g.Seen, g.Group, "of", result.Done, g.Word) }
//
// # Caveats
//
// Only training rows are used, unless Options.Evaluate asks what the choice and the consensus reach on the test rows, which is a look at
// them. Everything is a function of data and settings, the seed among them: the same on the same device, bit for bit.
//
// A word is about the features that this fit on such rows would choose. What the words meant on data whose answer was known stands in
// docs/trust.md; the data had classes.
package stability
