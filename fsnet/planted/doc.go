// Package planted puts classes on real measurements whose causes are known, so that a choice of features can be held against the truth.
//
// # Nouns
//
//   - [Options] say what is planted: one of [Kinds], how many causal columns, how strong their effect is;
//   - a [Truth] is what the classes come from: the causal columns, by falling effect, and the look-alikes of each;
//   - [Figures] are how much of the truth a list of features has, and how much else;
//   - a [Study] is methods on many planted data sets, and a [Table] what they found of one kind with one K.
//
// # Basics
//
//	made, truth, err := planted.Plant(data, planted.Options{Kind: planted.Linear, Seed: 1})
//	figures := truth.Judge(columns) // a choice, the best first
//
//	study, err := planted.New(data, planted.Kinds(), 5, planted.Options{}, config.Config{Seed: 1}, methods, []int{10})
//	rows, err := study.Plan.Run(ctx, device, nil, nil)
//	tables := study.Summarize(rows)
//
// The measurements stay, with all that they have in common. Row i gets the class high where
//
//	strength·η_i/sd(η) + ε_i > their median over the rows        ε_i logistic, of scale 1
//
// and low elsewhere. η is made of the causal columns, as the kind says ([Linear], [Threshold], [XOR], [Groups]).
//
// # Caveats
//
// On real measurements columns repeat one another, so that a look-alike of a causal column (|r| of [Alike] or more) predicts as well as the
// column itself. Figures are given both ways: only causal columns count, and look-alikes count, too.
//
// The classes are made, so that how easily they are told apart says nothing of real ones. Power and FDR depend on K: with five causes and
// ten features the FDR is one half at the least. Measurements must be dense, without missing values, of eight rows or more; else, and for
// options that are none, errors are of kind Request. Keys that name columns of the rows (groups, paired, row_weights, nuisance) are
// refused: the planted data have no such columns.
package planted
