package cell

import (
	"fmt"
	"strings"
	"testing"
)

func TestTakeLineMagics(t *testing.T) {
	for code, want := range map[string]string{
		"%who":                            `[[%who]] ""`,
		"\n// all\n%who\n":                `[[%who]] ""`,
		"%time\n%%\nf()":                  `[[%time]] "\n%%\nf()"`,
		"  %time \r\n\nx":                 `[[%time]] "\n\nx"`,
		"%save a.go 2-5,7\n%load b.go\nx": `[[%save a.go 2-5,7] [%load b.go]] "\n\nx"`,
		"%%\n%who":                        `[[%who]] ""`,
		"\n%%\n%who\nx":                   `[[%who]] "\n%%\n\nx"`,
		"%%\nx\n%who":                     `[] "%%\nx\n%who"`,
		"x\n%who":                         `[] "x\n%who"`,
		"%ls\n%who":                       `[] "%ls\n%who"`,
		"%whoami":                         `[] "%whoami"`,
		"%%bash\n%who":                    `[] "%%bash\n%who"`,
		"":                                `[] ""`,
		"// %who":                         `[] "// %who"`,
	} {
		lines, rest := TakeLineMagics(Code{text: code})
		own := [][]string{}
		for _, o := range lines {
			own = append(own, o.Words)
			if strings.TrimSpace(strings.Split(code, "\n")[o.Line]) != o.Text {
				t.Errorf("%q: %+v is not that line", code, o)
			}
		}
		if got := fmt.Sprintf("%v %q", own, rest.String()); got != want {
			t.Errorf("%q gives %s, want %s", code, got, want)
		}
	}
}
