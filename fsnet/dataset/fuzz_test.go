package dataset

import (
	"encoding/binary"
	"math"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/tests/kit/fixtures"
)

// check makes a data set of a reading and prepares it: whatever the bytes were,
// it is whole or refused in one line.
func check(t *testing.T, r *read.Frame, err error, s config.Settings) {
	t.Helper()
	if err != nil {
		isFault(t, err, "fuzz")
		return
	}
	d, err := newDataset(r, sparse.Contents{}, "fuzz", "fuzz", s)
	if err != nil {
		isFault(t, err, "fuzz")
		return
	}
	isWhole(t, d)
	p, err := Prepare(d, s)
	if err != nil {
		isFault(t, err)
		return
	}
	for _, x := range p.Scaled {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			t.Fatalf("scaled values hold %v", x)
		}
	}
}

func FuzzMAT(f *testing.F) {
	for _, content := range fixtures.All(f, "testdata/*.mat") {
		f.Add(content)
	}
	f.Add(matFileOf(binary.BigEndian, matElement{"X", 6, []int32{4, 1}, doubles(1, 2, 3, 5), 0}, matElement{"Y", 6, []int32{4, 1}, doubles(1, 2, 1, 2), 0}))
	s := settings(f, "k=1", "missing=mean")
	f.Fuzz(func(t *testing.T, content []byte) {
		r, err := parsed("fuzz", ".mat", content, s)
		check(t, r, err, s)
	})
}

func FuzzCSV(f *testing.F) {
	for _, content := range []string{
		"id,g,h,label\np,1,2,u\nq,3,4,v\nr,5,6,u\ns,7,9,v\n",
		"\ufeffg\tlabel\r\np1\t1\tu\r\np2\tNA\tv\r\n",
		",p1,p2,p3,p4\ng1,1,2,3,4\nsex,m,f,m,m\ndiagnosis,u,v,u,v\n",
		"sex;g;label\nm;1e3;0.5\nf;-Inf;1\n",
		"g,g,\"a \"\"b\"\"\",label\n1,2,3,\"x\ny\"\n4,5,6,z\n",
		"g,h\n1,2\n3,4\n",
		"g,sex,label\n1,007,345.1\n2,7,345.10\n3,7.0,345.1\n4,1e1,9007199254740993\n",
		"\ufeff\"g, \"\"left\"\"\n\";h,i;label\n1;2;u\n3;4;v\n",
		"\"g\t1\",h;i,label\n1,2,u\n3,4,v\n",
		"sep=;\nlabel;g;h\nu;True;1\nv;FALSE;2\n",
		"# made by x \"-T\"\n#OTU ID,s0,s1\nlabel,u,v\ng,1,3\n",
		"Table 1. Of genes,,,\n\n,,,\nindex,g,h,label\np,1,2,u\nq,3,4,v\n",
	} {
		for _, covariates := range []string{"", "sex"} {
			f.Add([]byte(content), "", covariates, true)
		}
		f.Add([]byte(content), "label", "", false)
	}
	s := settings(f, "k=1")
	f.Fuzz(func(t *testing.T, content []byte, label, covariate string, drop bool) {
		s := s
		s.Label, s.Missing = label, "mean"
		if drop {
			s.Missing = "drop"
		}
		if covariate != "" {
			s.Covariates = []string{covariate}
		}
		r, err := parsed("fuzz", ".csv", content, s)
		check(t, r, err, s)
	})
}
