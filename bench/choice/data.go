package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// figures are what is measured of one method on one data set with one K, split by split.
type figures struct {
	score, own, seconds []float64
	selected            [][]string
	settled             float64 // share of the selectors; NaN where nobody counted
}

// cell names figures.
type cell struct {
	column
	dataset string
	k       int
}

// measureData prints accuracy, own accuracy, stability, settled selectors and time of each method,
// and how much it differs from the first, split by split.
func (o options) measureData(ctx context.Context) error {
	var tasks []task
	wanted := map[fit]bool{}
	for _, data := range o.data {
		for text := range strings.SplitSeq(o.k, ",") {
			k, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("k = %s - write numbers with commas between", o.k)
			}
			for seed := range int64(o.seeds) {
				wanted[fit{strings.TrimSuffix(filepath.Base(data), filepath.Ext(data)), k, o.seed + seed}] = true
			}
		}
		tasks = append(tasks, o.tasksOf("compare", data, "--k", o.k, "--splits", strconv.Itoa(o.seeds), "--seed", strconv.FormatInt(o.seed, 10))...)
	}
	rows, err := o.all(ctx, tasks, wanted)
	if err != nil {
		return err
	}
	all := map[cell]*figures{}
	var sets []string
	var ks []int
	for _, r := range rows {
		c := cell{column{r.program, r.method}, r.dataset, r.k}
		if all[c] == nil {
			all[c] = &figures{settled: math.NaN()}
		}
		f := all[c]
		f.score, f.own, f.seconds = append(f.score, r.score), append(f.own, r.own), append(f.seconds, r.seconds)
		f.selected = append(f.selected, r.selected)
		if !slices.Contains(sets, r.dataset) {
			sets = append(sets, r.dataset)
		}
		if !slices.Contains(ks, r.k) {
			ks = append(ks, r.k)
		}
	}
	if o.settled {
		for c, f := range all {
			if !isRows(o.programs[c.program]) && strings.HasPrefix(c.method, "fsnet") && !strings.HasPrefix(c.method, "fsnet-path") {
				if f.settled, err = o.settledShare(ctx, c, o.data[slices.Index(sets, c.dataset)]); err != nil {
					return err
				}
			}
		}
	}
	for _, k := range ks {
		o.printData(k, sets, columnsOf(rows), all)
	}
	return nil
}

func (o options) printData(k int, sets []string, columns []column, all map[cell]*figures) {
	first := columns[0]
	fmt.Printf("\nK = %d, %d splits\n\n", k, o.seeds)
	line("data", "method", "SVM", "own", "Jaccard", "settled", "median s", "SVM less "+o.title(first), "own less its own")
	line(slices.Repeat([]string{"---"}, 9)...)
	for _, c := range columns {
		var score, own, jaccard, settled, seconds, scoreLess, ownLess []mean
		show := func(name string, at int) {
			pick := func(list []mean) mean {
				if at < 0 {
					return meanOfMeans(list)
				}
				return list[at]
			}
			less, lessOwn := pick(scoreLess).text(3, true), pick(ownLess).text(3, true)
			if c == first {
				less, lessOwn = "", ""
			}
			line(name, o.title(c), pick(score).text(3, false), pick(own).text(3, false), pick(jaccard).text(3, false), pick(settled).text(2, false),
				pick(seconds).text(2, false), less, lessOwn)
		}
		for _, set := range sets {
			f, base := all[cell{c, set, k}], all[cell{first, set, k}]
			if f == nil || base == nil {
				continue
			}
			score, own = append(score, meanOf(f.score)), append(own, meanOf(f.own))
			exact := func(v float64) mean { return mean{v, math.NaN()} }
			jaccard, settled = append(jaccard, exact(jaccardOf(f.selected))), append(settled, exact(f.settled))
			sorted := slices.Sorted(slices.Values(f.seconds))
			seconds = append(seconds, exact(sorted[len(sorted)/2]))
			scoreLess, ownLess = append(scoreLess, meanOf(differences(f.score, base.score))), append(ownLess, meanOf(differences(f.own, base.own)))
			show(set, len(score)-1)
		}
		if len(score) > 1 {
			show(fmt.Sprintf("mean of %d", len(score)), -1)
		}
	}
}

func differences(a, b []float64) []float64 {
	list := make([]float64, len(a))
	for i := range a {
		list[i] = a[i] - b[i]
	}
	return list
}

// jaccardOf returns the mean overlap of two splits' choices: what both have as a share of what
// either has.
func jaccardOf(choices [][]string) float64 {
	sum, pairs := 0.0, 0.0
	for i, a := range choices {
		for _, b := range choices[:i] {
			both := 0.0
			for _, name := range a {
				if slices.Contains(b, name) {
					both++
				}
			}
			sum += both / (float64(len(a)+len(b)) - both)
			pairs++
		}
	}
	return sum / pairs
}

// settledShare trains the replicas whose choices are those of the rows, and returns the share of
// selectors that settled.
func (o options) settledShare(ctx context.Context, c cell, data string) (float64, error) {
	args := []string{"fit", data, "--k", strconv.Itoa(c.k), "--seed", strconv.FormatInt(o.seed, 10), "--replicas", strconv.Itoa(o.seeds),
		"--workers", "1", "--json", "--quiet"}
	_, settings, _ := strings.Cut(c.method, ":")
	for setting := range strings.SplitSeq(settings, ",") {
		if key, value, has := strings.Cut(setting, "="); has {
			args = append(args, "--"+strings.ReplaceAll(key, "_", "-"), value)
		}
	}
	text, err := o.output(ctx, c.program, args...)
	if err != nil {
		return 0, err
	}
	var result struct {
		Replicas []struct {
			Settled int `json:"settled_rows"`
		} `json:"replicas"`
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		return 0, fmt.Errorf("fsnet %s: %w", strings.Join(args, " "), err)
	}
	settled := 0.0
	for _, r := range result.Replicas {
		settled += float64(r.Settled)
	}
	return settled / float64(len(result.Replicas)*c.k), nil
}
