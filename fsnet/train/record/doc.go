// Package record is what a training records of itself: what its steps measured, by epoch, and who led each selector at every look at the
// selection matrix P. It is numbers alone, and knows neither the data that they are of nor the device that made them.
//
// # Nouns
//
//   - a [Record] is all of it up to a step: what [Record.Made] and [Record.Saw] were told, and what follows from it: curves, the leaders'
//     course, who has settled, when the others will, and how long the loss has not fallen;
//   - a [Mark] is what of it a later record of the same training does not say: [Record.Until] goes back with it.
//
// # Caveats
//
// A Record is for one goroutine at a time; its [Record.Snapshot] may be read whatever the training does meanwhile. Of a long training not
// every epoch is kept, but every extreme is.
package record
