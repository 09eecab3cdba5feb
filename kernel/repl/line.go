package repl

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"fsnetlab/fsnet/errs"
	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/magic"
)

const prefix = cell.Prefix

// line is a parsed line: commands, a question about a word, or a request to
// leave.
type line struct {
	commands []magic.Command
	file     string // file that gets the picture instead of the terminal
	question string // the line up to the word in question
	leave    bool
}

func (l line) empty() bool { return len(l.commands) == 0 && l.question == "" && !l.leave }

// parseLine parses a line. The prefix is optional. A line that is blank or
// starts with # or // is empty. A single prefix or question mark means help. "
// > FILE" at the end names the file. parseLine returns an error for anything
// that isn't a command, for example Go code.
func parseLine(text string) (line, error) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, prefix); ok && (rest == "" || unicode.IsSpace([]rune(rest)[0])) {
		if text = strings.TrimSpace(rest); text == "" {
			text = "help"
		}
	}

	switch {
	case isComment(text), text == "":
		return line{}, nil
	case text == "quit", text == "exit":
		return line{leave: true}, nil
	case text == "?":
		text = "help"
	case strings.HasPrefix(text, "?"):
		return line{question: strings.TrimSpace(strings.TrimLeft(text, "?"))}, nil
	case strings.HasSuffix(text, "?"):
		return line{question: strings.TrimSpace(strings.TrimRight(text, "?"))}, nil
	}

	text, file, err := splitRedirection(text)
	if err != nil {
		return line{}, err
	}

	parts, err := magic.Split(prefix + " " + text)
	if err != nil {
		return line{}, withoutLine(err)
	}
	if first := parts[0]; len(parts) > 1 || !first.Go.IsBlank() {
		return line{}, errs.New(errs.Request, "write one verb per line; Go code runs in a notebook", "this is not a line of the language: %q",
			first.Go)
	}
	return line{commands: parts[0].Commands, file: file}, nil
}

// splitRedirection splits " > FILE" off the end of a line. It ignores a >
// inside quotes or a word.
func splitRedirection(text string) (rest, file string, err error) {
	var quote rune
	index := -1

	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>' && i > 0 && text[i-1] == ' ':
			index = i
		}
	}

	if index < 0 {
		return text, "", nil
	}

	file = strings.TrimSpace(text[index+1:])
	if strings.HasPrefix(file, ">") {
		return "", "", errs.New(errs.Request, "write VERB > FILE.png, with another file for each picture", "nothing is appended to a file: >%s", file)
	}
	file = strings.Trim(file, `"'`)
	if file == "" {
		return "", "", errs.New(errs.Request, "write VERB > FILE.png", "no file is named after >")
	}
	return strings.TrimSpace(text[:index]), file, nil
}

// continues reports whether the next line continues this one. A comment is
// never continued.
func continues(text string) bool { return cell.Continues(text) && !isComment(strings.TrimSpace(text)) }

func isComment(text string) bool {
	return strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//")
}

// withoutLine removes the line number from an error. It is always 1.
func withoutLine(err error) error {
	e := errs.Of(err)
	return errs.New(e.Kind, e.Remedy, "%s", strings.TrimPrefix(e.What, "line 1: "))
}

// longestLine is the longest line of a script, in bytes.
const longestLine = 1 << 20

// script runs lines until they end, one of them leaves, or one fails. The error
// names the line. It is of kind Interrupted after a SIGINT. In the end, script
// closes the sessions and reports those that were running.
func (r *repl) script(ctx context.Context, lines io.Reader) error {
	defer r.keepAll(ctx)
	ctx, stop := r.interruptible(ctx)
	defer stop()
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, longestLine)

	for number := 1; scanner.Scan(); number++ {
		text, first := scanner.Text(), number
		for continues(text) && scanner.Scan() {
			number++
			text = cell.Join(text, scanner.Text())
		}

		l, err := parseLine(text)
		if err == nil && l.leave {
			return nil
		}
		if err == nil {
			err = r.execute(ctx, text)
		}
		if err != nil {
			r.screen.settle()
			f := errs.Of(err)
			return errs.New(f.Kind, forTerminal(f.Remedy), "line %d: %s", first, forTerminal(f.What))
		}
		if ctx.Err() != nil {
			return errs.New(errs.Interrupted, "", "interrupted in line %d; what ran is paused", first)
		}
	}

	if err := scanner.Err(); err != nil {
		return errs.Wrap(err, errs.Request, "give lines of text", "the script cannot be read")
	}
	return nil
}

// keepAll closes the sessions, and reports on stderr where those that were
// running stand.
func (r *repl) keepAll(ctx context.Context) {
	for _, line := range r.closeAll(context.WithoutCancel(ctx), true) {
		r.screen.message(fmt.Sprintf("fsnet: %s\n", line))
	}
}
