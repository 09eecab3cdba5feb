package widgets

import (
	"context"
	"fmt"
	"os"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// Ask asks the user of the notebook for a line, behind a prompt, and waits for it. Where the front end cannot ask, or the cell is
// interrupted meanwhile, it prints one line and ends the cell.
func Ask(prompt string) string { return ask(prompt, false) }

// AskSecretly is Ask for what must not be seen while it is typed.
func AskSecretly(prompt string) string { return ask(prompt, true) }

func ask(prompt string, secret bool) string {
	var line string
	client, err := session.Dial(context.Background(), os.Getenv(session.SocketVariable))
	if err == nil {
		defer client.Disconnect()
		err = client.Call(context.Background(), "input", map[string]any{"prompt": prompt, "password": secret}, &line)
	}
	if err == nil {
		return line
	}
	fmt.Fprintln(os.Stderr, err)
	if fault.Is(err, fault.Interrupted) {
		os.Exit(130)
	}
	os.Exit(1)
	return ""
}
