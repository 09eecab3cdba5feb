package fsnet_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
)

// predictCohort is a table of 40 rows: g1 and g2 tell the three classes, named
// by numbers, apart, six others are noise, site is words.
func predictCohort(header []string) string {
	r := num.RNG(3, "predict")
	text := strings.Join(header, ",") + "\n"
	for i := range 40 {
		class := (i + 2) % 3 // the first class in the rows is not the first by name
		value := map[string]string{"sample": fmt.Sprintf("s%d", i), "site": []string{"north", "south"}[i%2], "stage": fmt.Sprintf("%d.0", class)}
		for j := range 8 {
			x := r.NormFloat64()
			if j < 2 {
				x = 0.3*x + float64((class+j)%3)
			}
			value[fmt.Sprintf("g%d", j+1)] = fmt.Sprintf("%.4f", x)
		}
		var fields []string
		for _, name := range header {
			fields = append(fields, value[name])
		}
		text += strings.Join(fields, ",") + "\n"
	}
	return text
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// If model and data are swapped, the error says so and gives the right command.
func TestPredictFile_SwappedArguments(t *testing.T) {
	model, _ := trainedCohort(t)
	data := write(t, "new.csv", predictCohort(whole))
	_, err := fsnet.PredictFile(t.Context(), data, config.Config{Data: model})
	want := fmt.Sprintf("%s is not a model, but %s is - the model comes first: fsnet predict %s %s", data, model, model, data)
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

var whole = []string{"sample", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "site", "stage"}

// trainedCohort is the file of a small model, and its selected features by rank.
func trainedCohort(t *testing.T) (path string, genes []string) {
	t.Helper()
	data := write(t, "train.csv", predictCohort(whole))
	m, err := fsnet.FitFile(context.Background(),
		config.Config{Data: data, Label: "stage", Covariates: []string{"site"}, K: 3, Epochs: 400, Seed: 2, Protocol: config.Stepwise, Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "m.safetensors")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	for _, s := range m.Selected {
		genes = append(genes, s.Name)
	}
	return path, genes
}

// A table of the model's features alone, in another order and without a label,
// gives the predictions of the whole table. With the label, the accuracy is the
// share of right rows.
func TestPredictFile_PanelAlone(t *testing.T) {
	model, genes := trainedCohort(t)
	r := must(fsnet.PredictFile(t.Context(), model, config.Config{Data: write(t, "new.csv", predictCohort(whole))}))
	slices.Reverse(genes)
	for i, name := range genes { // a covariate's feature site=south is found in the words of site
		genes[i], _, _ = strings.Cut(name, "=")
	}
	panel := must(fsnet.PredictFile(t.Context(), model, config.Config{Data: write(t, "panel.csv", predictCohort(append([]string{"sample"}, genes...)))}))
	hits := 0
	for i, p := range r.Predictions {
		if p.Label != fmt.Sprint((i+2)%3) || p.Sample != fmt.Sprintf("s%d", i) ||
			p.Probabilities[slices.Index(r.Classes, p.Class)] != slices.Max(p.Probabilities) {
			t.Errorf("%+v of %v", p, r.Classes)
		}
		if p.Class == p.Label {
			hits++
		}
		q := panel.Predictions[i]
		if q.Class != p.Class || !slices.Equal(q.Probabilities, p.Probabilities) || q.Label != "" || q.Sample != p.Sample {
			t.Errorf("the panel says %+v, the whole table %+v", q, p)
		}
	}
	if r.Known != 40 || r.Score.Value != float64(hits)/40 || hits < 30 || panel.Score != nil || panel.Known != 0 {
		t.Errorf("accuracy %v of %d, %d of 40 are right; the panel %v", r.Score, r.Known, hits, panel.Score)
	}
}

// A table with a line for each feature is transposed. Rows with a missing value
// are filled with the training mean, left out or rejected.
func TestPredictFile_OtherTables(t *testing.T) {
	model, genes := trainedCohort(t)
	ctx := context.Background()
	transposed := "name,a,b,c\n"
	for _, g := range genes {
		transposed += g + ",1,0,1\n"
	}
	r := must(fsnet.PredictFile(ctx, model, config.Config{Data: write(t, "t.csv", transposed+"ignored,x,y,z\nstage,0,1,9\n")}))
	if len(r.Predictions) != 3 || r.Predictions[1].Sample != "b" || r.Known != 2 || !slices.Equal(r.Unknown, []string{"9"}) ||
		!slices.Equal(r.Predictions[0].Probabilities, r.Predictions[2].Probabilities) {
		t.Errorf("%+v", r)
	}
	loaded := must(fsnet.Load(model))
	means, _ := loaded.Means()
	hole := strings.Join(genes, ",") + "\n1,,1\n1," + fmt.Sprint(means[1]) + ",1\n"
	filled, err := fsnet.PredictFile(ctx, model, config.Config{Data: write(t, "hole.csv", hole), Missing: "mean"})
	if err != nil || filled.Filled != 1 || math.Abs(filled.Predictions[0].Probabilities[0]-filled.Predictions[1].Probabilities[0]) > 1e-6 {
		t.Errorf("%v: %+v", err, filled)
	}
	dropped, err := fsnet.PredictFile(ctx, model, config.Config{Data: write(t, "hole.csv", hole), Missing: "drop"})
	if err != nil || dropped.Dropped != 1 || len(dropped.Predictions) != 1 || dropped.Predictions[0].Row != 2 {
		t.Errorf("%v: %+v", err, dropped)
	}
	for what, c := range map[string]struct{ table, want string }{
		"a feature is missing": {strings.Join(genes[1:], ",") + ",other\n1,1,1\n", fmt.Sprintf("has 2 of 3 features and lacks %q", genes[0])},
		"another one is meant": {strings.Join(genes[1:], ",") + "," + strings.ToUpper(genes[0]) + "\n1,1,1\n",
			fmt.Sprintf("is %s the column %s?", genes[0], strings.ToUpper(genes[0]))},
		"all are missing":        {"a,b,c\n1,2,3\n", "has 0 of 3 features"},
		"a value is missing":     {hole, fmt.Sprintf("line 2, column %q: the value is missing", genes[1])},
		"a value is no number":   {strings.Join(genes, ",") + "\n1,x,1\n", `"x" is not a number`},
		"a value is infinite":    {strings.Join(genes, ",") + "\n1,1e99,1\n", "the value is infinite, or beyond"},
		"a line is short":        {strings.Join(genes, ",") + "\n1,1,1\n1,1\n", "line 3 has 2 fields"},
		"there are no rows":      {strings.Join(genes, ",") + "\n", "holds a header but no samples"},
		"it is no table of text": {"\x00\x01\x02", "is not text"},
	} {
		_, err := fsnet.PredictFile(ctx, model, config.Config{Data: write(t, "bad.csv", c.table)})
		if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", what, err, c.want)
		}
	}
	unlabelled := config.Config{Data: write(t, "n.csv", hole), Missing: "mean", Label: "stage"}
	if _, err := fsnet.PredictFile(ctx, model, unlabelled); err == nil || !strings.Contains(err.Error(), `no column "stage" (label)`) {
		t.Error(err)
	}
	if _, err := fsnet.PredictFile(ctx, write(t, "x.safetensors", "x"), config.Config{Data: "ALLAML"}); !errs.Is(err, errs.Request) {
		t.Error(err)
	}
	if _, err := fsnet.PredictFile(ctx, model, config.Config{Data: "ALLAML"}); err == nil || !strings.Contains(err.Error(), "ALLAML has 0 of 3 features") {
		t.Error(err)
	}
}

// A model that was trained with a nuisance, or with pairs, reads that column in
// the table, and says so if there is none.
func TestPredictFile_NeedsColumns(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(predictCohort(whole)), "\n")
	for i, line := range lines {
		lines[i] = strings.Replace(line, "site,", "site,patient,", 1)
		if i > 0 {
			fields := strings.Split(line, ",")
			for j := 1; j <= 8 && fields[9] == "south"; j++ { // sites measure otherwise
				fields[j] = "10" + strings.TrimPrefix(fields[j], "-")
			}
			lines[i] = strings.Join(slices.Insert(fields, 10, fmt.Sprint("p", (i-1)/2)), ",")
		}
	}
	table := strings.Join(lines, "\n") + "\n"
	for key, c := range map[string]config.Config{"site": {Nuisance: "site", Samples: "sample", Covariates: []string{"patient"}},
		"patient": {Pairs: "patient", Samples: "sample", Covariates: []string{"site"}}} {
		c.Data, c.Label, c.K, c.Epochs, c.Backend, c.Hidden = write(t, "train.csv", table), "stage", 2, 40, "go", []int{6, 4}
		m := must(fsnet.FitFile(t.Context(), c))
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		r, err := fsnet.PredictFile(t.Context(), path, config.Config{Data: c.Data})
		if err != nil || len(r.Predictions) != 40 || r.Known != 40 {
			t.Fatalf("%s: %v", key, err)
		}
		other := write(t, "other.csv", strings.Replace(table, key, "elsewhere", 1))
		if _, err := fsnet.PredictFile(t.Context(), path, config.Config{Data: other}); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprintf("no column %q", key)) {
			t.Errorf("%s is not there: %v", key, err)
		}
	}
}

// Values in other units, or logarithms of the trained values, are named. Those
// of other patients, of a few rows or of one value aren't.
func TestPredictFile_OtherScale(t *testing.T) {
	path, genes := trainedCohort(t)
	model := must(fsnet.Load(path))
	means, _ := model.Means()
	deviations := model.DeviationsAt("")
	for what, c := range map[string]struct {
		rows   int
		of     func(deviation float64) float64 // the value, in deviations from the mean, of a row that is so far from it
		warned bool
	}{
		"as trained":              {40, func(z float64) float64 { return z }, false},
		"other patients":          {40, func(z float64) float64 { return 3*z + 4 }, false},
		"a thousand times":        {40, func(z float64) float64 { return 1000 * (z + 0.5) }, true},
		"logarithms":              {40, func(z float64) float64 { return -1 + z/100 }, true},
		"three alike":             {3, func(z float64) float64 { return -1 + z/100 }, false},
		"one value":               {40, func(float64) float64 { return -1 }, false},
		"one row, in other units": {1, func(float64) float64 { return 500 }, true},
	} {
		text := strings.Join(genes, ",") + "\n"
		for i := range c.rows {
			fields := make([]string, len(genes))
			for j := range genes {
				z := float64(i%9-4) / 3
				fields[j] = strconv.FormatFloat(means[j]+deviations[j]*c.of(z), 'g', -1, 64)
			}
			text += strings.Join(fields, ",") + "\n"
		}
		r := must(fsnet.PredictFile(t.Context(), path, config.Config{Data: write(t, "new.csv", text)}))
		if (len(r.OtherScale) == len(genes)) != c.warned || (r.Means[1] != 0) != c.warned || c.warned && r.Means[1] != means[0] {
			t.Errorf("%s: %v, %v", what, r.OtherScale, r.Means)
		}
	}
}

// Rows of pairs in other units are named by how their differences vary, whose
// mean is 0 in any unit, also if the training did not scale. Other patients are
// not.
func TestPredictFile_OtherScaleOfPairs(t *testing.T) {
	// pairs is a table of 20 patients with two rows each, whose values, of
	// logarithms, are changed.
	pairs := func(seed int64, of func(float64) float64) string {
		r, text := num.RNG(seed, "pairs"), "tissue,patient,g1,g2,g3\n"
		for patient := range 20 {
			own := 5 + r.NormFloat64()
			for k, tissue := range []string{"normal", "tumour"} {
				text += fmt.Sprintf("%s,P%d", tissue, patient)
				for j := range 3 {
					x := own + 0.3*r.NormFloat64()
					if j < 2 {
						x += float64(k)
					}
					text += fmt.Sprintf(",%.4f", of(x))
				}
				text += "\n"
			}
		}
		return text
	}
	same := func(x float64) float64 { return x }
	for _, scaling := range []string{config.TrainingRows, "none"} {
		m := must(fsnet.FitFile(t.Context(), config.Config{Data: write(t, "train.csv", pairs(1, same)), Label: "tissue", Pairs: "patient", K: 2, Epochs: 100,
			Scaling: scaling, Backend: "go"}))
		path := filepath.Join(t.TempDir(), "m.safetensors")
		check(t, m.Save(path))
		for name, c := range map[string]struct {
			of     func(float64) float64
			warned bool
		}{
			"other patients":  {same, false},
			"other level":     {func(x float64) float64 { return x + 100 }, false}, // the patients' own levels do not count
			"a hundred times": {func(x float64) float64 { return 100 * x }, true},
			"counts":          {func(x float64) float64 { return math.Round(math.Exp2(x + 3)) }, true},
		} {
			r := must(fsnet.PredictFile(t.Context(), path, config.Config{Data: write(t, "new.csv", pairs(2, c.of))}))
			if warned := len(r.OtherScale) > 0; warned != c.warned || r.Differences != c.warned || c.warned && !(r.Means[0] > 10*r.Means[1]) {
				t.Errorf("scaling %s, %s: %v, %v", scaling, name, r.OtherScale, r.Means)
			}
		}
	}
}

// Words that no training row had are rejected, all in one line with the known
// ones: in a covariate and as a site, in a table in either orientation and
// compressed. Truth values in another spelling, and words in columns that the
// model doesn't read, are accepted.
func TestPredictFile_UnknownWords(t *testing.T) {
	table := func(sex, site []string, smoker ...string) string {
		text := "sample,g1,g2,sex,site,smoker,label\n"
		for i := range 24 {
			text += fmt.Sprintf("s%d,%d,%d,%s,%s,%s,%s\n", i, i*7%11+i%2*9, i*5%13, sex[i/2%2], site[i/4%2], smoker[i/3%2], []string{"a", "b"}[i%2])
		}
		return text
	}
	train := table([]string{"F", "M"}, []string{"Oslo", "Bergen"}, "TRUE", "FALSE")
	turned := func(text string) string {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		out := ""
		for j := range strings.Split(lines[0], ",") {
			fields := []string{}
			for _, line := range lines {
				fields = append(fields, strings.Split(line, ",")[j])
			}
			out += strings.Join(fields, ",") + "\n"
		}
		return out
	}
	model := filepath.Join(t.TempDir(), "m.safetensors")
	m, err := fsnet.FitFile(t.Context(), config.Config{Data: write(t, "train.csv", train), Covariates: []string{"sex", "smoker"}, Nuisance: "site", K: 6, Epochs: 2, Backend: "go"})
	if err == nil {
		err = m.Save(model)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text string
		says []string // nil: it is read
	}{
		"as in the training":     {train, nil},
		"truth values of pandas": {table([]string{"F", "M"}, []string{"Oslo", "Bergen"}, "True", "False"), nil},
		"another word":           {table([]string{"female", "male"}, []string{"Oslo", "Bergen"}, "TRUE", "FALSE"), []string{`column "sex": no training row had "female", "male"; the model knows "F", "M"`, `"F" for "female", "M" for "male"`}},
		"one of two":             {table([]string{"F", "X"}, []string{"Oslo", "Bergen"}, "TRUE", "FALSE"), []string{`no training row had "X"; the model knows "F", "M"`}},
		"another spelling":       {table([]string{"F", "M"}, []string{"oslo", "Bergen"}, "TRUE", "FALSE"), []string{`column "site": no training row had "oslo"`, `"Oslo" for "oslo"`}},
		"another site":           {table([]string{"F", "M"}, []string{"Rome", "Bergen"}, "TRUE", "FALSE"), []string{`no training row had "Rome"; the model knows "Oslo", "Bergen"`}},
		"a missing word":         {strings.Replace(train, ",F,", ",,", 1), []string{"the value is missing"}},
	} {
		for file, text := range map[string]string{"new.csv": c.text, "lying.csv": turned(c.text), "new.tsv": strings.ReplaceAll(c.text, ",", "\t")} {
			_, err := fsnet.PredictFile(t.Context(), model, config.Config{Data: write(t, file, text)})
			if (err == nil) != (c.says == nil) {
				t.Errorf("%s, %s: %v", name, file, err)
			}
			for _, says := range c.says {
				if err != nil && !strings.Contains(err.Error(), says) {
					t.Errorf("%s, %s: %v does not say %s", name, file, err, says)
				}
			}
		}
	}
	m, err = fsnet.Load(model)
	if err != nil || m.CheckWords("sex", []string{"F", "M", ""}) != nil || m.CheckWords("sex", []string{"f"}) == nil || m.CheckWords("hair", []string{"red"}) != nil {
		t.Errorf("%v", err)
	}
}

// TestPredictFile_OtherNames ensures that the error for missing genes names the
// columns that are the same genes in another spelling and no other genes, and
// that the table is predicted once they are renamed.
func TestPredictFile_OtherNames(t *testing.T) {
	model, genes := trainedCohort(t)
	text := predictCohort(whole)
	header, rest, _ := strings.Cut(text, "\n")
	gene := genes[slices.IndexFunc(genes, func(name string) bool { return strings.HasPrefix(name, "g") })]
	for _, spelling := range []string{strings.ToUpper(gene), "hg38_" + gene + "x", gene[:1] + "-" + gene[1:]} {
		other := write(t, "new.csv", strings.Replace(header, gene, spelling, 1)+"\n"+rest)
		_, err := fsnet.PredictFile(t.Context(), model, config.Config{Data: other})
		if err == nil || !strings.Contains(err.Error(), "add these columns, under these names") {
			t.Fatal(err)
		}
		near := fmt.Sprintf("is %s the column %s?", gene, spelling)
		if same := !strings.HasSuffix(spelling, "x"); strings.Contains(err.Error(), near) != same || strings.Contains(err.Error(), "the column") != same {
			t.Errorf("%v, want %s: %v", err, near, same)
		}
	}
	if _, err := fsnet.PredictFile(t.Context(), model, config.Config{Data: write(t, "new.csv", text)}); err != nil {
		t.Error(err)
	}
}

// TestPredictFile_OtherVersion ensures that genes of Ensembl are read from
// another version of them, which the result lists, except where two columns
// differ by their version alone.
func TestPredictFile_OtherVersion(t *testing.T) {
	dir := filepath.Join(cmp.Or(os.Getenv("FSNET_SHARED"), filepath.Join("..", "..", "..", "shared")), "cases", "3")
	content, err := os.ReadFile(filepath.Join(dir, "new_ver.csv"))
	if err != nil {
		t.Skipf("NOT CHECKED against public reports: %v; set FSNET_SHARED to the directory that holds cases/3", err)
	}
	c := config.Config{Data: filepath.Join(dir, "new_ver.csv"), Annotations: filepath.Join(dir, "new_samples.csv")}
	model := filepath.Join(dir, "bu.safetensors")
	read, err := fsnet.PredictFile(t.Context(), model, c)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for _, pair := range read.OtherVersion {
		name, from, _ := strings.Cut(pair, " from ")
		code, _, _ := strings.Cut(name, ".")
		if !strings.HasPrefix(from, code+".") {
			t.Errorf("%s is another gene than %s", from, name)
		}
		text = strings.Replace(text, ","+from+",", ","+name+",", 1)
	}
	c.Data = write(t, "new_ver.csv", text)
	renamed, err := fsnet.PredictFile(t.Context(), model, c)
	if len(read.OtherVersion) != 4 || err != nil || renamed.OtherVersion != nil || !reflect.DeepEqual(read.Predictions, renamed.Predictions) {
		t.Errorf("%q, %v: %+v, renamed %+v", read.OtherVersion, err, read, renamed)
	}

	// Without a version it is the same gene, too; two versions are two genes.
	bare := regexp.MustCompile(`(ENSG\d+)\.\d+`).ReplaceAllString(string(content), "$1")
	c.Data = write(t, "new_ver.csv", bare)
	if r, err := fsnet.PredictFile(t.Context(), model, c); err != nil || len(r.OtherVersion) != 4 || !reflect.DeepEqual(read.Predictions, r.Predictions) {
		t.Errorf("without versions: %v, %v", r, err)
	}
	from := regexp.MustCompile(`(ENSG\d+)\.\d+`).FindStringSubmatch(strings.Split(read.OtherVersion[0], " from ")[1])
	var twice strings.Builder
	for n, line := range strings.Split(strings.TrimSpace(string(content)), "\n") {
		fmt.Fprintf(&twice, "%s,%s\n", line, []string{from[1] + ".77", "1"}[min(n, 1)])
	}
	c.Data = write(t, "new_ver.csv", twice.String())
	if _, err := fsnet.PredictFile(t.Context(), model, c); err == nil || !strings.Contains(err.Error(), from[1]) {
		t.Errorf("two versions of one gene: %v", err)
	}
}
