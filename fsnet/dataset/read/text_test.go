package read

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// records returns all records and their lines.
func records(t testing.TB, l *textLines) (list [][]string, lines []int, err error) {
	t.Helper()
	for {
		fields, err := l.Read()
		if errors.Is(err, io.EOF) {
			return list, lines, nil
		}
		if err != nil {
			return list, lines, err
		}
		list, lines = append(list, slices.Clone(fields)), append(lines, l.Line())
	}
}

// FuzzText reads any bytes, packed or not: reading ends with records or an
// error of one line.
func FuzzText(f *testing.F) {
	plain := "g,label\n1,u\n2,v\n"
	for _, seed := range [][]byte{[]byte(plain), packed(f, "gzip", plain), packed(f, "zstd", plain), []byte("\xff\xfeg\x00,\x00l\x00\n\x00"), []byte("\xfe\xff\x00g\xd8\x00"),
		[]byte("sep=;\n# x\n#g;label;h\n1;u;2\n"), []byte("A title,,\n\n" + plain + "3,w\n")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		text, err := openText(inputOf("fuzz", content))
		var lines *textLines
		if err == nil {
			lines, err = text.Table(true)
		}
		if err == nil {
			_, _, err = records(t, lines)
		}
		if err != nil {
			isLine(t, "fuzz", err, "")
		}
	})
}

func packed(t testing.TB, how, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&out)
	if how == "zstd" {
		w = must(zstd.NewWriter(&out))(t)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// If the end of the head cuts a character in two, that doesn't decide the
// encoding; the rest does.
func TestText_NotUTF8(t *testing.T) {
	for text, western := range map[string]bool{
		"g\xe9ne,a\n": true, "gène,a\n": false, strings.Repeat("a", textHead-1) + "é,b\n": false, strings.Repeat("a", textHead-1) + "\xe9\n": false,
		"g\xe9\x00": false, "\xff\xfeg\x00\n\x00": false, "g\xe9": false, "\xe9g": true, "": false,
	} {
		file := must(openText(inputOf("a.csv", []byte(text))))(t)
		if got := file.note() != ""; got != western {
			t.Errorf("%.20q: %v", text, got)
		}
	}
}

// A byte that isn't UTF-8 counts wherever it is: after the head, between two
// reads, in a quoted line, at the very end.
func TestText_NotUTF8AfterTheHead(t *testing.T) {
	line := "1,2\n"
	long := strings.Repeat(line, textHead/2)
	for text, want := range map[string]string{
		"a,b\n" + long + "g\xe9,2\n":                      "gé",
		"a,b\n" + long + "\"g\xe9\",2\n":                  "gé",
		"a,b\n" + long + "2,g\xe9":                        "gé",
		"a,b\n2,g\xe9":                                    "gé",
		"a,b\n" + long + "gé,2\n":                         "gé",
		"a,b\n" + strings.Repeat("é", textHead) + ",b\n":  strings.Repeat("é", textHead),
		"a,b\n1" + strings.Repeat("é", textHead) + ",b\n": "1" + strings.Repeat("é", textHead),
	} {
		for _, how := range []string{"", "gzip"} {
			content := []byte(text)
			if how != "" {
				content = packed(t, how, text)
			}
			note := ""
			got, err := readText(must(openText(inputOf("a.csv", content)))(t), func(file *textFile) ([][]string, error) {
				note = file.note()
				lines, err := file.Lines(',')
				if err != nil {
					return nil, err
				}
				list, _, err := records(t, lines)
				return list, err
			})
			if err != nil || !slices.Contains(got[len(got)-1], want) || (note != "") != strings.Contains(text, "\xe9") {
				t.Errorf("%.20q…: note %q, %v", text, note, err)
			}
		}
	}
}
