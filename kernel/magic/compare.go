package magic

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart"
)

func compareOptions() []option {
	return []option{
		{name: "methods", about: "the methods, separated by commas: all, fsnet, mrmr, svm, …; settings follow a name, and fsnet's are " +
			"keys, so that one table can compare protocols: fsnet,fsnet:protocol=paper,epochs=400",
			standard: "all", complete: func(_ context.Context, i *Interpreter, typed string) []string {
				return methods(i.options.Methods, typed)
			}},
		{name: "k", about: "numbers of features to select, separated by commas", values: []string{"1…d"}, standard: "10"},
		{name: "splits", about: "the number of splits, with the seeds seed, seed + 1, …", values: []string{"1…"}, standard: "20"},
		outputOption("compare"),
	}
}

// compare runs fsnet compare, with the same words.
func (r *request) compare(ctx context.Context) error {
	data := slices.Clone(r.words)
	if r.config.Data != "" {
		data = append(data, r.config.Data)
	}
	if len(data) == 0 {
		return fault.New(fault.Request, "write %fsnet compare ALLAML methods=fsnet,mrmr,svm splits=5", "compare on which data?")
	}
	return r.rows(ctx, keyFlags(r.config, nothing), data, computation{show: func(report []byte, id string) (done, planned int, err error) {
		var made comparisonReport
		if json.Unmarshal(report, &made) != nil {
			made = comparisonReport{} // it ended before it could report
		}
		return len(made.Rows), made.Planned, made.show(id, r.out)
	}})
}

// comparisonReport is what the command prints, as far as it is drawn here.
type comparisonReport struct {
	Planned int              `json:"planned"`
	Rows    []struct{}       `json:"rows"`
	Summary []chart.Compared `json:"summary"`
}

// show draws a table and a chart for each data set and K, and says how much is done.
func (c comparisonReport) show(id string, out Output) error {
	if len(c.Rows) == 0 {
		return nil
	}
	out.Update(id, note(fmt.Sprintf("%d of %s", len(c.Rows), count.Of(c.Planned, "fit"))))
	for _, compared := range c.Summary {
		out.Display(chart.ComparisonTable(compared))
		picture, err := chart.Comparison(compared)
		if err != nil {
			return err
		}
		out.Display(picture)
	}
	return nil
}
