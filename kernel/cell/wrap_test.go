package cell

import "testing"

func TestWithBody(t *testing.T) {
	for code, want := range map[string]string{
		"x := 1\nx++":                   OpenMain + " x := 1\nx++\n}",
		"\tf(1)":                        "\t" + OpenMain + " f(1)\n}",
		"%env A=1\n\nf()":               "%env A=1\n\n" + OpenMain + " f()\n}",
		"type T int // t\n\nT(1).Do() ": "type T int // t\n\n" + OpenMain + " T(1).Do() \n}",
		"import \"fmt\"\nfor {\n}":      "import \"fmt\"\n" + OpenMain + " for {\n}\n}",
		"f(":                            OpenMain + " f(\n}",
		// As they are.
		"type T int": "", "%%\nx := 1": "", "func main() {}\nx()": "", "%%bash\nls -l": "", "fsnet run": "", "}": "", "%exec f\nx()": "",
		"": "", "// a note": "", "func f() {\n\tx := 1\n": "",
	} {
		if want == "" {
			want = code
		}
		if got := WithBody(code); got != want {
			t.Errorf("%q is %q, want %q", code, got, want)
		}
	}
}
