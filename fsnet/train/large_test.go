package train

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/engine"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/devicetest"
)

// TestLarge_PrintsTimes trains on counts of so many cells and genes, and prints
// times and the largest resident set. FSNET_TEST_LARGE says how many, what
// share of them is not 0, and for how many steps (0: to the end), as in
//
//	FSNET_TEST_LARGE="100000 20000 0.05 0" go test ./fsnet/train -run TestLarge_PrintsTimes -v -timeout 2h
//
// More words: dense makes the training rows dense, memory keeps the table
// there, and what has an equals sign is a key. Beyond 65,536 cells the same
// ones come again.
func TestLarge_PrintsTimes(t *testing.T) {
	words := strings.Fields(os.Getenv("FSNET_TEST_LARGE"))
	if len(words) < 4 {
		t.Skip("FSNET_TEST_LARGE says how large")
	}
	cells, _ := strconv.Atoi(words[0])
	genes, _ := strconv.Atoi(words[1])
	share, _ := strconv.ParseFloat(words[2], 64)
	steps, _ := strconv.Atoi(words[3])
	most := engine.MostDense
	c := config.Config{K: 20, Seed: 1}
	for _, word := range words[4:] {
		key, value, is := strings.Cut(word, "=")
		if !is {
			continue
		}
		check(t, c.Set(key, value))
	}
	if slices.Contains(words, "dense") {
		most = math.MaxInt
	}
	ctx := context.Background()
	began := time.Now()
	said := func(format string, args ...any) {
		t.Logf("%7.1f s, peak %5.0f MB: %s", time.Since(began).Seconds(), peakMB(t), fmt.Sprintf(format, args...))
	}
	source, labels := cellsOnDisk(t, cells, genes, share, slices.Contains(words, "memory"))
	said("made %d × %d", cells, genes)
	data := must(dataset.NewSparse(ctx, "cells", source, nil, labels))
	said("opened: %d stored values, %.2f %%", data.Stored(), 100*float64(data.Stored())/float64(cells)/float64(genes))
	settings := must(c.Resolve())
	device := devicetest.All(t)[0]
	t.Log(engine.PlanMemory(data, settings, device.Name))
	if err := engine.CheckMemory(ctx, device.Name, data, settings); err != nil && most == engine.MostDense {
		t.Fatal(err)
	}
	training := must(openWith(ctx, device, data, settings, most))
	defer training.Close()
	said("prepared; %s", training.events[0].Text)
	if steps == 0 {
		steps = training.Steps()
	}
	warm := 0
	var start time.Time
	for made := 0; made < steps; {
		n, err := training.Advance(ctx, steps-made)
		if err != nil || n == 0 {
			t.Fatal(err, n)
		}
		if made += n; warm == 0 && made >= 50 { // compiled, and observed once
			warm, start = made, time.Now()
		}
	}
	said("%d steps: %.3f ms each", steps, time.Since(start).Seconds()*1000/float64(steps-warm))
	evaluation := must(training.Evaluate("test"))
	selection := must(training.Selection())
	planted := 0
	for _, s := range selection {
		if s.Index%plantedEvery == 0 {
			planted++
		}
	}
	said("accuracy %.3f, %d of %d selected were planted", evaluation.Score.Value, planted, len(selection))
}

const (
	plantedEvery = 200
	mostCells    = 1 << 16
	cellTypes    = 6
)

// cellsOnDisk are negative binomial counts, as their logarithm: most genes are
// the same in all six classes of cells, every plantedEvery-th is several times
// as frequent in one or two of them.
func cellsOnDisk(t *testing.T, cells, genes int, share float64, inMemory bool) (sparse.Source, []string) {
	t.Helper()
	r := num.RNG(1, "genes")
	rate := make([]float64, genes) // expected share of cells that have it
	for j := range rate {
		rate[j] = min(share*math.Exp(0.8*r.NormFloat64()-0.32), 0.9)
	}
	labels := make([]string, cells)
	const block = 256
	type part struct {
		rows sparse.Rows
		done chan struct{}
	}
	distinct := min(cells, mostCells)
	parts := make([]part, (distinct+block-1)/block)
	for i := range parts {
		parts[i].done = make(chan struct{})
	}
	var slots sync.WaitGroup
	room := make(chan struct{}, 16)
	go func() {
		for p := range parts {
			room <- struct{}{}
			slots.Go(func() {
				rows := &parts[p].rows
				rows.Reset()
				for i := p * block; i < min(distinct, (p+1)*block); i++ {
					r := num.RNG(1, "cell", uint64(i))
					class := r.IntN(cellTypes)
					labels[i] = fmt.Sprintf("type %d", class)
					depth := math.Exp(0.3 * r.NormFloat64())
					oneCell(rows, r.Float64, rate, class, depth)
				}
				close(parts[p].done)
			})
			if p%16 == 15 {
				slots.Wait()
			}
		}
	}()
	start := []int{0}
	var all sparse.Rows
	all.Reset()
	var files [2]*os.File
	var writers [2]*bufio.Writer
	for i := range files {
		file := must(os.CreateTemp("", "fsnet-cells-*")) //nolint:usetesting // without a name it is gone with the process
		_ = os.Remove(file.Name())
		t.Cleanup(func() { _ = file.Close() })
		files[i], writers[i] = file, bufio.NewWriterSize(file, 1<<20)
	}
	count := 0
	for made := 0; made < cells; {
		p := made / block % len(parts)
		if made < distinct {
			<-parts[p].done
			<-room
		}
		for i := range parts[p].rows.Len() {
			if made == cells {
				break
			}
			labels[made] = labels[made%distinct]
			made++
			columns, values := parts[p].rows.Row(i)
			count += len(columns)
			start = append(start, count)
			if inMemory {
				all.Append(columns, values)
				continue
			}
			var word [4]byte
			for k, j := range columns {
				binary.LittleEndian.PutUint32(word[:], uint32(j))
				_, _ = writers[0].Write(word[:])
				binary.LittleEndian.PutUint32(word[:], math.Float32bits(values[k]))
				_, _ = writers[1].Write(word[:])
			}
		}
		if distinct == cells {
			parts[p].rows = sparse.Rows{}
		}
	}
	if inMemory {
		return sparse.NewMatrix(all, genes), labels
	}
	for _, w := range writers {
		check(t, w.Flush())
	}
	source := must(sparse.NewFile(start, genes, files[0], files[1], nil))
	return source, labels
}

// oneCell draws the genes of a cell by leaps: the next one that might be there
// comes after a geometric number of genes.
func oneCell(rows *sparse.Rows, uniform func() float64, rate []float64, class int, depth float64) {
	const most = 0.12
	emit := func(j int, mean float64) {
		rows.Columns = append(rows.Columns, int32(j))
		rows.Values = append(rows.Values, float32(math.Log1p(1+math.Floor(-(1+2*mean)*math.Log(1-uniform())))))
	}
	for j := -1; ; {
		j += 1 + int(math.Log(1-uniform())/math.Log(1-most))
		if j >= len(rate) {
			break
		}
		mean := rate[j] * depth
		if j%plantedEvery == 0 {
			if own := j / plantedEvery % cellTypes; own == class || (own+1)%cellTypes == class && j/plantedEvery%2 == 0 {
				mean *= 4
			}
		}
		if uniform() < mean/most { // above most it is there whenever it is met
			emit(j, mean)
		}
	}
	rows.End()
}

// peakMB is the largest resident set so far.
func peakMB(t *testing.T) float64 {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	text := must(os.ReadFile("/proc/self/status"))
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	kb, _ := strconv.ParseFloat(string(found[1]), 64)
	return kb / 1000
}
