package widgets

import (
	"context"

	"fsnetlab/fsnet/session"
)

// Ask asks the user of the notebook for a line, behind a prompt, and waits for it. Where the front end cannot ask, or the cell is
// interrupted meanwhile, it prints one line and ends the cell.
func Ask(prompt string) string { return ask(prompt, false) }

// AskSecretly is Ask for what must not be seen while it is typed.
func AskSecretly(prompt string) string { return ask(prompt, true) }

func ask(prompt string, secret bool) (line string) {
	finish(session.Ask(context.Background(), "input", map[string]any{"prompt": prompt, "password": secret}, &line))
	return line
}
