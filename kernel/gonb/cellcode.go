package gonb

import (
	"slices"
	"strings"
)

// openMain opens the body of a cell in place of its %% line.
const openMain = "func main() {"

// goFile is the Go code of a cell with every line and character where it is: lines that are not Go are blank, %% opens main, and
// main's end is behind the last line.
func goFile(code string) string {
	lines := strings.Split(code, "\n")
	if !isGo(lines[0]) {
		return strings.Repeat("\n", len(lines))
	}
	special := specialLines(slices.Clone(lines))
	end := ""
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
		switch word, rest := firstWord(withoutMark(lines[i])); {
		case word == "%%" || strings.HasPrefix(word, "%main"):
			lines[i], end = openMain, "}\n"
		case word == "%exec":
			name, _ := firstWord(rest)
			lines[i] = openMain + " " + name + "() }"
		case special[i], strings.HasPrefix(lines[i], "package"):
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n") + "\n" + end
}

// withoutMark is a line without the mark that hides a line for GoNB from other Go tools.
func withoutMark(line string) string { return strings.TrimPrefix(line, "//gonb:") }

// isGo tells by its first line whether a cell holds Go, or a script or a file for GoNB.
func isGo(first string) bool {
	first, _, _ = strings.Cut(first, "\n")
	word, _ := firstWord(withoutMark(strings.TrimSuffix(first, "\r")))
	return !slices.Contains([]string{"%%writefile", "%%script", "%%bash", "%%sh", "%%gx"}, word)
}
