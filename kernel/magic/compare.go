package magic

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/widgets/chart"
)

func compareOptions() []option {
	return []option{
		{name: "methods", about: "what is compared, with commas between: all, fsnet, mrmr, svm, …; settings follow a name, and those of fsnet are keys, so that protocols stand in one table: fsnet,fsnet:protocol=paper,epochs=400",
			standard: "all", complete: func(_ context.Context, i *Interpreter, typed string) []string {
				return methods(i.options.Methods, typed)
			}},
		{name: "k", about: "features to select; several with commas between", values: []string{"1…d"}, standard: "10"},
		{name: "splits", about: "on how many splits, of the seeds seed, seed + 1, …", values: []string{"1…"}, standard: "20"},
		{name: "output", about: "a CSV file that keeps the rows, for one process at a time; the same line goes on with those that it has",
			standard: "one for each line, below .fsnet/compare", complete: func(_ context.Context, i *Interpreter, typed string) []string { return i.files(typed, ".csv") }},
	}
}

// compare runs fsnet compare, with the same words, in a process of its own, since a device can take its process down with it.
func (r *request) compare(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return fault.Wrap(err, fault.Failed, "use the command fsnet compare", "this program does not know where it is")
	}
	return r.compareWith(ctx, program)
}

// compareWith runs the command of a program. Interrupting the cell ends it, with the rows that are done in a file, so that the same line
// goes on; what is done is shown in any case.
func (r *request) compareWith(ctx context.Context, program string) error {
	args, file, err := r.comparison()
	if err != nil {
		return err
	}
	id := r.options.NewID()
	var last string
	report, ended, err := r.child(ctx, program, args, func(messages io.Reader) { last = followComparison(messages, id, r.out) })
	if err != nil {
		return fault.Wrap(err, fault.Failed, "", "the comparison cannot be started")
	}
	var made comparisonReport
	if json.Unmarshal(report, &made) != nil {
		made = comparisonReport{}
	}
	if err := made.show(id, r.out); err != nil {
		return err
	}
	return comparisonError(ctx, ended, last, file, made)
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
		if file, err = r.comparisonFile(append(slices.Clone(args), data...)); err != nil {
			return nil, "", err
		}
	}
	return slices.Concat(args, []string{"--output=" + file, "--"}, data), file, nil
}

// comparisonFile is where the rows of a comparison are kept that names no file: one for each line, so that the same line goes on.
func (i *Interpreter) comparisonFile(args []string) (string, error) {
	sum := sha256.Sum256([]byte(strings.Join(args, "\x00")))
	file := filepath.Join(".fsnet", "compare", hex.EncodeToString(sum[:6])+".csv")
	directory := filepath.Join(i.options.Directory, ".fsnet")
	err := os.MkdirAll(filepath.Join(directory, "compare"), 0o700)
	if err == nil {
		err = createPrivate(filepath.Join(directory, ".gitignore"), "*\n")
	}
	if err == nil {
		err = createPrivate(filepath.Join(i.options.Directory, file), "") // the command leaves its permissions as they are
	}
	if err != nil {
		return "", fault.Wrap(err, fault.Request, "name a file: output=FILE", "the rows of a comparison cannot be kept beside the notebook")
	}
	return file, nil
}

// createPrivate makes a file for its owner alone where there is none.
func createPrivate(path, content string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}

// followComparison draws the progress that the command reports and returns the last line that is none.
func followComparison(messages io.Reader, id string, out Output) (last string) {
	for line := range process.Lines(messages) {
		var p struct {
			Done, Total int
			Method      string
			K, Split    int
			Left        float64 // seconds; 0: not known
			Note        string
		}
		err := json.Unmarshal([]byte(line), &p)
		if err == nil && p.Note != "" {
			out.Display(note(p.Note))
			continue
		}
		if err != nil || p.Total == 0 {
			last = line
			continue
		}
		text := fmt.Sprintf("%d of %d rows · %s, K = %d, split %d", p.Done, p.Total, p.Method, p.K, p.Split)
		if p.Left > 0 {
			text += " · " + chart.Duration(p.Left) + " left"
		}
		out.Update(id, note(text))
	}
	return last
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
	out.Update(id, note(fmt.Sprintf("%d of %d rows", len(c.Rows), c.Planned)))
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

// comparisonError is what the command ended with.
func comparisonError(ctx context.Context, ended error, last, file string, made comparisonReport) error {
	switch {
	case ended == nil:
		return nil
	case ctx.Err() != nil:
		return fault.New(fault.Interrupted, "the same line goes on with "+file, "interrupted with %d of %d rows done", len(made.Rows), made.Planned)
	case last == "":
		return fault.Wrap(ended, fault.Failed, "the same line goes on with "+file, "the comparison ended")
	}
	return fault.New(fault.Failed, "", "%s", strings.TrimPrefix(last, "fsnet: "))
}
