package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/dataset/read"
)

// sharedCase is a file of public reports: what it is, or how it is refused and
// what it is once the remedy was followed.
type sharedCase struct {
	words string // keys, separated by semicolons
	is    string // rows×features and classes; "" where it is refused for good
	says  string // in what was noticed, or in the refusal
	again string // keys with which it is read once it was refused
	edit  func(text string) string

	annotated bool // the remedy is a table with the class of each sample
}

const plain24 = "24×12 case ctl"

func without(lines ...int) func(string) string {
	return func(text string) string {
		var kept []string
		for n, line := range strings.Split(text, "\n") {
			if !slices.Contains(lines, n+1) {
				kept = append(kept, line)
			}
		}
		return strings.Join(kept, "\n")
	}
}

// pivoted does what the line of Python in the remedy for a long table does.
func pivoted(sample, feature, value, label string) func(string) string {
	return func(text string) string {
		return pivot(text, ";", sample, feature, value, label)
	}
}

// sharedCases are those of every file of ../shared/cases, with those in 2 and 3.
func sharedCases() map[string]sharedCase {
	return map[string]sharedCase{
		"allnan.csv":      {says: "missing=mean", again: "missing=mean", is: "36×13 a b"},
		"allnull.parquet": {says: "missing=mean", again: "missing=mean", is: "36×13 a b"},
		"base.csv":        {is: plain24}, "const_big.csv": {is: "24×13 case ctl"}, "fold.csv": {is: "24×13 case ctl"},
		"bigid.csv": {words: "groups=donor", is: plain24}, "bigid.parquet": {words: "groups=donor", is: plain24}, "bigid.npz": {words: "groups=donor", is: plain24},
		"biom.tsv": {is: plain24, says: "1 line above its header not read"},
		"bool.csv": {is: "24×14 case ctl", says: `"smoker" has one value in each class`}, "bool.parquet": {is: "24×14 case ctl"},
		"commas.csv":   {says: `covariates='"Sex, f/m"'`, again: `covariates="Sex, f/m"`, is: "24×15 case ctl"},
		"cost.txt":     {says: "holds a header but no samples"},
		"dup_cols.csv": {is: plain24, says: `the second "TP53" is called "TP53.1"`}, "dup_lines.csv": {is: plain24, says: `"TP53.1"`},
		"featurecounts.txt": {is: "12×6 a b"}, "formula.xlsx": {says: "a formula without a computed value"},
		"icd.csv": {is: "24×12 345.1 345.10 379.50"}, "icd.parquet": {is: "24×12 345.1 345.10 379.50"}, "icd.xlsx": {is: "24×12 345.1 345.10 379.50"},
		"icd.h5ad":   {says: "name a column of classes with label=", again: "label=icd", is: "24×12 345.1 345.10 379.50"},
		"mtx_header": {says: "annotations=FILE", annotated: true}, "mtx_prefix": {says: "annotations=FILE", annotated: true}, "mtx_quoted": {says: "annotations=FILE", annotated: true}, "mtx_two": {says: "annotations=FILE", annotated: true},
		"new.csv": {says: "add a column of classes", is: "6×12 u v", edit: func(text string) string {
			for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
				text = strings.Replace(text, line, line+","+[]string{"label", "u", "v"}[min(i, 1+i%2)], 1)
			}
			return text
		}}, "new.feather": {says: "annotations=FILE"}, "new.gct": {says: "holds no classes"}, "new.parquet": {says: "annotations=FILE"},
		"new.xlsx": {says: "annotations=FILE"}, "new.mat": {says: "save one value for each row in it as Y"}, "new.npz": {says: "save one value for each row in it as Y"}, "new.h5ad": {says: `it could be "batch"`, again: "label=batch"},
		"nfd.csv": {is: "24×12 Sjo\u0308gren Sj\u00f6gren control", says: "differ in capitals"}, "zwsp.csv": {is: "24×12 case ctl ctl\u200b", says: "differ in capitals"},
		"pairs.csv": {words: "paired=donor", is: plain24}, "pairs_text.csv": {says: "groups= names", again: "paired=donor", is: plain24},
		"pos2.csv":   {is: "24×13 case ctl", says: "subtract 16777216"},
		"redcap.csv": {words: "groups=donor", is: "24×12 a b"}, "redcap.parquet": {says: "groups= names", again: "groups=donor", is: "24×12 a b"},
		"renum8.h5ad": {says: `it could be "cell type", "flag", "nb", "num"`, again: "label=flag;missing=drop"}, "rlogical.h5ad": {says: `it could be "cell type", "flag"`, again: "label=flag;missing=drop"},
		"semicolon_comment.csv": {is: plain24}, "series_2ch.txt": {says: `it could be "tissue_ch2"`, again: "label=tissue_ch2"}, "series_twice.txt": {says: `it could be "treatment.1"`, again: "label=treatment.1"},
		"sparse.npz": {says: "has no variable Y"}, "tabs_end.cls": {says: "holds only numbers"}, "tabs_end.gct": {is: plain24}, "title.xlsx": {is: plain24, says: "1 row above its header not read"},

		"2/M_s.csv": {is: "60×18 case ctl"}, "2/beta_s.csv": {is: "60×18 case ctl"}, "2/ann.csv": {says: `it could be "cluster"`}, "2/coldata.csv": {says: `it could be "condition"`},
		"2/binary.parquet": {is: "24×8 case ctl"}, "2/dec_d128.feather": {is: "24×8 case ctl"},
		"2/boollabel.parquet": {is: "24×8 False True"}, "2/boollabel.xlsx": {is: "24×8 False True"},
		"2/counts_gxs.csv": {says: "annotations=FILE", again: "annotations=DIR/coldata.csv;label=condition", is: "24×8 case ctl"},
		"2/cov_train.csv":  {says: "covariates=sex makes", again: "covariates=sex", is: "24×10 case ctl"}, "2/cov_new.csv": {words: "ignore=sex", is: "24×8 case ctl"},
		"2/dup_rows.csv": {is: "24×8 case ctl", says: "line 2 (S01) and line 14 (S01_rep)"},
		"2/gd_de.csv":    {is: "24×8 case ctl", says: `"01. Mrz", "02. Sep"`}, "2/genedates.xlsx": {is: "24×8 case ctl", says: `"2026-03-01", "2026-09-02"`},
		"2/htseq.csv": {is: "24×13 case ctl", says: `"__no_feature", "__ambiguous"`}, "2/icd17half.xlsx": {is: "24×8 345.1 379.5"}, "2/xescape.xlsx": {is: "24×8 case ctl"},
		"2/ids.csv": {is: "24×6 case ctl", says: "no doubt"}, "2/leak.csv": {is: "24×9 case ctl", says: `"status" has one value in each class`},
		"2/lod_first.csv": {says: "half the limit", again: "missing=mean", is: "24×8 case ctl", edit: func(text string) string {
			return strings.NewReplacer("<LOD", "", "ND", "", "5.6%", "").Replace(text)
		}},
		"2/look_micro.csv": {is: "24×8 5 µM 5 μM ctl", says: `"5 \u00b5M", "5 \u03bcM"`},
		"2/mtx_cite":       {says: "annotations=FILE", again: "annotations=DIR/ann.csv;label=cluster", is: "30×10 B T"},
		"2/multihead.csv":  {says: "take lines 1 and 3 out", is: "24×8 case ctl", edit: without(1, 3)}, "2/units.csv": {says: "take line 2 out", is: "24×8 case ctl", edit: without(2)},
		"2/onedown.csv": {is: "80×40 case ctl"}, "2/pg2.tsv": {says: "missing=mean", again: "missing=mean", is: "24×8 case ctl"}, "2/q2.tsv": {is: "24×8 case ctl"},
		"2/site_new_case.csv": {says: "covariates=site", again: "nuisance=site", is: "24×8 case ctl"}, "2/site_train.csv": {says: "covariates=site", again: "nuisance=site", is: "48×8 case ctl"},
		"2/strayq.tsv": {is: "24×8 case ctl"},

		"3/eu_dots.csv": {says: "separate thousands", is: "60×30 case ctl", edit: func(text string) string { return strings.ReplaceAll(text, ".", "") }}, "3/eu_true.csv": {is: "60×30 case ctl"},
		"3/uminus.csv": {is: "24×8 case ctl"}, "3/merged.xlsx": {is: "24×8 case ctl", says: "the value of 2 merged cells stands in each of its rows"},
		"3/unlab.csv":      {says: "missing=mean to leave such rows out", again: "missing=mean", is: "57×20 case ctl"},
		"3/ann_counts.csv": {says: "annotations=FILE", again: "missing=mean;annotations=DIR/ann_part.csv", is: "36×12 case ctl"}, "3/ann_part.csv": {says: "no feature besides"},
		"3/olink_long.csv":           {says: `index=["SampleID", "Treatment"], columns="Assay", values="NPX"`, again: "label=Treatment", is: "24×8 case ctl", edit: pivoted("SampleID", "Assay", "NPX", "Treatment")},
		"3/data_mrna.txt":            {words: "annotations=DIR/data_clinical_sample.txt;label=SUBTYPE", says: "the class is missing", again: "annotations=DIR/data_clinical_sample.txt;label=SUBTYPE;missing=mean", is: "22×8 case ctl"},
		"3/data_clinical_sample.txt": {says: `it could be "SUBTYPE"`},
		"3/dupobs.h5ad":              {says: `it could be "donor", "cl", "flt", "num"`, again: "label=cl"},
		"3/x.arff": {says: "in place of all lines up to @DATA", is: "24×8 case ctl", edit: func(text string) string {
			return "G000,G001,G002,G003,G004,G005,G006,G007,class\n" + text[strings.Index(text, "@DATA\n")+len("@DATA\n"):]
		}},
		"3/new_ver.csv": {says: "annotations=FILE", again: "annotations=DIR/new_samples.csv;label=tissue"}, "3/new_samples.csv": {says: `it could be`}, "3/bu.safetensors": {says: "is not known"},
		"3/new_counts.tsv": {says: "annotations=FILE", again: "annotations=DIR/new_samples.csv;label=tissue"}, "3/samples.xlsx": {says: `it could be "patient", "tissue", "batch"`},
		"3/logcpm.tsv.gz":    {words: "annotations=DIR/samples.xlsx;label=tissue;paired=patient", is: "48×120 normal tumour"},
		"3/cells_groups.csv": {words: "groups=donor;ignore=set", is: "900×30 case ctl"}, "3/shift.csv": {words: "ignore=set", is: "100×20 case ctl"}, "3/oslo_oneclass.csv": {words: "ignore=site", is: "80×20 case ctl"},
		"3/cmpz0.csv": {is: "40×6 case ctl"}, "3/reps_noise.csv": {says: "samples=sample", again: "samples=sample"}, "3/null1.csv": {is: "80×60 case ctl"}, "3/nullcells3.csv": {words: "groups=donor", is: "360×60 case ctl"}, "3/nullpairs.csv": {words: "paired=patient", is: "80×60 normal tumour"},
	}
}

// Every file of public reports is read with the right values, or rejected with
// a remedy that works when followed.
func TestOpen_SharedCases(t *testing.T) {
	dir := shared(t, "cases")
	cases := sharedCases()
	for _, below := range []string{"", "2", "3"} {
		for _, e := range must(os.ReadDir(filepath.Join(dir, below)))(t) {
			name := filepath.Join(below, e.Name())
			if c, known := cases[name]; known {
				t.Run(name, func(t *testing.T) { c.check(t, filepath.Join(dir, name)) })
			} else if !slices.Contains([]string{"README.md", "2", "3", "small", "pairs", "cells", "kernel"}, e.Name()) {
				t.Errorf("%s: nobody says what it is", name)
			}
		}
	}
}

func (c sharedCase) check(t *testing.T, path string) {
	open := func(path, words string) (*Dataset, error) {
		keys := []string{"k=1"}
		if words != "" {
			keys = append(keys, strings.Split(strings.ReplaceAll(words, "DIR", filepath.Dir(path)), ";")...)
		}
		s := settings(t, keys...)
		s.Data = path
		return Open(t.Context(), s, "")
	}
	d, err := open(path, c.words)
	if refused := c.again != "" || c.edit != nil || c.is == ""; refused {
		isFault(t, err, c.says)
		if c.annotated {
			c.again = "annotations=" + annotated(t, path) + ";label=class"
		}
		if c.again == "" && c.edit == nil {
			return
		}
		if c.edit != nil {
			text := string(must(os.ReadFile(path))(t))
			again := strings.ReplaceAll(c.again, "DIR", filepath.Dir(path))
			path = write(t, filepath.Base(path), []byte(c.edit(text)))
			c.again = again
		}
		d, err = open(path, c.again)
	}
	if err != nil {
		t.Fatal(err)
	}
	noticed := d.Source + strings.Join(d.Doubts(), "\n")
	if got := fmt.Sprintf("%d×%d %s", d.N, d.D, strings.Join(d.Classes, " ")); c.is != "" && got != c.is {
		t.Errorf("it is %s, not %s", got, c.is)
	}
	if c.says == "no doubt" {
		if list := d.Doubts(); list != nil {
			t.Errorf("doubts: %q", list)
		}
	} else if c.again == "" && c.edit == nil && !strings.Contains(noticed, c.says) {
		t.Errorf("%q does not say %q", noticed, c.says)
	}
}

// annotated writes a table with a class, u or v, for each sample of a file.
func annotated(t *testing.T, path string) string {
	f, is := read.MatrixMarket(path)
	if !is {
		t.Fatalf("%s is no directory of cells", path)
	}
	s := settings(t)
	s.Data = path
	frame := must(f.Read(t.Context(), s, read.Options{Panel: []string{}}))(t)
	text := "sample,class\n"
	for i, name := range frame.Samples {
		text += name + "," + string("uv"[i%2]) + "\n"
	}
	return write(t, "ann.csv", []byte(text))
}
