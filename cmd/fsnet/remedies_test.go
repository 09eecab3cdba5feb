package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/read"
)

// TestRemedies_AreFollowed ensures that what fsnet says about each file of public reports, and about
// relatives of them, works when it is done: every option and every edit that a remedy names leads on,
// until the table is read. A remedy that only another program can follow is named in elsewhere.
func TestRemedies_AreFollowed(t *testing.T) {
	folders := map[string]string{"made": madeTables(t)}
	shared := filepath.Join(cmp.Or(os.Getenv("FSNET_SHARED"), filepath.Join("..", "..", "..", "shared")), "cases")
	if _, err := os.Stat(shared); err != nil {
		t.Logf("NOT TESTED with public reports: there is no %s; set FSNET_SHARED to the directory that holds cases", shared)
	} else {
		folders["reports"] = shared
	}
	followed := 0
	for name, folder := range folders {
		for _, file := range tablesBelow(t, folder) {
			t.Run(name+"/"+file, func(t *testing.T) {
				f := follower{T: t, tried: map[string]bool{}}
				f.follow([]string{filepath.Join(folder, file)}, 0)
				followed += f.steps
			})
		}
	}
	if followed < 20 {
		t.Errorf("only %d remedies were followed", followed)
	}
}

// tablesBelow lists the files and directories of cells below a folder.
func tablesBelow(t *testing.T, folder string) (list []string) {
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(folder, path)
		switch {
		case err != nil || relErr != nil:
			return errors.Join(err, relErr)
		case entry.IsDir() && strings.HasPrefix(entry.Name(), "mtx_"):
			list = append(list, name)
			return filepath.SkipDir
		case entry.IsDir(), slices.Contains([]string{".md", ".py"}, filepath.Ext(name)):
			return nil
		}
		list = append(list, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// follower follows the remedies for a file.
type follower struct {
	*testing.T
	tried map[string]bool // command lines
	steps int
}

// wrong runs fsnet data and returns the error that it prints, or "" if the table is read.
func (f *follower) wrong(args []string) string {
	f.Helper()
	var stdout, stderr bytes.Buffer
	root := newRootCommand()
	root.SetArgs(slices.Concat([]string{"data"}, args, []string{"--k", "1", "--backend", "go"}))
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	command, err := root.ExecuteContextC(context.Background())
	if err != nil {
		return errorMessage(command.Flags(), err)
	}
	if !regexp.MustCompile(`: [1-9]\d* rows( of [1-9]\d* \S+)? × [1-9]\d* features?, `).MatchString(stdout.String()) {
		f.Errorf("%q prints %.200s", args, stdout.String())
	}
	return ""
}

// follow reads a table, and does everything that its error says.
func (f *follower) follow(args []string, depth int) {
	f.Helper()
	const deepest = 8
	line := strings.Join(args, " ")
	if f.tried[line] {
		return
	}
	f.tried[line] = true
	message := f.wrong(args)
	if message == "" {
		return
	}
	_, remedy, ok := strings.Cut(message, " - ")
	if !ok || depth == deepest {
		f.Errorf("%q, after %d remedies: %s", args, depth, message)
		return
	}

	f.Log(message) // for tests/remedies.tsv
	ways := f.ways(args, remedy)
	if len(ways) == 0 && !slices.ContainsFunc(elsewhere(), func(part string) bool { return strings.Contains(remedy, part) }) {
		f.Errorf("%q: nobody follows %q", args, remedy)
	}
	for _, way := range ways {
		f.steps++
		if again := f.wrong(way); again == message {
			f.Errorf("%q changes nothing: %s", way, message)
			continue
		}
		f.follow(way, depth+1)
	}
}

// ways returns the command lines to which a remedy leads.
func (f *follower) ways(args []string, remedy string) (ways [][]string) {
	text, err := os.ReadFile(args[0])
	if err != nil || !utf8.Valid(text) || bytes.ContainsRune(text, 0) {
		text = nil // a directory, or no text
	}
	if remedy, rest, ok := strings.Cut(remedy, "leave it empty and use "); ok && text != nil {
		path := write(f.T, filepath.Base(args[0]), emptied(string(text)))
		return append(f.ways(append([]string{path}, args[1:]...), rest), f.ways(args, remedy)...)
	}
	if rest, ok := strings.CutPrefix(remedy, "take it out of "); ok {
		at := slices.Index(args, "--"+rest)
		return [][]string{slices.Delete(slices.Clone(args), at, at+2)}
	}

	for _, found := range regexp.MustCompile(`--([a-z]+) ("[^"]*"|'[^']*'|[^\s;)]+)`).FindAllStringSubmatch(remedy, -1) {
		option, value := found[1], strings.TrimRight(found[2], ",.")
		if quote := value[:1]; quote == "'" || quote == `"` {
			value = strings.Trim(value, quote)
		}
		switch {
		case slices.Contains([]string{"names", "the", "leaves", "makes", "which", "if", "or", "to"}, value):
			continue // what the option does
		case value == "FILE":
			value = f.annotations(args[0])
		}
		if value != "" {
			ways = append(ways, with(args, option, value))
		}
	}
	if _, list, ok := strings.Cut(remedy, "--label; it could be "); ok {
		for _, quoted := range regexp.MustCompile(`"(?:[^"\\]|\\.)*"`).FindAllString(list, -1) {
			name, err := strconv.Unquote(quoted)
			if err != nil {
				f.Fatal(err)
			}
			ways = append(ways, with(args, "label", name))
		}
	}
	for _, edit := range edits() {
		if found := edit.remedy.FindStringSubmatch(remedy); found != nil && text != nil && (companions()[filepath.Base(args[0])] == "" || !edit.upright) {
			path := write(f.T, filepath.Base(args[0]), edit.do(string(text), found))
			ways = append(ways, append([]string{path}, args[1:]...))
		}
	}
	return ways
}

// emptied returns a text without its values beyond a limit of measurement and those in brackets.
func emptied(text string) string {
	return regexp.MustCompile(`(?m)(^|[,;\t])(<LOD|ND|5\.6%|\([\d.]+\))`).ReplaceAllString(text, "$1")
}

// with returns the command line with an option set.
func with(args []string, option, value string) []string {
	args = slices.Clone(args)
	if at := slices.Index(args, "--"+option); at >= 0 {
		args[at+1] = value
		return args
	}
	return append(args, "--"+option, value)
}

// annotations returns a table with a class for each sample of a table: the one beside it, or a new
// one for the names of its rows.
func (f *follower) annotations(path string) string {
	if name := companions()[filepath.Base(path)]; name != "" {
		return filepath.Join(filepath.Dir(path), name)
	}
	s, err := config.Config{Data: path}.Resolve()
	if err != nil {
		f.Fatal(err)
	}
	file, isCells := read.MatrixMarket(path)
	if !isCells {
		open, err := os.Open(path)
		if err != nil {
			f.Fatal(err)
		}
		defer open.Close()
		if file, err = read.Detect(path, filepath.Ext(path), open); err != nil {
			f.Fatal(err)
		}
	}
	frame, err := file.Read(f.Context(), s, read.Options{Panel: []string{}})
	if err != nil || len(frame.Samples) == 0 {
		return ""
	}
	text := "sample,label\n"
	for i, name := range frame.Samples {
		text += fmt.Sprintf("%s,%c\n", name, "uv"[i%2])
	}
	return write(f.T, "classes.csv", text)
}

// companions lists tables with a line for each feature, or for each cell, with the table beside each
// that describes its samples.
func companions() map[string]string {
	return map[string]string{
		"counts_gxs.csv": "coldata.csv", "mtx_cite": "ann.csv", "ann_counts.csv": "ann_part.csv", "data_mrna.txt": "data_clinical_sample.txt",
		"new_ver.csv": "new_samples.csv", "new_counts.tsv": "new_samples.csv", "logcpm.tsv.gz": "samples.xlsx", "lying.csv": "classes.txt",
	}
}

// edit is what a remedy says to do to a text.
type edit struct {
	remedy  *regexp.Regexp
	do      func(text string, found []string) string
	upright bool // only in a table with a line for each sample
}

func edits() []edit {
	classes := func(text string, _ []string) string {
		separator := ","
		if !strings.Contains(text, ",") {
			separator = "\t"
		}
		out := ""
		for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
			out += strings.TrimSuffix(line, "\r") + separator + []string{"label", "u", "v"}[min(i, 1+i%2)] + "\n"
		}
		return out
	}
	return []edit{
		{remedy: regexp.MustCompile(`take lines? ([\d, and]+) out`), do: func(text string, found []string) string {
			lines := strings.SplitAfter(text, "\n")
			for _, number := range slices.Backward(regexp.MustCompile(`\d+`).FindAllString(found[1], -1)) {
				n, _ := strconv.Atoi(number) //nolint:errcheck // digits
				lines = slices.Delete(lines, n-1, n)
			}
			return strings.Join(lines, "")
		}},
		{remedy: regexp.MustCompile(`add a column of classes, name`), do: classes, upright: true},
		{remedy: regexp.MustCompile(`write numbers without separators between thousands`), do: func(text string, _ []string) string {
			return regexp.MustCompile(`(\d)\.(\d{3})\b`).ReplaceAllString(text, "$1$2")
		}},
		{remedy: regexp.MustCompile(`with nothing between thousands`), do: func(text string, _ []string) string {
			text = regexp.MustCompile(`(\d)['’. \x{202f}\x{a0}\x{2009}](\d{3})`).ReplaceAllString(text, "$1$2")
			text = regexp.MustCompile(`(\d)['’. \x{202f}\x{a0}\x{2009}](\d{3})`).ReplaceAllString(text, "$1$2")
			return strings.ReplaceAll(text, ",", ".")
		}},
		{remedy: regexp.MustCompile(`in place of all lines up to @DATA`), do: func(text string, _ []string) string {
			var names []string
			for _, found := range regexp.MustCompile(`(?im)^@attribute +('[^']*'|\S+)`).FindAllStringSubmatch(text, -1) {
				names = append(names, strings.Trim(found[1], "'"))
			}
			at := regexp.MustCompile(`(?im)^@data\s*\n`).FindStringIndex(text)
			return strings.Join(names, ",") + "\n" + text[at[1]:]
		}},
		{remedy: regexp.MustCompile(`pandas\.read_csv\("[^"]*"(?:, sep="([^"]*)")?(?:, decimal="(.)")?\)\.pivot\(index=\[([^\]]*)\], columns="([^"]*)", values="([^"]*)"\)`), do: pivot},
		{remedy: regexp.MustCompile(`transpose it`), do: func(text string, _ []string) string {
			var rows [][]string
			for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
				rows = append(rows, strings.Split(line, ","))
			}
			out := ""
			for j := range rows[0] {
				var row []string
				for i := range rows {
					row = append(row, rows[i][j])
				}
				out += strings.Join(row, ",") + "\n"
			}
			return out
		}},
		{remedy: regexp.MustCompile(`save it as "CSV UTF-8"`), do: func(text string, _ []string) string { return strings.ToValidUTF8(text, "ö") }},
	}
}

// pivot does what the line of Python in the remedy for a long table does.
func pivot(text string, found []string) string {
	separator, err := strconv.Unquote(`"` + cmp.Or(found[1], ",") + `"`)
	if err != nil {
		return text
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	header := strings.Split(lines[0], separator)
	var about []string
	for _, quoted := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(found[3], -1) {
		about = append(about, quoted[1])
	}
	values, rows, features := map[[2]string]string{}, map[string]bool{}, map[string]bool{}
	for _, line := range lines[1:] {
		fields := strings.Split(line, separator)
		at := func(name string) string { return fields[slices.Index(header, name)] }
		var row []string
		for _, name := range about {
			row = append(row, at(name))
		}
		key := strings.Join(row, ",")
		rows[key], features[at(found[4])] = true, true
		values[[2]string{key, at(found[4])}] = strings.Replace(at(found[5]), cmp.Or(found[2], "."), ".", 1)
	}
	names := slices.Sorted(maps.Keys(features))
	out := strings.Join(slices.Concat(about, names), ",") + "\n"
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		out += row
		for _, name := range names {
			out += "," + values[[2]string{row, name}]
		}
		out += "\n"
	}
	return out
}

// elsewhere lists parts of remedies that need another program, or knowledge that no test has.
func elsewhere() []string {
	return []string{
		"add one line per sample", "open it in Excel or LibreOffice", "put the classes beside it in", "save one value for each row in it as Y",
		"put a header above it that names every column", "add at least one column of numbers", "add a column of classes, name", "files that can be read end in",
		"with the filter SparseToNonSparse",
	}
}

// madeTables writes relatives of the files of public reports: other separators, layouts and marks.
func madeTables(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const rows = 12
	class := func(i int) string { return []string{"case", "ctl"}[i%2] }
	table := func(header string, row func(i int) string) string {
		text := header + "\n"
		for i := range rows {
			text += row(i) + "\n"
		}
		return text
	}
	for name, text := range map[string]string{
		"dots.csv":    table("s;g;h;label", func(i int) string { return fmt.Sprintf("s%d;%d;1.%03d;%s", i, 400+37*i, 101+41*i, class(i)) }),
		"narrow.csv":  table("s;g;h;label", func(i int) string { return fmt.Sprintf("s%d;%d;1\u202f%03d;%s", i, 400+37*i, 101+41*i, class(i)) }),
		"swiss.tsv":   table("s\tg\th\tlabel", func(i int) string { return fmt.Sprintf("s%d\t%d\t1'%03d\t%s", i, 400+37*i, 101+41*i, class(i)) }),
		"million.csv": table("s;g;h;label", func(i int) string { return fmt.Sprintf("s%d;%d;1.%03d.%03d;%s", i, 400+37*i, 101+41*i, i, class(i)) }),
		"brackets.csv": table("s,g,h,label", func(i int) string {
			return fmt.Sprintf("s%d,%d.5,%s,%s", i, i, []string{"(1.5)", "2.5"}[min(i%3, 1)], class(i))
		}),
		"unlabelled.csv": table("s,g,h,label", func(i int) string {
			return fmt.Sprintf("s%d,%d.5,%s,%s", i, i, []string{"", "2.5"}[min(i%5, 1)], []string{"", class(i)}[min(i%7, 1)])
		}),
		"second.csv": table("label,name,sample,g", func(i int) string { return fmt.Sprintf("%s,n%d,s%d,%d.5", class(i), i/2, i, i*i) }),
		"spaces.tsv": table("s\tCell type, fine\tg\tlabel", func(i int) string {
			return fmt.Sprintf("s%d\t%s\t%d.5\t%s", i, []string{"B", "T x"}[i/6], i*i, class(i))
		}),
		"repeats.csv": table("id,g,h,label", func(i int) string { return fmt.Sprintf("p%d,%d.5,%d.25,%s", i/2, i*i, 40-i, class(i/2)) }),
		"group.tsv":   table("sample\tg\th\tgroup", func(i int) string { return fmt.Sprintf("s%d\t%d.5\t%d.25\t%s", i, i*i, 40-i, class(i)) }),
		"bare.csv":    table("sample,g,h", func(i int) string { return fmt.Sprintf("s%d,%d.5,%d.25", i, i*i, 40-i) }),
		"units.csv":   table("sample,g,h,label\n,ng/mL,ng/mL,", func(i int) string { return fmt.Sprintf("s%d,%d.5,%d.25,%s", i, i*i, 40-i, class(i)) }),
		"across.csv":  "gene," + strings.TrimRight(strings.Repeat("a,b,", 1), ",") + ",c,d\ng,1,2,3,4\nh,5,6,7,9\nbatch,x,y,x,y\n",
		"lying.csv":   "gene,rank,s1,s2,s3,s4\ng,1,1.5,2.5,3.5,4.5\nh,2,5.5,6.5,7.5,9.5\n",
		"classes.txt": "#Sample\tKind\n#The sample\tIts kind\n#STRING\tSTRING\n#1\t1\nSAMPLE_ID\tKIND\ns1\tu\ns2\tv\ns3\tu\ns4\tv\n",
		"weka.arff":   table("% weka\n@RELATION 'a b'\n\n@attribute g1 numeric\n@attribute 'g 2' real\n@Attribute class {case,ctl}\n@DATA", func(i int) string { return fmt.Sprintf("%d.5,%d,%s", i*i, 40-i, class(i)) }),
		"sparse.arff": "@relation a\n@attribute g numeric\n@attribute class {u,v}\n@data\n{0 1, 1 u}\n{1 v}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var german, tidy strings.Builder
	german.WriteString("Probe;Gen;Wert;label\n")
	tidy.WriteString("sample\tgroup\tprotein\tQuantity\n")
	for i := range rows {
		for j := range 5 {
			fmt.Fprintf(&german, "P%d;G%d;%d,25;%s\n", i, j, 7*i+j, class(i))
			fmt.Fprintf(&tidy, "P%d\t%s\tG%d\t%d.25\n", i, class(i), j, 7*i+j)
		}
	}
	for name, text := range map[string]string{"german.csv": german.String(), "tidy.tsv": tidy.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
