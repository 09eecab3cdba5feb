package magic

import (
	"strings"
	"unicode"

	"fsnetlab/fsnet/errs"
	"fsnetlab/kernel/cell"
)

const prefix = cell.Prefix

// Command is one line of the language: a verb, words and key=value options, as
// written.
type Command struct {
	Verb    string
	Words   []string
	Options []Option
}

// Option is one key=value.
type Option struct{ Key, Value string }

// Part is a stretch of a cell: its %fsnet lines, and the Go code that follows
// them. See [cell.Split].
type Part struct {
	Commands []Command
	Go       cell.Code
}

// Split divides a cell into parts. An error names its line.
func Split(code string) (parts []Part, err error) {
	if first, _, _ := strings.Cut(strings.TrimSpace(code), "\n"); cell.IsMagic(strings.TrimPrefix(first, "%")) && !cell.IsMagic(first) {
		return nil, errs.New(errs.Request, "begin each line with %fsnet", "%%%%fsnet takes no whole cell")
	}

	for _, stretch := range cell.Split(code) {
		part := Part{Go: stretch.Go}
		for _, line := range stretch.Magics {
			c, err := parse(line.Text)
			if err != nil {
				return nil, errs.At(err, "line %d", line.First+1)
			}
			part.Commands = append(part.Commands, c)
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// parse parses one magic line. A bare %fsnet is the verb help.
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
			return Command{}, errs.New(errs.Request, "write %fsnet VERB [SESSION] [key=value …]; %fsnet help lists the verbs",
				"%s=%s where a verb belongs", w.key, w.value)
		case w.option:
			c.Options = append(c.Options, Option{w.key, w.value})
		default:
			c.Words = append(c.Words, w.key)
		}
	}
	return c, nil
}

// word is a bare word, stored in key, or an option.
type word struct {
	key, value string
	option     bool
}

// fields splits a line at spaces. Single or double quotes protect spaces.
// Inside double quotes, a backslash protects the next character. The first =
// outside quotes makes an option.
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
		return nil, errs.New(errs.Request, "close it", "a quotation that begins with %c has no end", quote)
	}
	end()
	return words, nil
}

// IsComplete reports to a console whether a magic line is complete. A line with
// an open quotation isn't. ok is false if the code doesn't end in a magic line.
func IsComplete(code string) (complete, ok bool) {
	parts := cell.Split(strings.TrimRight(code, " \t\n"))
	end := parts[len(parts)-1]
	if len(end.Magics) == 0 || !end.Go.IsBlank() {
		return false, false
	}

	last := end.Magics[len(end.Magics)-1].Text
	_, err := parse(last)
	return !cell.Continues(last) && (err == nil || !strings.Contains(err.Error(), "has no end")), true
}
