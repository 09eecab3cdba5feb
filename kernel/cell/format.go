package cell

import (
	"errors"
	"go/format"
	"go/scanner"
	"strings"

	"fsnetlab/fsnet/fault"
)

// clause makes a whole file of declarations.
const clause = "package p\n"

// Format is a cell laid out as gofmt does: each stretch of Go between lines that are none. Those stay as they are, but %fmt, which is left
// out. An error names the line that is no Go.
func Format(code string) (string, error) {
	if isScript(code) {
		return "", fault.New(fault.Request, "format it with a tool of its own", "%%fmt: the cell is in another language")
	}
	lines := strings.Split(code, "\n")
	is := kinds(lines)
	for _, m := range find(lines) {
		for at := m.First; at <= m.Last; at++ {
			is[at] = command
		}
	}
	var text []string
	for at := 0; at < len(lines); {
		if is[at] != goCode {
			if word, _ := firstWord(strings.TrimSpace(lines[at])); word != "%fmt" {
				text = append(text, strings.TrimRight(lines[at], " \t\r"))
			}
			at++
			continue
		}
		end := at
		for end < len(lines) && is[end] == goCode {
			end++
		}
		made, err := format.Source([]byte(strings.Join(lines[at:end], "\n")))
		if whole, bad := format.Source([]byte(clause + strings.Join(lines[at:end], "\n"))); bad == nil { // which sorts imports
			made = whole[len(clause)-1:]
		}
		if err != nil {
			line, what := at+1, err.Error()
			var list scanner.ErrorList
			if errors.As(err, &list) && len(list) > 0 {
				line, what = min(at+list[0].Pos.Line, end), list[0].Msg
			}
			return "", fault.New(fault.Request, "mend it first", "%%fmt: line %d: %s", line, what)
		}
		if shown := strings.Trim(string(made), "\n"); strings.TrimSpace(shown) != "" {
			text = append(text, strings.Split(shown, "\n")...)
		}
		at = end
	}
	return strings.Join(text, "\n"), nil
}
