package widgets

import (
	"context"
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
	line, err := answer(context.Background(), os.Getenv(session.SocketVariable), map[string]any{"prompt": prompt, "password": secret})
	finish(err)
	return line
}

func answer(ctx context.Context, kernel string, question map[string]any) (line string, err error) {
	if kernel == "" {
		return "", fault.New(fault.Unavailable, "run this in a notebook with the FsNet kernel", "$%s is not set: there is no kernel to ask",
			session.SocketVariable)
	}
	client, err := session.Dial(ctx, kernel)
	if err != nil {
		return "", err
	}
	defer client.Disconnect()
	err = client.Call(ctx, "input", question, &line)
	return line, err
}
