package words

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks lines that are longer than columns. It breaks a line at dots
// between facts if the line has any, and between words otherwise. It indents
// continuations by two or, in a list, to the start of the last column. Escape
// sequences have no width.
func Wrap(text string, columns int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = wrapLine(line, columns)
	}
	return strings.Join(lines, "\n")
}

// wrapLine breaks one line as Wrap does. A word that is wider than the columns
// stays whole.
func wrapLine(line string, columns int) string {
	if Width(line) <= columns {
		return line
	}

	const dot = " · "
	separator, end, indent := " ", "", hanging(line, columns)
	if strings.Contains(line, dot) {
		separator, end, indent = dot, " ·", leading(line)+2
	}

	words := strings.Split(line, separator)
	lines := words[:1:1]
	for i, word := range words[1:] {
		last, room := &lines[len(lines)-1], columns
		if i+2 < len(words) {
			room -= Width(end)
		}
		if longer := *last + separator + word; Width(longer) <= room || strings.TrimSpace(*last) == "" {
			*last = longer
			continue
		}

		*last = strings.TrimRight(*last, " ") + end
		lines = append(lines, strings.Repeat(" ", indent)+word)
	}

	for i := range lines {
		if end != "" { // a single fact may be too long
			lines[i] = wrapLine(lines[i], columns)
		}
	}
	return strings.Join(lines, "\n")
}

// hanging returns the indentation of a line's continuation. If the last column,
// after two spaces, starts in the left two thirds, it returns that start.
// Otherwise it returns two more than the line's indentation.
func hanging(line string, columns int) int {
	lead := leading(line)
	if at := strings.LastIndex(line, "  "); at > lead {
		if column := Width(line[:at+2]); column*3 <= columns*2 {
			return column
		}
	}
	return lead + 2
}

func leading(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// Width returns the columns that a text takes, without its escape sequences.
func Width(s string) int {
	n := 0
	for s != "" {
		if rest, ok := strings.CutPrefix(s, "\x1b["); ok {
			if end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' }); end >= 0 {
				s = rest[end+1:]
				continue
			}
		}
		if rest, ok := strings.CutPrefix(s, "\x1b]"); ok { // a link's address
			if _, after, ok := strings.Cut(rest, "\x1b\\"); ok {
				s = after
				continue
			}
		}
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		n++
	}
	return n
}
