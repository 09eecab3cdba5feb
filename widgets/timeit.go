package widgets

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	shortestRun  = 200 * time.Millisecond // that is timed
	mostLoops    = 1_000_000_000
	usualRepeats = 7
)

// Timeit says how long one turn of a loop takes, in IPython's words: the mean and the standard deviation of the runs, each of so many
// turns. loop makes n turns. loops 0 makes the least power of ten that takes a fifth of a second; repeats 0 are 7. %timeit is this.
//
//	widgets.Timeit(0, 0, func(n int) {
//		for range n {
//			slices.Sort(slices.Clone(names))
//		}
//	})
func Timeit(loops, repeats int, loop func(n int)) { timeit(os.Stdout, time.Now, loops, repeats, loop) }

func timeit(to io.Writer, now func() time.Time, loops, repeats int, loop func(n int)) {
	run := func(n int) time.Duration {
		began := now()
		loop(n)
		return now().Sub(began)
	}
	if loops <= 0 {
		for loops = 1; loops < mostLoops && run(loops) < shortestRun; loops *= 10 {
		}
	}
	if repeats <= 0 {
		repeats = usualRepeats
	}
	turns := make([]float64, repeats) // seconds of one, in each run
	for i := range turns {
		turns[i] = run(loops).Seconds() / float64(loops)
	}
	fmt.Fprint(to, timing(turns, loops))
}

// timing says in IPython's words what was timed.
func timing(turns []float64, loops int) string {
	mean, variance := turns[0], 0.0
	for _, t := range turns {
		mean += (t - turns[0]) / float64(len(turns)) // equal ones are exactly their mean
	}
	for _, t := range turns {
		variance += (t - mean) * (t - mean) / float64(len(turns))
	}
	text := ""
	if best, worst := slices.Min(turns), slices.Max(turns); worst > 4*best && best > 0 && worst > 1e-6 {
		text = fmt.Sprintf("The slowest run took %0.2f times longer than the fastest. "+
			"This could mean that an intermediate result is being cached.\n", worst/best)
	}
	return text + fmt.Sprintf("%s ± %s per loop (mean ± std. dev. of %s, %s each)\n", seconds(mean), seconds(math.Sqrt(variance)),
		counted(len(turns), "run"), counted(loops, "loop"))
}

// counted is a number with its noun, its thousands apart.
func counted(n int, noun string) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	if n != 1 {
		noun += "s"
	}
	return digits + " " + noun
}

// seconds is a stretch of time with three digits.
func seconds(s float64) string {
	if s >= 60 {
		var parts []string
		for _, unit := range []struct {
			name string
			of   float64
		}{{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}} {
			if n := math.Trunc(s / unit.of); n > 0 {
				s -= n * unit.of
				parts = append(parts, fmt.Sprintf("%.0f%s", n, unit.name))
			}
		}
		return strings.Join(parts, " ")
	}
	order := 3
	if s > 0 {
		order = min(-int(math.Floor(math.Floor(math.Log10(s))/3)), 3)
	}
	return fmt.Sprintf("%.3g %s", s*math.Pow10(3*order), []string{"s", "ms", "μs", "ns"}[order])
}
