package cell

import (
	"fmt"
	"testing"
)

func TestTakeOwn(t *testing.T) {
	for code, want := range map[string]string{
		"%who":                            `[[%who]] ""`,
		"\n// all\n%who\n":                `[[%who]] ""`,
		"%time\n%%\nf()":                  `[[%time]] "\n%%\nf()"`,
		"  %time \r\n\nx":                 `[[%time]] "\n\nx"`,
		"%save a.go 2-5,7\n%load b.go\nx": `[[%save a.go 2-5,7] [%load b.go]] "\n\nx"`,
		"%%\n%who":                        `[] "%%\n%who"`,
		"x\n%who":                         `[] "x\n%who"`,
		"%ls\n%who":                       `[] "%ls\n%who"`,
		"%whoami":                         `[] "%whoami"`,
		"%%bash\n%who":                    `[] "%%bash\n%who"`,
		"":                                `[] ""`,
		"// %who":                         `[] "// %who"`,
	} {
		own, rest := TakeOwn(code)
		if got := fmt.Sprintf("%v %q", own, rest); got != want {
			t.Errorf("%q gives %s, want %s", code, got, want)
		}
	}
}
