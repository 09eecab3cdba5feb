package train

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
)

// Feature describes one feature of the data: its distribution over the
// training rows, its embedding, and its probabilities now and at the
// checkpoints. It finds the feature by name, or else by its 0-based column
// of the file. It does not read test rows. If the feature is constant or
// screened out, Kept is false, and there are no embedding and no
// probabilities. The error is of kind NotFound for an unknown name, and of
// kind Request for a column out of range.
func (t *Training) Feature(which string) (session.Feature, error) {
	index, err := t.column(which)
	if err != nil {
		return session.Feature{}, err
	}
	values, scaled, err := t.data.ValuesOf(context.Background(), t.data.Parts.Train, index)
	if err != nil {
		return session.Feature{}, err
	}

	f := session.Feature{Index: index, Name: t.data.Features[index], Step: t.step, Bins: t.histogram(index, values, scaled)}
	for c, class := range t.data.Classes {
		var own []float32
		for i, row := range t.data.Parts.Train {
			if t.data.Y[row] == c {
				own = append(own, values[i])
			}
		}
		f.Classes = append(f.Classes, distribution(class, own))
	}

	f.All = distribution("", values)
	kept, ok := slices.BinarySearch(t.data.Kept, index)
	j := slices.Index(t.columns, kept)
	if !ok || j < 0 { // Constant over the training rows, or screened out.
		return f, nil
	}
	f.Kept = true
	err = t.addLearned(&f, j)
	return f, err
}

// column finds a column of the file by the name of the feature or, if no
// feature has that name, by its number.
func (t *Training) column(which string) (int, error) {
	if i := slices.Index(t.data.Features, which); i >= 0 {
		return i, nil
	}
	number, err := strconv.Atoi(which)
	switch {
	case err == nil && number >= 0 && number < t.data.D:
		return number, nil
	case err == nil:
		return 0, errs.New(errs.Request, fmt.Sprintf("choose 0 to %d, or a name", t.data.D-1), "there is no column %d", number)
	}

	remedy := fmt.Sprintf("give a name as in the file, such as %s, or a column from 0 to %d", t.data.Features[0], t.data.D-1)
	if near := parse.NearestName(which, t.data.Features); near != "" {
		remedy = "did you mean " + near + "?"
	}
	return 0, errs.New(errs.NotFound, remedy, "%s has no feature %.100q", t.data.Name, which)
}

// histogram returns the bins of the embedding, of equal width over the
// training rows, in the units of the file (even if sites are scaled
// separately and have no common unit). A constant feature has one bin. read
// and scaled are the column over the training rows.
func (t *Training) histogram(index int, read, scaled []float32) session.Bins {
	var column []float64
	var y []int
	kept, ok := slices.BinarySearch(t.data.Kept, index)
	for i, row := range t.data.Parts.Train {
		x := float64(read[i])
		if ok && math.IsNaN(x) {
			mean, scale := t.data.Moments(row)
			x = mean[kept] + scale[kept]*float64(scaled[i]) // The value that replaces it.
		}
		if !math.IsNaN(x) {
			column, y = append(column, x), append(y, t.data.Y[row])
		}
	}
	if len(column) == 0 {
		return session.Bins{Edges: []float64{}, Counts: [][]int{}}
	}

	h := embedding.NewHistogram(column, y, len(t.data.Classes), t.settings.Bins)
	count := t.settings.Bins
	if !ok {
		count = 1
	}

	low, high := slices.Min(column), slices.Max(column)
	b := session.Bins{Edges: make([]float64, count+1), Counts: make([][]int, len(t.data.Classes))}
	for i := range b.Edges {
		b.Edges[i] = low + (high-low)*float64(i)/float64(count)
	}
	for c := range b.Counts {
		b.Counts[c] = make([]int, count)
		for i := range count {
			b.Counts[c][i] = int(h.ByClass[c][i])
		}
	}
	return b
}

// distribution summarises values of a column, in the units of the file. It
// counts missing values and leaves them out. If there are no others, all
// figures are 0.
func distribution(class string, read []float32) session.Distribution {
	d := session.Distribution{Class: class}
	var values []float64
	for _, x := range read {
		if x := float64(x); math.IsNaN(x) {
			d.Missing++
		} else {
			values = append(values, x)
			d.Mean += x
		}
	}
	d.N = len(values)
	if d.N == 0 {
		return d
	}

	slices.Sort(values)
	d.Mean /= float64(d.N)
	for _, x := range values {
		d.SD += (x - d.Mean) * (x - d.Mean)
	}
	d.SD = math.Sqrt(d.SD / float64(d.N))
	d.Min, d.Max = values[0], values[d.N-1]
	d.Q1, d.Median, d.Q3 = session.Quantile(values, 0.25), session.Quantile(values, 0.5), session.Quantile(values, 0.75)
	return d
}

// addLearned adds the embedding of feature j of the graph, its current
// probabilities, and its probabilities at past checkpoints. It reads at most as
// many checkpoints as courseWork allows, evenly spread.
func (t *Training) addLearned(f *session.Feature, j int) error {
	p, phi, err := t.engine.Feature(nil, j, t.lookAt(t.step))
	if err != nil {
		return err
	}
	f.Probability, f.Embedding, f.EmbeddingLabels = p, phi, t.embeddingLabels(len(phi))

	list := t.checkpoints.list
	most := min(len(list), max(fewestCourse, courseWork/(t.engine.Layout.K*t.engine.Layout.D)))
	free := false // Whether selectors that are held now are free.
	for _, c := range pick(list, num.EvenlySpaced(len(list), most)) {
		if c.step == t.step {
			break
		}
		if was := t.held() != nil && c.held() == nil; was != free {
			if err := t.hold(c.held()); err != nil {
				return err
			}
			free = was
		}
		p, _, err := t.engine.Feature(c.theta, j, t.lookAt(c.step))
		if err != nil {
			return err
		}
		f.Course.Add(c.step, p)
	}
	f.Course.Add(t.step, p)
	if free {
		return t.hold(t.held())
	}
	return nil
}

// courseWork limits the sum of K·d over the checkpoints that a course reads, so
// that it takes about a tenth of a second.
const (
	fewestCourse = 8
	courseWork   = 20_000_000
)

// embeddingLabels names the dimensions of the embedding. It recognises the
// embedding by their number: bins over all rows or for each class, and with
// class-t also a t for each class and the strength.
func (t *Training) embeddingLabels(dims int) []string {
	class := func(slot int) string { return t.target.names[slot] }
	classes, count := t.target.Classes, t.settings.Bins
	bins := func(prefix string) (labels []string) {
		for b := range count {
			labels = append(labels, fmt.Sprintf("%sbin %d", prefix, b+1))
		}
		return labels
	}

	var labels []string
	if dims >= (count+1)*classes {
		for c := range classes {
			labels = append(labels, class(c)+", t")
		}
	}
	if dims >= count*classes {
		for c := range classes {
			labels = append(labels, bins(class(c)+", ")...)
		}
	} else {
		labels = bins("")
	}

	if len(labels) < dims {
		labels = append(labels, "strength")
	}
	return labels
}
