package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/tests/kit/markers"
)

// behind is how far a method may fall behind the better of the others before
// its figure is marked.
const behind = .1

// chosenTables returns the tables that the command line names, drawn with a
// seed.
func (o options) chosenTables(seed int64) ([]markers.Table, error) {
	var list []markers.Table
	unused := strings.Split(o.tables, ",")
	for _, name := range markers.All() {
		t, _ := markers.New(name, seed)
		for _, word := range strings.Split(o.tables, ",") {
			if word == "all" || word == name || word == string(t.Group) {
				list = append(list, t)
				unused = slices.DeleteFunc(unused, func(other string) bool { return other == word })
				break
			}
		}
	}
	if len(unused) > 0 {
		return nil, fmt.Errorf("there is no table %q - choose all, lone, complementary, hard or some of %s", unused, strings.Join(markers.All(), ", "))
	}
	return list, nil
}

// measureTables prints the share of the markers that each method finds.
func (o options) measureTables(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "choice")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)

	var tasks []task
	wanted := map[fit]bool{}
	tables := map[string]markers.Table{} // by data set
	var order []markers.Table

	for seed := o.seed; seed < o.seed+int64(o.seeds); seed++ {
		drawn, err := o.chosenTables(seed)
		if err != nil {
			return err
		}

		order = drawn
		for _, t := range drawn {
			path := filepath.Join(folder, fmt.Sprintf("%s-%d.csv", t.Name, seed))
			if err := writeTable(path, t); err != nil {
				return err
			}
			t.X = nil // thousands of tables would fill the memory
			name := strings.TrimSuffix(filepath.Base(path), ".csv")
			tables[name], wanted[fit{name, t.K, seed}] = t, true
			args := []string{"compare", path, "--label", "label", "--samples", "sample", "--missing", "mean", "--k", strconv.Itoa(t.K),
				"--splits", "1", "--seed", strconv.FormatInt(seed, 10)}
			if t.Target != nil {
				args = append(args, "--task", "regression")
			}
			tasks = append(tasks, o.tasksOf(args...)...)
		}
	}

	rows, err := o.runTasks(ctx, tasks, wanted)
	if err != nil {
		return err
	}

	found := map[column]map[string][]float64{} // by table
	columns := columnsOf(rows)
	for _, c := range columns {
		found[c] = map[string][]float64{}
	}

	for _, r := range rows {
		t, c := tables[r.dataset], column{r.program, r.method}
		found[c][t.Name] = append(found[c][t.Name], t.Found(r.selected))
	}

	o.printTables(order, columns, found)
	return o.writeMarkers(order)
}

// printTables prints a line for each table and for each group, and how many
// tables each method is behind on.
func (o options) printTables(order []markers.Table, columns []column, found map[column]map[string][]float64) {
	head, rule := []string{"table", "K"}, []string{"---", "---"}
	for _, c := range columns {
		head, rule = append(head, o.title(c)), append(rule, "---")
	}

	line(append(head, "what is to be found")...)
	line(append(rule, "---")...)

	behindOn := map[column]int{}
	means := map[column]map[markers.Group][]mean{}

	for _, t := range order {
		best := 0.0
		for _, c := range columns {
			if !strings.HasPrefix(c.method, "fsnet") {
				best = max(best, meanOf(found[c][t.Name]).value)
			}
		}

		cells := []string{t.Name, strconv.Itoa(t.K)}
		for _, c := range columns {
			m := meanOf(found[c][t.Name])
			text := m.String()
			if strings.HasPrefix(c.method, "fsnet") && m.value < best-behind-1e-9 {
				text = "**" + text + "**"
				behindOn[c]++
			}
			if cells = append(cells, text); means[c] == nil {
				means[c] = map[markers.Group][]mean{}
			}
			for _, group := range []markers.Group{t.Group, "all"} {
				means[c][group] = append(means[c][group], m)
			}
		}

		line(append(cells, t.What)...)
	}

	for _, group := range []markers.Group{markers.Lone, markers.Complementary, markers.Hard, markers.Pairs, "all"} {
		count := len(means[columns[0]][group])
		if count == 0 {
			continue
		}

		cells := []string{fmt.Sprintf("mean of %d, %s", count, group), ""}
		for _, c := range columns {
			cells = append(cells, meanOfMeans(means[c][group]).String())
		}
		line(append(cells, "")...)
	}

	cells := []string{"tables more than .1 behind the better of the others", ""}
	for _, c := range columns {
		cells = append(cells, strconv.Itoa(behindOn[c]))
	}
	line(append(cells, "")...)
}

// writeMarkers writes a file next to the rows that lists each table's markers.
// Markers are separated by semicolons, and the names of one marker by |.
func (o options) writeMarkers(order []markers.Table) error {
	if o.rows == "" {
		return nil
	}
	lines := [][]string{{"table", "k", "group", "markers", "what"}}
	for _, t := range order {
		var text []string
		for _, names := range t.Markers {
			text = append(text, strings.Join(names, "|"))
		}
		lines = append(lines, []string{t.Name, strconv.Itoa(t.K), string(t.Group), strings.Join(text, ";"), t.What})
	}
	file, err := os.Create(strings.TrimSuffix(o.rows, ".csv") + "-tables.csv")
	if err != nil {
		return err
	}
	defer file.Close()
	return csv.NewWriter(file).WriteAll(lines)
}

func writeTable(path string, t markers.Table) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return t.WriteCSV(file)
}
