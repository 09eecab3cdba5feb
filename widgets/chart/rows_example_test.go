package chart_test

import (
	"fmt"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
)

// The pictures of rows of the data: as they are, how they lie to one another, and how features are spread in the classes.
func Example() {
	rows := session.Rows{
		Session: "leukemia", Step: 150, Classes: []string{"ALL", "AML"},
		Train: session.PartRows{Of: []int{2, 2}, Row: []int{0, 2, 5, 8}, Class: []int{0, 0, 1, 1}},
	}
	for i, name := range []string{"Zyxin", "CST3"} {
		values := []session.Value{120, 90, session.Value(1400 - 300*i), 1100}
		rows.Features = append(rows.Features, session.RowFeature{Index: 7 * i, Name: name, Train: values})
	}
	for _, draw := range []func(session.Rows) (chart.Picture, error){chart.Heatmap, chart.PCA, chart.Distributions} {
		p, err := draw(rows)
		if err != nil {
			fmt.Println(err)
			continue
		}
		title, _, _ := strings.Cut(p.Alt, ",")
		fmt.Println(title)
	}
	fmt.Println("the second picture asks a session for random features, too:", chart.PCARequest().Random)
	// Output:
	// Selected features of leukemia by class
	// Training rows of leukemia on principal components
	// Selected features of leukemia by class: distributions
	// the second picture asks a session for random features, too: true
}
