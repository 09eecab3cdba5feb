package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/atomicfile"
	"fsnetlab/internal/count"
	"fsnetlab/internal/installation"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/report"
)

// reportPart is a section of the report in both its forms.
type reportPart struct {
	title    string
	text     []string
	tables   []chart.Table
	pictures []chart.Picture
}

// write writes the report as Markdown and as a page.
func (o reproduceOptions) write(studies []*paperStudy, device string, out io.Writer) error {
	parts := []reportPart{o.head(studies, device)}
	for _, s := range studies {
		made, err := o.parts(s)
		if err != nil {
			return err
		}
		parts = append(parts, made...)
	}
	const title = "FsNet's paper, measured"
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n\n```\n%s\n```\n", title, o.command())
	var sections []report.Section
	for i, p := range parts {
		fmt.Fprintf(&text, "\n## %s\n", p.title)
		s := report.Section{Title: p.title, Text: p.text}
		if i == 0 {
			s.Code = o.command()
		}
		for _, line := range p.text {
			fmt.Fprintf(&text, "\n%s\n", line)
		}
		for _, t := range p.tables {
			text.WriteString("\n" + markdown(t))
			s.Pictures = append(s.Pictures, chart.Picture{HTML: t.HTML(0)})
		}
		s.Pictures = append(s.Pictures, p.pictures...)
		sections = append(sections, s)
	}
	fmt.Fprintf(&text, "\nfsnet %s\n", installation.Version())
	page, err := report.Results(title, sections, installation.Version(), installation.Libraries())
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"reproduction.md": []byte(text.String()), "reproduction.html": page} {
		if err := atomicfile.Write(filepath.Join(o.dir, name), content); err != nil {
			return fault.NotWritten(err)
		}
	}
	_, err = fmt.Fprintln(out, filepath.Join(o.dir, "reproduction.md")+"\n"+filepath.Join(o.dir, "reproduction.html"))
	return err
}

// markdown writes a table; a bar in a text does not end its cell.
func markdown(t chart.Table) string {
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	line := func(of func(chart.Column) string) string {
		var cells []string
		for _, c := range t {
			cells = append(cells, of(c))
		}
		return "| " + strings.Join(cells, " | ") + " |\n"
	}
	text := line(func(c chart.Column) string { return c.Title }) + line(func(c chart.Column) string {
		if c.Right {
			return "--:"
		}
		return "---"
	})
	for i := range t[0].Cells {
		text += line(func(c chart.Column) string { return cell.Replace(c.Cells[i]) })
	}
	return text
}

// head says what was measured, and what is missing.
func (o reproduceOptions) head(studies []*paperStudy, device string) reportPart {
	p := reportPart{title: "What this is", text: []string{fmt.Sprintf(
		"Random halves of the rows of each data set, of the seeds %d to %d, on %s. A figure is a mean over the splits ± their standard "+
			"deviation. Its 95 %% interval is wider for splits that share rows (Nadeau, Bengio 2003); it says nothing of how the paper's own "+
			"figure would vary.",
		o.seed, o.seed+int64(o.splits)-1, device)}}
	t := tableOf("data", ">rows", ">features", ">classes", "remark")
	var missing []string
	for _, s := range studies {
		for _, f := range s.data {
			if f.data == nil {
				missing = append(missing, f.name)
				t.Add(f.name, noFigure, noFigure, noFigure, f.remark)
				continue
			}
			t.Add(f.name, fmt.Sprint(f.data.N), fmt.Sprint(f.data.D), fmt.Sprint(len(f.data.Classes)), f.remark)
		}
		if s.plan != nil {
			if left := s.plan.Missing(s.rows); left != "" {
				p.text = append(p.text, fmt.Sprintf("Of all cells of %s %s.", s.file, left))
			}
		}
	}
	if len(missing) > 0 {
		p.text = append(p.text, "Without data: "+strings.Join(missing, ", ")+". fsnet data get fetches those of the public collection; "+
			"--data NAME=FILE names a file.")
	}
	p.tables = []chart.Table{t}
	return p
}

// parts are those that a study is asked for.
func (o reproduceOptions) parts(s *paperStudy) (parts []reportPart, err error) {
	if o.wants(s.table) {
		p, err := s.accuracyPart()
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	if s.table != "table1" {
		return parts, nil
	}
	if o.wants("table2") {
		sizes, err := s.sizes()
		if err != nil {
			return nil, err
		}
		parts = append(parts, reportPart{title: "Table 2: size of the models", tables: []chart.Table{sizeTable(sizes),
			compressionTable(s.compressions(sizes))}, text: []string{
			"Parameters are those that a training learns, selectors and decoder included; what predicts is smaller (fsnet compare's kB). On disk they take 8 bytes each: their value and RMSprop's mean of its squared " +
				"gradient, which Keras keeps in " +
				"the file of a model, too. The paper's KB are 1024 bytes, and its files have some 56 KB more than the numbers: Keras's " +
				"description of the network. " +
				"The ratio by parameters is the paper's formula, the one by size what its table has."}})
	}
	if o.wants("figures") {
		figures, err := s.figures()
		if err != nil {
			return nil, err
		}
		parts = append(parts, figures...)
	}
	return parts, nil
}

func (s *paperStudy) accuracyPart() (reportPart, error) {
	list := s.accuracies()
	p := reportPart{title: "Table " + s.table[len("table"):] + ": accuracy on the test rows", tables: []chart.Table{accuracyTable(list)},
		text: []string{
			"FsNet, CAE (supervised) and the Diet Network are judged by their own networks; of the others the figure is that of a support vector " +
				"machine on the features that they selected, as in the paper.", verdictCounts(list)}}
	for _, k := range append(slices.Clone(s.k), 0) {
		m := chart.Measured{Title: "Accuracy, K = " + kText(k), Unit: "accuracy on the test rows"}
		if k == 0 {
			m.Title = "Accuracy with all features"
		}
		for _, one := range list {
			if one.k == k && (one.ours != nil || one.paper != nil) {
				line := chart.MeasuredLine{Group: one.row, Name: one.method}
				if one.ours != nil {
					shares := *one.ours // an interval is cut where shares end
					if low, high, ok := shares.Interval(); ok {
						shares.Low, shares.High = new(max(low, 0)), new(min(high, 1))
					}
					line.Measured = drawnSpread(&shares)
				}
				if one.paper != nil {
					line.Published = one.paper.Value
				}
				m.Lines = append(m.Lines, line)
			}
		}
		if len(m.Lines) == 0 {
			continue
		}
		picture, err := chart.Against(m)
		if err != nil {
			return p, err
		}
		p.pictures = append(p.pictures, picture)
	}
	return p, nil
}

// drawnSpread is a spread as charts take it.
func drawnSpread(s *study.Spread) *chart.ComparedSpread {
	return &chart.ComparedSpread{Mean: s.Mean, SD: s.SD, Low: s.Low, High: s.High}
}

// fewSplits is below how many of them the report warns of its intervals.
const fewSplits = 10

// verdictCounts counts what holds.
func verdictCounts(list []measuredCell) string {
	found, most := map[string]int{}, 0
	for _, m := range list {
		if most = max(most, m.splits); m.both() && m.splits > 1 {
			m.remark, m.failed = "", 0
			found[m.verdict()]++
		}
	}
	inside, above, below := found["inside our interval"], found["above our interval"], found["below our interval"]
	if inside+above+below == 0 {
		return "No cell has both a figure of the paper and an interval of ours."
	}
	text := fmt.Sprintf("Of %s with both, the paper's figure lies inside our interval in %d, above it in %d (we reach less), "+
		"below it in %d (we reach more).", count.Of(inside+above+below, "cell"), inside, above, below)
	if most < fewSplits {
		text += fmt.Sprintf(" With %s intervals are so wide that inside says little: look at the differences.", count.Of(most, "split"))
	}
	return text
}
