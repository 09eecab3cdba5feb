package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
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
	fmt.Fprintf(&text, "\nfsnet %s\n", system.Version())
	page, err := report.Results(title, sections, system.Version(), system.Libraries())
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"reproduction.md": []byte(text.String()), "reproduction.html": page} {
		if err := system.WriteFile(filepath.Join(o.dir, name), content); err != nil {
			return errs.NotWritten(err)
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
					line.Measured = &shares
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
		"below it in %d (we reach more).", phrase.Count(inside+above+below, "cell"), inside, above, below)
	if most < fewSplits {
		text += fmt.Sprintf(" With %s intervals are so wide that inside says little: look at the differences.", phrase.Count(most, "split"))
	}
	return text
}

// tableOf makes a table of titles; those with a ">" are set to the right.
func tableOf(titles ...string) chart.Table {
	var t chart.Table
	for _, title := range titles {
		c := chart.Column{Title: title}
		if title[0] == '>' {
			c.Title, c.Right = title[1:], true
		}
		t = append(t, c)
	}
	return t
}

// noFigure stands where there is no figure.
const noFigure = "–"

// figureText is a figure of the paper.
func figureText(f *paperFigure, decimals int) string {
	switch {
	case f == nil:
		return noFigure
	case f.Value == nil:
		return "N/A"
	case f.SD != nil:
		return fmt.Sprintf("%.*f ± %.*f", decimals, *f.Value, decimals, *f.SD)
	}
	return strconv.FormatFloat(*f.Value, 'f', decimals, 64)
}

func meanText(s *metric.Spread, splits int) string {
	switch {
	case s == nil:
		return noFigure
	case splits < 2:
		return fmt.Sprintf("%.3f", s.Mean)
	}
	return fmt.Sprintf("%.3f ± %.3f", s.Mean, s.SD)
}

// intervalText is that of a mean of shares.
func (m measuredCell) intervalText() string {
	low, high, ok := m.ours.Interval()
	if !ok {
		return noFigure
	}
	return fmt.Sprintf("%.3f to %.3f", max(low, 0), min(high, 1))
}

func (m measuredCell) both() bool { return m.ours != nil && m.paper != nil && m.paper.Value != nil }

func (m measuredCell) difference() string {
	if !m.both() {
		return noFigure
	}
	return fmt.Sprintf("%+.3f", m.ours.Mean-*m.paper.Value)
}

// verdict says where the paper's figure lies, and else why nobody can say.
func (m measuredCell) verdict() string {
	text := ""
	low, high, interval := m.ours.Interval()
	switch {
	case m.ours == nil:
		text = cmp.Or(m.remark, "not made")
		if m.failed > 0 {
			text = fmt.Sprintf("%d failed", m.failed)
		}
		return text
	case m.paper == nil:
		text = "not in the paper"
	case m.paper.Value == nil:
		text = "the paper's authors could not run it"
	case !interval:
		text = "one split has no interval"
	case *m.paper.Value < low:
		text = "below our interval"
	case *m.paper.Value > high:
		text = "above our interval"
	default:
		text = "inside our interval"
	}
	if m.failed > 0 {
		text += fmt.Sprintf("; %d failed", m.failed)
	}
	if m.remark != "" {
		text += "; " + m.remark
	}
	return text
}

// kText is K, or that all features are used.
func kText(k int) string {
	if k == 0 {
		return "all"
	}
	return strconv.Itoa(k)
}

func accuracyTable(list []measuredCell) chart.Table {
	t := tableOf("data", ">K", "the paper's column", "method", ">splits", ">accuracy", ">95 %", ">SVM on the selected", ">paper",
		">difference", "the paper's figure is")
	for _, m := range list {
		svm := noFigure
		if m.svm != nil {
			svm = fmt.Sprintf("%.3f", m.svm.Mean)
		}
		t.Add(m.row, kText(m.k), cmp.Or(m.column, noFigure), m.method, strconv.Itoa(m.splits), meanText(m.ours, m.splits), m.intervalText(), svm,
			figureText(m.paper, 3), m.difference(), m.verdict())
	}
	return t
}

func sizeTable(list []modelSize) chart.Table {
	t := tableOf("data", "the paper's column", "method", ">parameters", ">on disk, KiB", ">paper, KB", ">difference", "remark")
	for _, m := range list {
		cells := []string{m.row, m.column, m.method, noFigure, noFigure, figureText(m.paper, 0), noFigure, m.remark}
		if m.parameters > 0 {
			cells[3], cells[4] = strconv.Itoa(m.parameters), fmt.Sprintf("%.1f", m.disk)
			if m.paper != nil {
				cells[6] = fmt.Sprintf("%+.1f", m.disk-*m.paper.Value)
			}
		} else if m.remark == "" {
			cells[7] = "not made"
		}
		t.Add(cells...)
	}
	return t
}

func compressionTable(list []compressedModel) chart.Table {
	t := tableOf("data", "method", ">by parameters", ">by size on disk", ">paper")
	for _, c := range list {
		cells := []string{c.row, c.method, noFigure, noFigure, figureText(c.paper, 1)}
		if c.byParameters > 0 {
			cells[2], cells[3] = fmt.Sprintf("%.1f", c.byParameters), fmt.Sprintf("%.1f", c.byDisk)
		}
		t.Add(cells...)
	}
	return t
}

func informationTable(list []measuredCell) chart.Table {
	t := tableOf("data", "the paper's column", "method", ">splits", ">mutual information, bits", ">95 %")
	for _, m := range list {
		interval := noFigure
		if low, high, ok := m.ours.Interval(); ok {
			interval = fmt.Sprintf("%.3f to %.3f", max(low, 0), high)
		}
		t.Add(m.row, cmp.Or(m.column, noFigure), m.method, strconv.Itoa(m.splits), meanText(m.ours, m.splits), interval)
	}
	return t
}

// curveTable is what the curves end with, a mean over splits.
func curveTable(of func(string) string, list []averagedCurve) chart.Table {
	t := tableOf("data", "method", ">splits", ">epochs", ">training accuracy", ">test accuracy", ">reconstruction error of the test rows")
	for _, c := range list {
		last := len(c.x) - 1
		t.Add(of(c.data), c.method, strconv.Itoa(c.splits), fmt.Sprintf("%g", c.x[last]), c.train.end(), c.test.end(), c.reconstruction.end())
	}
	return t
}

// averagedCurve is the mean of the curves of one method on one data set. Trainings that ended early count with their last figures.
type averagedCurve struct {
	data, method                string
	splits                      int
	x                           []float64
	train, test, reconstruction curveCourse
}

// curveCourse is a figure over the epochs.
type curveCourse struct {
	mean   []float64
	spread []float64 // standard deviation over the splits; nil of one split
}

// end is what is reached.
func (c curveCourse) end() string {
	last := len(c.mean) - 1
	if c.spread == nil {
		return fmt.Sprintf("%.3f", c.mean[last])
	}
	return fmt.Sprintf("%.3f ± %.3f", c.mean[last], c.spread[last])
}

// averageCurves puts curves of one method and data set together, in their order.
func averageCurves(curves []curve) []averagedCurve {
	var list []averagedCurve
	groups := map[string][]curve{}
	var order []string
	for _, c := range curves {
		key := c.Dataset + "\x00" + c.Method
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], c)
	}
	for _, key := range order {
		group := groups[key]
		a := averagedCurve{data: group[0].Dataset, method: group[0].Method, splits: len(group)}
		for _, c := range group {
			if len(c.Epochs) > len(a.x) {
				a.x = c.Epochs
			}
		}
		mean := func(of func(curve) []float64) (out curveCourse) {
			for i := range a.x {
				values := make([]float64, len(group))
				for s, c := range group {
					values[s] = of(c)[min(i, len(of(c))-1)]
				}
				mean, spread := stat.MeanStdDev(values, nil)
				out.mean = append(out.mean, mean)
				if len(group) > 1 {
					out.spread = append(out.spread, spread)
				}
			}
			return out
		}
		a.train, a.test = mean(func(c curve) []float64 { return c.Train }), mean(func(c curve) []float64 { return c.Test })
		a.reconstruction = mean(func(c curve) []float64 { return c.Reconstruction })
		list = append(list, a)
	}
	return list
}

// figures are the parts of the report that the paper has as figures, which print no numbers.
func (s *paperStudy) figures() ([]reportPart, error) {
	list := averageCurves(s.curves)
	curves := reportPart{title: "Figures 2 and 3: accuracy and reconstruction error over the epochs", text: []string{
		overSplits(list) + "The reconstruction error is the mean of (x − x̂)² over test rows and features. The paper prints no numbers here. CAE's decoder " +
			"gets the features that its selectors would have if the training ended there. It begins anew, with twice the epochs, " +
			"where its selectors have not settled: its line goes over the epochs of all tries. The SVM has no epochs: its level is that " +
			"in the panels.",
	}}
	if len(list) > 0 {
		curves.tables = []chart.Table{curveTable(s.of, list)}
		picture, err := chart.LearningChart(s.learning(list))
		if err != nil {
			return nil, err
		}
		curves.pictures = []chart.Picture{picture}
	}
	shared := s.shared()
	information := reportPart{title: "Figure 4: mutual information between the selected features",
		tables: []chart.Table{informationTable(shared)}, text: append([]string{
			"Mean over all pairs of the selected features, in bits, of the test rows in ten bins; the lower, the better. The paper prints " +
				"no numbers, and says that FsNet's is lower than " +
				"CAE's on all data sets."}, redundancyClaims(shared)...)}
	m := chart.Measured{Title: fmt.Sprintf("Mutual information between the selected features, K = %d", s.first()), Unit: "bits"}
	for _, one := range shared {
		m.Lines = append(m.Lines, chart.MeasuredLine{Group: one.row, Name: one.method, Measured: one.ours})
	}
	if len(m.Lines) > 0 {
		picture, err := chart.Against(m)
		if err != nil {
			return nil, err
		}
		information.pictures = []chart.Picture{picture}
	}
	return []reportPart{curves, information}, nil
}

// overSplits says of how many splits the curves are.
func overSplits(list []averagedCurve) string {
	fewest, most := 0, 0
	for i, a := range list {
		if most = max(most, a.splits); i == 0 || a.splits < fewest {
			fewest = a.splits
		}
	}
	switch {
	case most == 0:
		return ""
	case fewest < most:
		return fmt.Sprintf("Means over %d to %d splits, ± one standard deviation; the paper's are of 20. ", fewest, most)
	case most == 1:
		return "Of one split; the paper's are means of 20. "
	}
	return fmt.Sprintf("Means over %d splits, ± one standard deviation; the paper's are of 20. ", most)
}

// redundancyClaims says of each FsNet on how many data sets its features share less than those of CAE.
func redundancyClaims(list []measuredCell) (texts []string) {
	cae := map[string]float64{}
	var names []string
	lower, of := map[string]int{}, map[string]int{}
	for _, m := range list {
		if m.column == "CAE" {
			cae[m.row] = m.ours.Mean
		}
	}
	for _, m := range list {
		if theirs, ok := cae[m.row]; ok && m.column == "FsNet" {
			if of[m.method]++; of[m.method] == 1 {
				names = append(names, m.method)
			}
			if m.ours.Mean < theirs {
				lower[m.method]++
			}
		}
	}
	for _, name := range names {
		texts = append(texts, fmt.Sprintf("%s: lower than CAE on %d of %s.", name, lower[name], phrase.Count(of[name], "data set")))
	}
	return texts
}

// learning is the panels: for each data set accuracies of training and test rows, and the reconstruction error.
func (s *paperStudy) learning(list []averagedCurve) chart.Learning {
	l := chart.Learning{Title: fmt.Sprintf("Trainings over the epochs, K = %d", s.first())}
	entries := s.entries()
	for _, f := range s.data {
		if f.data == nil {
			continue
		}
		var panels [3]chart.LearningPanel
		for i, what := range []string{"accuracy, training rows", "accuracy, test rows", "reconstruction error, test rows"} {
			panels[i].Title = f.name + ": " + what
		}
		last := 0.0
		for _, a := range list {
			if a.data != f.data.Name {
				continue
			}
			last = max(last, a.x[len(a.x)-1])
			for i, c := range []curveCourse{a.train, a.test, a.reconstruction} {
				panels[i].Lines = append(panels[i].Lines, chart.LearningLine{Name: a.method, X: a.x, Y: c.mean, Spread: c.spread})
			}
		}
		for _, m := range s.methods {
			e := entries[entryKey{f.data.Name, s.first(), m.Name}]
			level := e.Own
			if word, _, _ := strings.Cut(m.Name, ":"); level == nil || word != "svm" {
				continue
			}
			panels[1].Lines = append(panels[1].Lines, chart.LearningLine{Name: m.Name, X: []float64{last}, Y: []float64{level.Mean}})
		}
		l.Panels = append(l.Panels, panels[:]...)
	}
	return l
}
