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
	shortestRun    = 200 * time.Millisecond
	maxLoops       = 1_000_000_000
	defaultRepeats = 7
)

// Timeit prints the time of one iteration in IPython's words: mean and standard
// deviation over repeats runs of loops iterations each. loop must make n
// iterations. If loops is 0, Timeit uses the smallest power of ten that takes
// 0.2 s. If repeats is 0, it makes 7. The line magic %timeit calls it.
//
//	widgets.Timeit(0, 0, func(n int) {
//		for range n {
//			slices.Sort(slices.Clone(names))
//		}
//	})
func Timeit(loops, repeats int, loop func(n int)) { timeit(os.Stdout, time.Now, loops, repeats, loop) }

// timeit is Timeit with a clock of the caller, printing to to.
func timeit(to io.Writer, now func() time.Time, loops, repeats int, loop func(n int)) {
	run := func(n int) time.Duration {
		began := now()
		loop(n)
		return now().Sub(began)
	}

	if loops <= 0 {
		for loops = 1; loops < maxLoops && run(loops) < shortestRun; loops *= 10 {
		}
	}

	if repeats <= 0 {
		repeats = defaultRepeats
	}

	times := make([]float64, repeats) // seconds per iteration, by run
	for i := range times {
		times[i] = run(loops).Seconds() / float64(loops)
	}

	fmt.Fprint(to, describeTimes(times, loops))
}

// describeTimes reports the seconds per iteration of each run in IPython's
// words. If the slowest run took far longer than the fastest, it adds IPython's
// warning.
func describeTimes(times []float64, loops int) string {
	mean, variance := times[0], 0.0
	for _, t := range times {
		mean += (t - times[0]) / float64(len(times)) // exact for equal times
	}

	for _, t := range times {
		variance += (t - mean) * (t - mean) / float64(len(times))
	}

	text := ""
	if best, worst := slices.Min(times), slices.Max(times); worst > 4*best && best > 0 && worst > 1e-6 {
		text = fmt.Sprintf("The slowest run took %0.2f times longer than the fastest. "+
			"This could mean that an intermediate result is being cached.\n", worst/best)
	}

	return text + fmt.Sprintf("%s ± %s per loop (mean ± std. dev. of %s, %s each)\n", seconds(mean), seconds(math.Sqrt(variance)),
		count(len(times), "run"), count(loops, "loop"))
}

// count returns a number, with commas between thousands, and its noun.
func count(n int, noun string) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	if n != 1 {
		noun += "s"
	}
	return digits + " " + noun
}

// seconds formats a duration with three significant digits, as IPython does.
func seconds(s float64) string {
	if s >= 60 {
		var parts []string
		for _, unit := range []struct {
			name string
			size float64
		}{{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}} {
			if n := math.Trunc(s / unit.size); n > 0 {
				s -= n * unit.size
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
