package magic

import (
	"context"
	"encoding/json"
	"fmt"
	"fsnetlab/widgets/chart/trials"
	"maps"
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
)

func compareOptions() []option {
	return []option{
		{name: "methods", about: "what is compared, with commas between: all, fsnet, mrmr, svm, …; settings follow a name, and those of fsnet are keys, so that protocols stand in one table: fsnet,fsnet:protocol=paper,epochs=400",
			standard: "all", complete: func(_ context.Context, i *Interpreter, typed string) []string {
				return methods(i.options.Methods, typed)
			}},
		{name: "k", about: "features to select; several with commas between", values: []string{"1…d"}, standard: "10"},
		{name: "splits", about: "on how many splits, of the seeds seed, seed + 1, …", values: []string{"1…"}, standard: "20"},
		outputOption("compare"),
	}
}

// compare runs fsnet compare, with the same words.
func (r *request) compare(ctx context.Context) error { return r.inProcess(ctx, (*request).compareWith) }

func (r *request) compareWith(ctx context.Context, program string) error {
	args, file, err := r.comparison()
	if err != nil {
		return err
	}
	return r.rows(ctx, program, args, file, nil, func(report []byte, id string) (done, planned int, err error) {
		var made comparisonReport
		if json.Unmarshal(report, &made) != nil {
			made = comparisonReport{} // it ended before it could report
		}
		return len(made.Rows), made.Planned, made.show(id, r.out)
	})
}

// comparison is the command for a request, and the file that keeps its rows.
func (r *request) comparison() (args []string, file string, err error) {
	data := slices.Clone(r.words)
	for _, key := range r.config.Given() {
		if key.Name == "data" {
			data = append(data, r.config.Text("data"))
		} else {
			args = append(args, "--"+strings.ReplaceAll(key.Name, "_", "-")+"="+r.config.Text(key.Name))
		}
	}
	if len(data) == 0 {
		return nil, "", fault.New(fault.Request, "write %fsnet compare ALLAML methods=fsnet,mrmr,svm splits=5", "compare on which data?")
	}
	for _, name := range slices.Sorted(maps.Keys(r.given)) {
		if name != "output" {
			args = append(args, "--"+name+"="+r.given[name])
		}
	}
	// A word that begins with a dash is the name of a file, not an option.
	args = slices.Concat([]string{"compare", "--json", "--progress=json"}, args)
	file = r.given["output"]
	if file == "" {
		if file, err = r.rowsFile("compare", append(slices.Clone(args), data...)); err != nil {
			return nil, "", err
		}
	}
	return slices.Concat(args, []string{"--output=" + file, "--"}, data), file, nil
}

// comparisonReport is what the command prints, as far as it is drawn here.
type comparisonReport struct {
	Planned int               `json:"planned"`
	Rows    []struct{}        `json:"rows"`
	Summary []trials.Compared `json:"summary"`
}

// show draws a table and a chart for each data set and K, and says how much is done.
func (c comparisonReport) show(id string, out Output) error {
	if len(c.Rows) == 0 {
		return nil
	}
	out.Update(id, note(fmt.Sprintf("%d of %d rows", len(c.Rows), c.Planned)))
	for _, compared := range c.Summary {
		out.Display(trials.ComparisonTable(compared))
		picture, err := trials.Comparison(compared)
		if err != nil {
			return err
		}
		out.Display(picture)
	}
	return nil
}
