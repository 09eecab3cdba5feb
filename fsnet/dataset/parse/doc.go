// Package word takes the texts that files hold for what they mean: a name, a number, a missing value, the name of a class.
//
// # Basics
//
//	value, ok := word.Number(text)                  // 1.5e3; NaN where it is missing: nothing, NA, N/A, NaN, null, ?
//	y, classes := word.Classes(labels)              // 10 comes after 9; [Joined] makes 1.0 and 1 one
//	names, note := word.Unique(word.Numbered(7129)) // different ones, and what was changed, for people
//
// # Caveats
//
// [Number] reads points, not decimal commas: a reader that finds commas has them written with points first ([WithPoints]), and
// [MayBeThousands] says where a comma means something else. Names are shown in pages and on terminals, so that each goes through [Clean]
// or [Own] once; [Shorten] and [Quoted] are for messages.
package parse
