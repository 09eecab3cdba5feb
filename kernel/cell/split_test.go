package cell

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestSplit(t *testing.T) {
	for code, want := range map[string]string{
		"x":                                          `{[] "x"}`,
		"%fsnet a\n%fsnet b":                         `{[0 1] ""}`,
		"%fsnet a\n\n// b\n":                         `{[0] ""}`,
		"%fsnet a\nx":                                `{[0] "\nx"}`,
		"x\n%fsnet a":                                `{[] "x"} {[1] ""}`,
		"%%\nx\n%fsnet a\ny":                         `{[] "%%\nx"} {[2] "\n\n%%\ny"}`,
		"%% -v\nx\n%fsnet a \\\n b\n\ny":             `{[] "%% -v\nx"} {[2] "\n\n\n%% -v\n\ny"}`,
		"var x = 1\n%fsnet a\n%%\ny":                 `{[] "var x = 1"} {[1] "\n\n%%\ny"}`,
		"%%\nx\n%fsnet a\n// b\n%fsnet c\ny":         `{[] "%%\nx"} {[2 4] "\n\n\n\n%%\ny"}`,
		"%%\nx\n%fsnet a\n%%\ny\n%fsnet b\nz":        `{[] "%%\nx"} {[2] "\n\n\n%%\ny"} {[5] "\n\n\n\n\n%%\nz"}`,
		"%fsnet a\nvar s = `\n%fsnet b\n`\nx":        "{[0] \"\\nvar s = `\\n%fsnet b\\n`\\nx\"}",
		"!echo it's \\\n%fsnet a `\n%fsnet b":        "{[] \"!echo it's \\\\\\n%fsnet a `\"} {[2] \"\"}",
		"%fsnet a='`'\nx\n%fsnet b":                  `{[0] "\nx"} {[2] ""}`,
		"/*\n%fsnet a */\n%fsnet b":                  `{[] "/*\n%fsnet a */"} {[2] ""}`,
		"x := \"`\"\n%fsnet a\ny := '`'\n  %fsnet b": "{[] \"x := \\\"`\\\"\"} {[1] \"\\n\\ny := '`'\"} {[3] \"\"}",
		"%%bash\n%fsnet a":                           `{[] "%%bash\n%fsnet a"}`,
		"":                                           `{[] ""}`,
	} {
		var got []string
		for _, p := range Split(code) {
			at := []int{}
			for _, m := range p.Magics {
				at = append(at, m.First)
			}
			got = append(got, fmt.Sprintf("{%v %q}", at, p.Go.String()))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q is split into\n%s, want\n%s", code, strings.Join(got, " "), want)
		}
	}
}

// A cell of a megabyte of lines is read in a moment, whatever they are: a reader that began anew at each of them would take minutes.
func TestSplitReadsOnce(t *testing.T) {
	done := make(chan int)
	go func() {
		n := 0
		for _, code := range []string{strings.Repeat("x\n%fsnet a\n", 1<<16), "`" + strings.Repeat("\n%fsnet a", 1<<16) + "`"} {
			n += len(Blank(code)) + len(find(strings.Split(code, "\n")))
		}
		done <- n
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it takes more than a minute")
	}
}

// The parts of a long cell take the memory of the cell, not that of the blank lines above each of them; these are there when one asks.
func TestSplitHoldsNoBlankLines(t *testing.T) {
	const n = 1 << 13
	code := strings.Repeat("x\n%fsnet a\n", n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	parts := Split(code)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 50<<20 {
		t.Errorf("%d bytes are taken apart in %d MB", len(code), took>>20)
	}
	last := parts[len(parts)-2].Go
	if own, rest := TakeLineMagics(Code{last.above, "%who\n" + last.text}); len(own) != 1 || own[0].Line != last.above || rest.above != last.above {
		t.Errorf("the kernel's own line of part %d is %+v", len(parts)-2, own)
	}
	if got := last.String(); strings.TrimLeft(got, "\n") != "x" || strings.Count(got, "\n") != 2*n-2 {
		t.Errorf("the last code is line %d, want %d", strings.Count(got, "\n")+1, 2*n-1)
	}
}
