// Command choice measures how many markers methods find on made tables whose
// markers are known (tests/kit/markers). It runs fsnet compare, two processes
// at a time, and prints a table in Markdown with standard errors. If you name
// several programs, separated by commas, it compares them on the same rows. A
// program may also be a file of rows that --rows wrote. To measure methods on
// real data, use fsnet compare. Start reading with run.
//
//	go run ./bench/choice --seeds 6
//	go run ./bench/choice --tables lone,four --fsnet bin/before,bin/after --methods fsnet
//	go run ./bench/choice --seeds 8 --fsnet before.csv,bin/after --methods fsnet
package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal("choice: ", err)
	}
}

// options are what the command line says.
type options struct {
	programs []string
	methods  string
	tables   string
	seeds    int
	seed     int64
	workers  int
	rows     string
}

func run(ctx context.Context) error {
	var o options
	programs := flag.String("fsnet", "fsnet", "the program, or several with commas between; FILE.csv of --rows stands for the one that made it")
	flag.StringVar(&o.methods, "methods", "fsnet,fsnet:protocol=stepwise,anova,forward-ridge",
		"methods, as fsnet compare takes them; of several programs only the first runs those that are not fsnet")
	flag.StringVar(&o.tables, "tables", "all", "made tables, or groups of them: all, lone, complementary, hard, pairs, or names")
	flag.IntVar(&o.seeds, "seeds", 6, "how many seeds; each draws other values of a table")
	flag.Int64Var(&o.seed, "seed", 1, "the first seed")
	flag.IntVar(&o.workers, "workers", 2, "processes at a time")
	flag.StringVar(&o.rows, "rows", "", "write the rows to a `FILE`, as CSV")
	flag.Parse()
	o.programs = strings.Split(*programs, ",")
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q - data are fsnet compare's: fsnet compare %s", flag.Arg(0), flag.Arg(0))
	}
	if o.seeds < 1 || o.workers < 1 {
		return fmt.Errorf("seeds = %d, workers = %d - choose 1 or more", o.seeds, o.workers)
	}
	return o.measureTables(ctx)
}

// row is one fit, as fsnet compare --csv prints it.
type row struct {
	program  int // index in options.programs
	dataset  string
	method   string
	k        int
	seed     int64
	selected []string
	text     []string
}

// task is one run of fsnet compare.
type task struct {
	program int
	args    []string
}

// tasksOf returns, for each program, the run with these arguments. It skips a
// program that has no method to run.
func (o options) tasksOf(args ...string) (list []task) {
	methods := o.methods
	for p, program := range o.programs {
		if isRows(program) || methods == "" {
			continue
		}
		list = append(list, task{p, append(slices.Clone(args), "--methods", methods, "--csv", "--quiet")})
		methods = onlyFsNet(methods)
	}
	return list
}

// isRows reports whether a program is a file of rows from an earlier run.
func isRows(program string) bool { return strings.HasSuffix(program, ".csv") }

// onlyFsNet omits the methods that are the same in every program.
func onlyFsNet(methods string) string {
	var kept []string
	for method := range strings.SplitSeq(methods, ",") {
		setting := strings.Contains(method, "=") && !strings.Contains(method, ":")
		if strings.HasPrefix(method, "fsnet") || setting && len(kept) > 0 {
			kept = append(kept, method)
		}
	}
	return strings.Join(kept, ",")
}

// runTasks runs the tasks, o.workers at a time. It returns their rows in the
// order of the tasks, followed by the rows of the programs that are files. What
// processes write to standard error is shown. If the command line asks for the
// rows, runTasks writes those that were made, even if others failed.
func (o options) runTasks(ctx context.Context, tasks []task, wanted map[fit]bool) ([]row, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	found := make([][]row, len(tasks))
	headers := make([][]string, len(tasks))
	failures := make([]error, len(tasks))

	var group sync.WaitGroup
	var next, done atomic.Int64
	for range o.workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(tasks); i = int(next.Add(1)) - 1 {
				text, err := o.output(ctx, tasks[i].program, tasks[i].args...)
				if err == nil {
					headers[i], found[i], err = rowsOf(text, tasks[i].program)
				}
				if failures[i] = err; err != nil {
					cancel()
				}
				if n, tenth := int(done.Add(1)), max(1, len(tasks)/10); n%tenth == 0 {
					log.Printf("%d of %d", n, len(tasks))
				}
			}
		})
	}

	group.Wait()
	rows := slices.Concat(found...)

	if len(rows) > 0 && o.rows != "" { // even if others failed or were interrupted
		header := headers[slices.IndexFunc(headers, func(h []string) bool { return h != nil })]
		if err := o.write(header, rows); err != nil {
			return nil, err
		}
	}

	for i, err := range failures {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, fmt.Errorf("%s: %w", strings.Join(tasks[i].args, " "), err)
		}
	}

	if err := ctx.Err(); err != nil {
		return nil, err
	}

	before, err := o.savedRows(wanted)
	return append(rows, before...), err
}

// fit identifies what a method is fitted to.
type fit struct {
	dataset string
	k       int
	seed    int64
}

// savedRows reads the wanted fits from the programs that are files. It returns
// an error if one is missing.
func (o options) savedRows(wanted map[fit]bool) (list []row, err error) {
	for p, path := range o.programs {
		if !isRows(path) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}

		_, rows, err := rowsOf(string(text), p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}

		found := map[string]int{} // number of fits by method
		for _, r := range rows {
			if wanted[fit{r.dataset, r.k, r.seed}] {
				list = append(list, r)
				found[r.method]++
			}
		}

		for method, n := range found {
			if n != len(wanted) {
				return nil, fmt.Errorf("%s has %d of the %d rows of %s - ask for its data, seeds and K", path, n, len(wanted), method)
			}
		}

		if len(found) == 0 {
			return nil, fmt.Errorf("%s has none of the %d rows - ask for its data, seeds and K", path, len(wanted))
		}
	}
	return list, nil
}

// output runs a program with low priority and returns what it prints.
func (o options) output(ctx context.Context, program int, args ...string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, "nice", append([]string{"-n", "10", o.programs[program]}, args...)...)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return string(text), err
}

// rowsOf reads what fsnet compare --csv printed. If a fit failed, it returns an
// error.
func rowsOf(text string, program int) (header []string, rows []row, err error) {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, nil, err
	}

	if len(lines) == 0 {
		return nil, nil, errors.New("it printed no rows")
	}

	header = lines[0]
	for _, line := range lines[1:] {
		cell := func(name string) string { return line[slices.Index(header, name)] }
		k, errK := strconv.Atoi(cell("k"))
		seed, errSeed := strconv.ParseInt(cell("seed"), 10, 64)
		if err := cmp.Or(errK, errSeed); err != nil {
			return nil, nil, err
		}
		if message := cell("error"); message != "" {
			return nil, nil, fmt.Errorf("%s of %s: %s", cell("method"), cell("dataset"), message)
		}
		rows = append(rows, row{program: program, dataset: cell("dataset"), method: cell("method"), k: k, seed: seed,
			selected: strings.Split(cell("selected"), ";"), text: line})
	}
	return header, rows, nil
}

// write writes the rows. With several programs, each gets a separate file,
// whose name starts with the program's number.
func (o options) write(header []string, rows []row) error {
	for p, program := range o.programs {
		if isRows(program) {
			continue
		}
		path := o.rows
		if len(o.programs) > 1 {
			path = filepath.Join(filepath.Dir(path), fmt.Sprintf("%d-%s", p+1, filepath.Base(path)))
		}

		lines := [][]string{header}
		for _, r := range rows {
			if r.program == p {
				lines = append(lines, r.text)
			}
		}

		file, err := os.Create(path)
		if err != nil {
			return err
		}

		w := csv.NewWriter(file)
		if err := errors.Join(w.WriteAll(lines), file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// column is a column of the printed tables: a method of a program.
type column struct {
	program int
	method  string
}

// columnsOf returns the columns that have rows, program by program.
func columnsOf(rows []row) (list []column) {
	for _, r := range rows {
		if c := (column{r.program, r.method}); !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b column) int { return a.program - b.program })
	return list
}

// title names a column in a heading.
func (o options) title(c column) string {
	if len(o.programs) == 1 {
		return "`" + c.method + "`"
	}
	return fmt.Sprintf("`%s` of %d", c.method, c.program+1)
}

// mean is a mean with its standard error. With fewer than two values the error
// is NaN.
type mean struct{ value, err float64 }

func meanOf(values []float64) mean {
	n := float64(len(values))
	var sum, squares float64
	for _, v := range values {
		sum += v
	}
	for _, v := range values {
		squares += (v - sum/n) * (v - sum/n)
	}
	return mean{sum / n, math.Sqrt(squares / (n - 1) / n)}
}

// meanOfMeans averages independent means, each with the same weight.
func meanOfMeans(list []mean) mean {
	var sum, squares float64
	for _, m := range list {
		sum += m.value
		squares += m.err * m.err
	}
	n := float64(len(list))
	return mean{sum / n, math.Sqrt(squares) / n}
}

// String returns the mean, as in .87 ± .02, or "-" if there is none.
func (m mean) String() string {
	if math.IsNaN(m.value) {
		return "-"
	}
	short := func(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.2f", x), "0") }
	if math.IsNaN(m.err) {
		return short(m.value)
	}
	return short(m.value) + " ± " + short(m.err)
}

// line prints a row of a table in Markdown.
func line(cells ...string) { fmt.Println("| " + strings.Join(cells, " | ") + " |") }
