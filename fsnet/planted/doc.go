// Package planted puts classes on real measurements whose causes are known, so that a choice of features can be held against the truth.
//
// [Plant] draws columns of a data set and makes classes from them ([Kinds] says how) and from noise; the measurements, with all that they
// have in common, stay. [Truth.Judge] says how much of the truth a list of features has, and how much else.
//
// Caveats: on real measurements columns repeat one another, so that a look-alike of a causal column predicts as well as the column itself.
// Figures are given both ways: only causal columns count, and look-alikes count, too. The classes are made, so that how easily they are
// told apart says nothing of real ones.
package planted
