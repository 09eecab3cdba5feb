package train

import (
	"context"

	"fsnetlab/fsnet/session"
)

// Rows is what the features selected now are in the training rows, and in the test rows where these are asked for, which is a look at them
// and counted. Session is left for the caller to fill in.
func (t *Training) Rows(request session.RowsRequest) (session.Rows, error) {
	selected, err := t.Selection()
	if err != nil {
		return session.Rows{}, err
	}
	r, err := Preview(context.Background(), t.data, selected, t.settings.Seed, request)
	if err != nil {
		return session.Rows{}, err
	}
	if request.Test {
		t.looks++
	}
	r.Step, r.TestLooks = t.step, t.looks
	return r, nil
}
