// Package saved reads the parts of models and checkpoints out of their safetensors files, and refuses what is missing, damaged or not a
// number by name.
//
// # Nouns
//
//   - a file holds tensors by name, and words (metadata) by key: [MetaDataset], [MetaStep], [MetaSettings] and the like are those that
//     models and checkpoints share;
//   - a [Reader] takes its parts one after another, and keeps the first error of all.
//
// # Basics
//
//	file, err := saved.ReadFile("leukemia.safetensors")
//	r := saved.Reader{File: file}
//	settings, step := r.Settings(saved.MetaSettings), r.Count(saved.MetaStep)
//	means := saved.Finite[float64](&r, "mean", settings.K) // a tensor of shape K, no NaN among it
//	if r.Err != nil { … } // looked at once, in the end
//
// # Caveats
//
// What a Reader returned is not to be used where its Err is set, then or later: after the first error tensors are nil and words empty. Its
// errors are plain, and say neither the file nor what to do: the caller adds both. Only [ReadFile] gives kinds, NotFound where there is no
// file and Request where it is damaged.
package saved
