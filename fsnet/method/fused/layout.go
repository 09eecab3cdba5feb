package fused

import (
	"fmt"

	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"
)

// Layout determines how a backend computes the steps of an architecture.
type Layout struct {
	method.Architecture
	Block int // number of columns that a step computes at once
	// Parts is the number of parts into which a step divides the columns of its
	// only block, to reconstruct them concurrently.
	Parts  int
	Padded bool // some columns are padding
	Tiled  bool // reconstruction is a batched product over Parts tiles, with a row for each feature
	Known  bool // the number of steps of a call is known when its program is compiled
}

// The wide matrices of a step, K×d and h'×d, don't fit into the caches of a
// processor if d is large. A step therefore works on one block of columns
// after the other, and computes everything about a feature while it is
// cached. Up to wholeWidth one block is faster (docs/lab/performance.md).
const (
	wholeWidth = 32_000
	blockWidth = 12_000
	lane       = 16   // XLA's loops process 16 numbers at once, and the rest of a row slowly
	alias      = 1024 // rows at a distance that is a multiple of 4 KB compete for the same cache sets

	narrow = 2048 // up to this width a step is mostly small operations, and tiles gain nothing

	// DividedSelectors is how many selectors it takes for a step to divide the
	// gradient of the selectors into parts.
	DividedSelectors = 16
	// DividedRows is the largest number of values of training rows that we
	// divide once per call. Beyond it, every step divides its batch.
	DividedRows = 4 << 20
)

// LayoutFor returns the layout of an architecture on a backend.
func LayoutFor(backend string, a method.Architecture) Layout {
	l := Layout{Architecture: a, Block: blockFor(backend, a.D), Parts: 1, Padded: nn.LoopsOn(backend), Known: nn.KnownCounts(backend)}
	if l.Blocks() == 1 && !a.Stepwise { // Stepwise selection reads all of Φ.
		l.Parts = PartsFor(backend, a.D)
	}
	l.Tiled = l.Parts > 1 && l.Block > narrow && a.K < DividedSelectors && len(a.PredictorHidden) == 0
	return l
}

// blockFor returns the number of columns that a step computes at once. On a GPU
// these are all columns.
func blockFor(backend string, features int) int {
	switch {
	case !nn.LoopsOn(backend):
		return features
	case backend != "xla:cpu" || features <= wholeWidth:
		parts := PartsFor(backend, features)
		return parts * paddedWidth(features, parts)
	}
	return paddedWidth(features, (features+blockWidth-1)/blockWidth)
}

// PartsFor returns the number of parts into which a step divides the features
// of its only block to reconstruct them. XLA's threads wait for one another at
// the end of each operation, and two independent chains of operations keep both
// threads busy (docs/lab/performance.md).
func PartsFor(backend string, features int) int {
	if backend == "xla:cpu" && features <= wholeWidth {
		return 2
	}
	return 1
}

// paddedWidth returns the width of each of count equal blocks that hold the
// features. It is a multiple of lane, and no distance between rows is a
// multiple of alias.
func paddedWidth(features, count int) int {
	width := (features + count - 1) / count
	width += (lane - width%lane) % lane
	for width%alias == 0 || width*count%alias == 0 {
		width += lane
	}
	return width
}

// Blocks returns the number of blocks. The last one is padded: Φ and x are 0
// in its padding, and softmaxes leave it out.
func (l Layout) Blocks() int { return (l.D + l.Block - 1) / l.Block }

// Width returns the number of columns of all blocks, including padding.
func (l Layout) Width() int { return l.Blocks() * l.Block }

// ManySteps reports whether one call can make many steps. GoMLX does not
// support a loop within a loop, so if a step has several blocks, each step
// needs a call.
func (l Layout) ManySteps() bool { return l.Padded && l.Blocks() == 1 }

// Shape returns the layout that a program is built for. It has as many
// columns as the padded width, so data sets with the same padded width share
// a program. The program reads the number of features as an input. Programs
// of stepwise selection contain that number, because they have a score for
// each feature.
func (l Layout) Shape() Layout {
	if !l.Stepwise {
		l.D = l.Width()
	}
	return l
}

// String describes the layout for errors and for the key under which
// programs are shared. See [method.Architecture.String].
func (l Layout) String() string {
	text := fmt.Sprintf("%s block=%d/%d", l.Architecture, l.Block, l.Parts)
	if l.Tiled {
		text += " tiled"
	}
	if l.Known {
		text += " known"
	}
	return text
}
