package compare

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/fault"
)

// header names the columns. It is made anew for each caller, since slices can be written to.
func header() []string {
	return strings.Split("dataset,method,k,split,seed,accuracy_svm,accuracy_own,balanced_accuracy,mutual_information,model_kb,seconds,selected,error,settings,version,judge,device,data,r2,r2_own", ",")
}

// Write writes rows as CSV below a line with the names of the columns. What a row does not have is empty. Selected features are joined by
// semicolons; one that is part of a name, and a backslash, has a backslash before it. A text that a spreadsheet would take for a formula,
// or that begins with an apostrophe, has an apostrophe before it, which Read takes away again.
func Write(w io.Writer, rows []Row) error {
	text := Header()
	for _, row := range rows {
		text = append(text, row.Line()...)
	}
	_, err := w.Write(text)
	return err
}

// Header is the first line of a CSV file of rows.
func Header() []byte { return line(header()) }

// Line is the row as a line of CSV.
func (r Row) Line() []byte { return line(r.fields()) }

func (r Row) fields() []string {
	return []string{
		guard(r.Dataset), guard(r.Method), strconv.Itoa(r.K), strconv.Itoa(r.Split), strconv.FormatInt(r.Seed, 10),
		number(r.AccuracySVM), number(r.AccuracyOwn), number(r.BalancedAccuracy), number(r.MutualInformation), number(r.ModelKB),
		strconv.FormatFloat(r.Seconds, 'f', 3, 64), guard(join(r.Selected)), guard(r.Error), guard(r.Settings),
		strconv.Itoa(r.Version), guard(r.Judge), guard(r.Device), guard(r.Data),
		number(r.R2), number(r.R2Own),
	}
}

func line(fields []string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(fields) // into memory
	w.Flush()
	return b.Bytes()
}

func number(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// Read reads rows that Write wrote. A last line without its end is a row whose writer was stopped in the middle: it is none of rows, but
// half. The error, of kind Request, names the line that is none of ours.
func Read(text []byte) (rows []Row, half []byte, err error) {
	end := bytes.LastIndexByte(text, '\n') + 1
	rows, err = read(text[:end])
	return rows, text[end:], err
}

func read(text []byte) ([]Row, error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = -1
	var rows []Row
	for first := true; ; first = false {
		fields, err := r.Read()
		if err == io.EOF {
			if first && len(bytes.TrimSpace(text)) > 0 {
				err = io.ErrUnexpectedEOF
			} else {
				return rows, nil
			}
		}
		if err != nil {
			return nil, fault.Wrap(err, fault.Request, "name another file", "not rows of fsnet compare")
		}
		at, _ := r.FieldPos(0)
		if first {
			if !slices.Equal(fields, header()) {
				return nil, fault.New(fault.Request, "name another file", "not rows of fsnet compare: the first line is not its header")
			}
			continue
		}
		row, column := parse(fields)
		if column != "" {
			return nil, fault.New(fault.Request, "name another file, or take the line out", "not rows of fsnet compare: line %d, %s", at, column)
		}
		rows = append(rows, row)
	}
}

// parse reads a row, and else names the column that it could not read.
func parse(fields []string) (row Row, bad string) {
	names := header()
	if len(fields) != len(names) {
		return row, strconv.Itoa(len(fields)) + " fields, not " + strconv.Itoa(len(names))
	}
	var at int
	next := func() string { at++; return fields[at-1] }
	check := func(err error) {
		if err != nil && bad == "" {
			bad = names[at-1] + " " + strconv.Quote(fields[at-1])
		}
	}
	whole := func() int64 {
		n, err := strconv.ParseInt(next(), 10, 64)
		check(err)
		return n
	}
	figure := func() *float64 {
		text := next()
		if text == "" {
			return nil
		}
		x, err := strconv.ParseFloat(text, 64)
		if err == nil && x-x != 0 { // NaN and infinities have no place in JSON
			err = strconv.ErrRange
		}
		check(err)
		return &x
	}
	text := func() string { return strings.TrimPrefix(next(), "'") }
	row.Dataset, row.Method = text(), text()
	row.K, row.Split, row.Seed = int(whole()), int(whole()), whole()
	row.AccuracySVM, row.AccuracyOwn, row.BalancedAccuracy, row.MutualInformation, row.ModelKB = figure(), figure(), figure(), figure(), figure()
	if s := figure(); s != nil {
		row.Seconds = *s
	}
	row.Selected, row.Error, row.Settings = split(text()), text(), text()
	row.Version = int(whole())
	row.Judge, row.Device, row.Data = text(), text(), text()
	row.R2, row.R2Own = figure(), figure()
	return row, bad
}

// guard puts an apostrophe before a text that a spreadsheet would take for a formula. One that begins with an apostrophe gets another, so
// that the first apostrophe is never the text's own.
func guard(text string) string {
	if strings.IndexAny(text, "=+-@\t\r\n'＝＋－＠") == 0 {
		return "'" + text
	}
	return text
}

// join joins names by semicolons; split takes them apart again.
func join(names []string) string {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = strings.NewReplacer(`\`, `\\`, ";", `\;`).Replace(name)
	}
	return strings.Join(escaped, ";")
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	names := []string{""}
	for i := 0; i < len(text); i++ {
		last := len(names) - 1
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			names[last] += text[i : i+1]
		case text[i] == ';':
			names = append(names, "")
		default:
			names[last] += text[i : i+1]
		}
	}
	return names
}
