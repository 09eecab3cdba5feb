package study

import (
	"reflect"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/rng"
)

func quantities(t *testing.T) *dataset.Dataset {
	t.Helper()
	const n, d = 120, 8
	r := rng.New(3, "quantities")
	x, y := make([]float32, n*d), make([]float64, n)
	for i := range n {
		for j := range d {
			x[i*d+j] = float32(r.NormFloat64())
		}
		y[i] = 100 + 10*float64(x[i*d+1]-x[i*d+6]) + r.NormFloat64()
	}
	data, err := dataset.NewRegression("quantities", x, nil, y)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Methods for a quantity are judged by R² of a kernel ridge, ranked and tested by it, and their rows are written and read.
func TestCompareOfAQuantity(t *testing.T) {
	data := quantities(t)
	methods, err := Methods("anova,forward-ridge,random")
	if err != nil {
		t.Fatal(err)
	}
	options := config.Config{Task: "regression", Backend: "go"}
	plan, err := New([]*dataset.Dataset{data}, options, methods, []int{2}, 3)
	if err != nil {
		t.Fatal(err)
	}
	on, err := device.Open(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()
	rows, err := plan.Run(t.Context(), on, nil, nil)
	if err != nil || len(rows) != 9 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		if row.Error != "" || row.R2 == nil || row.AccuracySVM != nil || row.BalancedAccuracy != nil || row.Judge != "1+kernel-ridge.1" {
			t.Errorf("%+v", row)
		}
		if row.Method != "random" && *row.R2 < 0.8 {
			t.Errorf("%s on split %d: R² %g of %v", row.Method, row.Split, *row.R2, row.Selected)
		}
	}
	if read, half, err := ReadRows(linesOf(t, rows)); err != nil || len(half) > 0 || !reflect.DeepEqual(read, rows) {
		t.Errorf("%v: %+v, not %+v", err, read, rows)
	}
	table := Summarize(plan, rows)[0]
	if table.Judge != KernelRidge || table.Ranking == nil || table.Ranking.Ranks[2].Method != "random" || table.Entries[0].R2 == nil {
		t.Errorf("%+v", table)
	}
	listing := plan.List(on.Name, []string{"quantities.csv"}, "")
	again, err := listing.Plan(nil, "")
	if err != nil || !reflect.DeepEqual(again.Cells(), plan.Cells()) {
		t.Errorf("the plan of the listing: %v", err)
	}
}

func TestCompareRefusesWhatIsOfClasses(t *testing.T) {
	data := quantities(t)
	regression := config.Config{Task: "regression"}
	for _, c := range []struct {
		methods, want string
		options       config.Config
	}{
		{"dfs", "dfs works with classes, but with task=regression", regression},
		{"anova", "task = auto, but the label of quantities is a quantity", config.Config{}},
	} {
		methods, err := Methods(c.methods)
		if err != nil {
			t.Fatal(err)
		}
		_, err = New([]*dataset.Dataset{data}, c.options, methods, []int{2}, 2)
		if !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// A quantity beyond what can be squared has no R². The row says so: NaN has no place in a file of rows, which could not be read again.
func TestFiguresAreNumbers(t *testing.T) {
	x, y := make([]float32, 40), make([]float64, 40)
	for i := range x {
		x[i], y[i] = float32(i*i%17), 1e300*float64(i)
	}
	data, err := dataset.NewRegression("large", x, nil, y)
	if err != nil {
		t.Fatal(err)
	}
	methods, err := Methods("anova")
	if err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Task = config.Regression
	p, err := New([]*dataset.Dataset{data}, o, methods, []int{1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := p.Run(t.Context(), opened(t), nil, nil)
	if err == nil || len(rows) != 1 || !strings.Contains(rows[0].Error, "anova: its R² is not a number") {
		t.Fatalf("%v, %+v", err, rows)
	}
	if _, _, err := ReadRows(linesOf(t, rows)); err != nil {
		t.Error(err)
	}
}
