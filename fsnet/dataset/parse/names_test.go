package parse

import "testing"

// TestNearestName_SameFeature ensures that another spelling of a feature is
// found, and that another feature never is.
func TestNearestName_SameFeature(t *testing.T) {
	for _, c := range []struct {
		name   string
		others []string
		want   string
	}{
		// another version of the code, and the code without one
		{"ENSG00000100001.2", []string{"ENSG00000100000.2", "ENSG00000100001.3", "ENSG00000100011.2"}, "ENSG00000100001.3"},
		{"ENSG00000100001", []string{"ENSG00000100001.3", "ENSG00000100002.1"}, "ENSG00000100001.3"},
		{"NM_000546.5", []string{"NM_000546.6", "NM_000545.5"}, "NM_000546.6"},
		{"ENSG00000100001.2", []string{"ENSG00000100001.3", "ENSG00000100001.4"}, ""},
		{"ENSG00000100001.2", []string{"ENSG00000100002.2", "ENSG00000100003.2"}, ""},
		// case, punctuation, prefix
		{"CD3D", []string{"CD3E", "cd3d"}, "cd3d"}, {"HLA-A", []string{"HLA.B", "HLA.A"}, "HLA.A"}, {"IL6", []string{"IL8", "IL-6"}, "IL-6"},
		{"TP53", []string{"GRCh38_TP53", "GRCh38_TP63"}, "GRCh38_TP53"}, {"gene:TP53", []string{"TP53"}, "TP53"},
		{"ENSG00000100001", []string{"GRCh38_ENSG00000100001.3", "GRCh38_ENSG00000100002"}, "GRCh38_ENSG00000100001.3"},
		{"1007_s_at", []string{"X1007_s_at", "X1053_at"}, "X1007_s_at"}, {"X1007_s_at", []string{"1007_s_at"}, "1007_s_at"},
		{"TP53", []string{"hg19_TP53", "mm10_TP53"}, ""},
		// genes that differ by a letter or a digit are others
		{"CD3D", []string{"CD3E", "CD3G"}, ""}, {"CD3D", []string{"CD3E"}, ""}, {"IL6", []string{"IL16"}, ""}, {"IL6", []string{"IL6R"}, ""},
		{"MYC", []string{"MYCN"}, ""}, {"HLA-DRA", []string{"HLA-DRB"}, ""}, {"TP53", []string{"TP53.1"}, ""}, {"Cd8a", []string{"Cd8b"}, ""},
		{"3_at", []string{"13_at", "AFFX_3_at"}, ""}, {"m/z 1.23", []string{"m/z 12.3"}, ""}, {"IGHV1-23", []string{"IGHV12-3"}, ""}, {"miR-1-23p", []string{"miR-12-3p"}, ""},
		{"CD4+", []string{"CD4-"}, ""}, {"feature_1", []string{"feature_2"}, ""}, {"+", []string{"-"}, ""}, {"", []string{"a"}, ""},
		// typing errors in words
		{"mean radus", []string{"mean texture", "mean radius"}, "mean radius"}, {"petal width", []string{"petal length", "sepal width"}, ""},
	} {
		if got := NearestName(c.name, c.others); got != c.want {
			t.Errorf("%q among %q: %q, not %q", c.name, c.others, got, c.want)
		}
	}
}
