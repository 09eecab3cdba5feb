package magic

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"
	"unicode"

	"fsnetlab/fsnet/fault"
)

// prefix begins a magic line.
const prefix = "%fsnet"

// Command is one line of the language: a verb, words and key=value options, in the order written.
type Command struct {
	Verb    string
	Words   []string
	Options []Option
}

// Option is key=value.
type Option struct{ Key, Value string }

// isMagic reports whether a line is of the language.
func isMagic(line string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), prefix)
	return ok && (rest == "" || rest == "?" || unicode.IsSpace([]rune(rest)[0]))
}

// Split takes the magic lines off the top of a cell, blank and comment lines aside. A backslash at the end of one joins the next line to
// it ([Join]). rest is what follows, for the Go compiler, with blank lines in place of the magic ones so that its line numbers are the cell's;
// it is "" where only blank and comment lines follow. An error names its line.
func Split(cell string) (commands []Command, rest string, err error) {
	lines := strings.Split(cell, "\n")
	if first, _, _ := strings.Cut(strings.TrimSpace(lines[0]), " "); slices.Contains(otherLanguages(), first) {
		return nil, cell, nil
	}
	at := 0
	for ; at < len(lines); at++ {
		line := lines[at]
		if text := strings.TrimSpace(line); text == "" || strings.HasPrefix(text, "//") {
			continue
		}
		if !isMagic(line) {
			break
		}
		first := at
		line, at = whole(lines, at)
		c, err := parse(line)
		if err != nil {
			e := fault.Of(err)
			return nil, "", fault.New(e.Kind, e.Remedy, "line %d: %s", first+1, e.What)
		}
		commands = append(commands, c)
		for i := first; i <= at; i++ {
			lines[i] = ""
		}
	}
	if n := strayLine(lines, at); n > 0 {
		return nil, "", fault.New(fault.Request, "move it above the Go code, or into a cell of its own", "line %d: %s after Go code", n, prefix)
	}
	switch {
	case len(commands) == 0:
		return nil, cell, nil
	case at == len(lines):
		return commands, "", nil
	}
	return commands, strings.Join(lines, "\n"), nil
}

// otherLanguages are GoNB's first lines of cells that hold no Go: such a cell is left whole.
func otherLanguages() []string {
	return []string{"%%writefile", "%%script", "%%bash", "%%sh", "%%gx"}
}

// Continues reports whether a line goes on in the next one: it ends in a backslash.
func Continues(line string) bool { return strings.HasSuffix(strings.TrimRight(line, " \t\r"), `\`) }

// Join is a line that goes on and the next one as one. The backslash and the spaces around it count for one space, so that words stay
// words.
func Join(line, next string) string {
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(line, " \t\r"), `\`), " \t") + " " + strings.TrimLeft(next, " \t")
}

// whole is the line at i with those that it goes on in, and the index of the last of them.
func whole(lines []string, i int) (line string, last int) {
	for line = lines[i]; i+1 < len(lines) && Continues(line); i++ {
		line = Join(line, lines[i+1])
	}
	return line, i
}

// strayLine is the number of the first magic line from index i on, or 0. One inside a raw string or a comment is text.
func strayLine(lines []string, i int) int {
	for ; i < len(lines); i++ {
		if isMagic(lines[i]) && !insideLiteral(strings.Join(lines, "\n"), i+1) {
			return i + 1
		}
	}
	return 0
}

// insideLiteral reports whether a line of Go code, counted from 1, begins inside a raw string or a comment.
func insideLiteral(code string, line int) bool {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(code))
	s.Init(file, []byte(code), nil, scanner.ScanComments)
	for {
		position, t, literal := s.Scan()
		if t == token.EOF {
			return false
		}
		begin := file.Line(position)
		if (t == token.STRING || t == token.COMMENT) && begin < line && line <= begin+strings.Count(literal, "\n") {
			return true
		}
	}
}

// parse reads one magic line.
func parse(line string) (Command, error) {
	words, err := fields(strings.TrimPrefix(strings.TrimSpace(line), prefix))
	if err != nil {
		return Command{}, err
	}
	c := Command{Verb: "help"}
	for i, w := range words {
		switch {
		case i == 0 && !w.option:
			c.Verb = w.key
		case i == 0:
			return Command{}, fault.New(fault.Request, "write %fsnet VERB [SESSION] [key=value …]; %fsnet help lists the verbs", "%s=%s where a verb belongs", w.key, w.value)
		case w.option:
			c.Options = append(c.Options, Option{w.key, w.value})
		default:
			c.Words = append(c.Words, w.key)
		}
	}
	return c, nil
}

// word is a bare word in key, or an option.
type word struct {
	key, value string
	option     bool
}

// fields splits a line at spaces. A part in single or double quotes keeps its spaces; a backslash keeps the next character inside
// double quotes. The first = outside quotes makes an option.
func fields(line string) ([]word, error) {
	var words []word
	var current word
	var text strings.Builder
	started := false
	var quote rune
	end := func() {
		if !started {
			return
		}
		if current.option {
			current.value = text.String()
		} else {
			current.key = text.String()
		}
		words = append(words, current)
		current, started = word{}, false
		text.Reset()
	}
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case quote != 0 && r == '\\' && quote == '"' && i+1 < len(runes):
			i++
			text.WriteRune(runes[i])
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			text.WriteRune(r)
		case r == '"' || r == '\'':
			quote, started = r, true
		case unicode.IsSpace(r):
			end()
		case r == '=' && !current.option && started:
			current.key, current.option = text.String(), true
			text.Reset()
		default:
			text.WriteRune(r)
			started = true
		}
	}
	if quote != 0 {
		return nil, fault.New(fault.Request, "close it", "a quotation that began with %c has no end", quote)
	}
	end()
	return words, nil
}

// IsComplete answers a console: a magic line is complete, unless its quotation is open. ok is false where the code is not a magic.
func IsComplete(code string) (complete, ok bool) {
	lines := strings.Split(strings.TrimRight(code, " \t\n"), "\n")
	last := ""
	for i := 0; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		if !isMagic(lines[i]) {
			return false, false
		}
		last, i = whole(lines, i)
	}
	if !isMagic(last) {
		return false, false
	}
	if Continues(last) {
		return false, true
	}
	_, err := parse(last)
	return err == nil || !strings.Contains(err.Error(), "has no end"), true
}

// Blank is a cell with its magic lines blanked out, rune by rune, so that every offset stays what it was.
func Blank(cell string) string {
	lines := strings.Split(cell, "\n")
	for i := 0; i < len(lines); i++ {
		if !isMagic(lines[i]) {
			continue
		}
		for _, last := whole(lines, i); ; i++ {
			lines[i] = strings.Repeat(" ", len([]rune(lines[i])))
			if i == last {
				break
			}
		}
	}
	return strings.Join(lines, "\n")
}
