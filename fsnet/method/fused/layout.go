package fused

import (
	"fmt"

	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"
)

// Layout is how the steps of an architecture are laid out on a backend.
type Layout struct {
	method.Architecture
	Block  int  // columns that a step takes at once
	Parts  int  // into which a step of one block divides them to reconstruct, side by side
	Padded bool // there are columns that are no features
	Tiled  bool // Parts tiles of batched products reconstruct, with a row for each feature
}

// The wide matrices of a step, K×d and h'×d, do not fit into a processor's caches when d is large. A step therefore works on one block
// of columns after the other: all that it computes about a feature is computed while it is near. Up to wholeWidth one block is faster
// (docs/lab/performance.md).
const (
	wholeWidth = 32_000
	blockWidth = 12_000
	lane       = 16   // XLA's loops take 16 numbers at once, and the rest of a row slowly
	alias      = 1024 // rows whose distance is a multiple of 4 KB fight over the same places in a cache

	narrow = 2048 // columns up to which a step is mostly small operations, and tiles gain nothing

	DividedSelectors = 16      // with fewer, a selector's gradient is not worth dividing into parts
	DividedRows      = 4 << 20 // numbers: more training rows than that are not copied to be divided before the steps of a call
)

// LayoutFor is how a backend takes the steps of an architecture.
func LayoutFor(backend string, a method.Architecture) Layout {
	l := Layout{Architecture: a, Block: blockFor(backend, a.D), Parts: 1, Padded: nn.LoopsOn(backend)}
	if l.Blocks() == 1 && !a.Stepwise { // which reads all of Φ
		l.Parts = PartsFor(backend, a.D)
	}
	l.Tiled = l.Parts > 1 && l.Block > narrow && a.K < DividedSelectors && len(a.PredictorHidden) == 0
	return l
}

// blockFor is how many columns a step takes at once. On a GPU that is all of them.
func blockFor(backend string, features int) int {
	switch {
	case !nn.LoopsOn(backend):
		return features
	case backend != "xla:cpu" || features <= wholeWidth:
		parts := PartsFor(backend, features)
		return parts * padded(features, parts)
	}
	return padded(features, (features+blockWidth-1)/blockWidth)
}

// PartsFor is into how many parts a step divides the features of its only block to reconstruct them. XLA's threads wait for one another
// at the end of each operation; two chains of operations that need nothing of each other keep both busy (docs/lab/performance.md).
func PartsFor(backend string, features int) int {
	if backend == "xla:cpu" && features <= wholeWidth {
		return 2
	}
	return 1
}

// padded is the width of each of count equal blocks that hold the features: full lanes, and no distance of rows that is bad.
func padded(features, count int) int {
	width := (features + count - 1) / count
	width += (lane - width%lane) % lane
	for width%alias == 0 || width*count%alias == 0 {
		width += lane
	}
	return width
}

// Blocks is how many there are. The last one is padded: Φ and x are 0 there, and no selector's softmax sees it.
func (l Layout) Blocks() int { return (l.D + l.Block - 1) / l.Block }

// Width is how many columns they have together, with the padding.
func (l Layout) Width() int { return l.Blocks() * l.Block }

// ManySteps reports whether one call can make many steps. GoMLX has no loop within a loop: a step of several blocks is a call.
func (l Layout) ManySteps() bool { return l.Padded && l.Blocks() == 1 }

// Shape is the layout that a program is built for: it has as many columns as the widest with which it shares its padding, and reads how
// many of them are features. Stepwise selection has a score for each feature, and its programs their number.
func (l Layout) Shape() Layout {
	if !l.Stepwise {
		l.D = l.Width()
	}
	return l
}

func (l Layout) String() string {
	text := fmt.Sprintf("%s block=%d/%d", l.Architecture, l.Block, l.Parts)
	if l.Tiled {
		text += " tiled"
	}
	return text
}
