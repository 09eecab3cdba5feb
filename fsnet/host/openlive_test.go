package host_test

import (
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/sessiontest/fake"
)

// TestOpen_LiveKeys ensures that a live key in the line which opens what exists
// is never ignored: it is an error whose remedy sets it, except where the
// session was once opened with that value.
func TestOpen_LiveKeys(t *testing.T) {
	h := newHost(t, fake.Open)
	dir := t.TempDir()
	request := func(key, value string) session.OpenRequest {
		r := session.OpenRequest{Session: "a", Directory: dir, Config: session.Config{Data: "planted", K: 3, Epochs: 100}}
		if err := r.Config.Set(key, value); key != "" && err != nil {
			t.Fatal(err)
		}
		return r
	}
	must(session.VerbOpen.Call(t.Context(), h, request("lambda", "0.5")))(t)
	for key, value := range map[string]string{
		"lambda": "0.1", "epochs": "50", "dropout": "0.5", "learning_rate": "0.01", "stop": "never", "class_weight": "balanced",
		"schedule": "linear", "tau0": "3", "repulsion": "0", "sharpness": "5",
	} {
		if at := slices.IndexFunc(config.Keys(), func(k config.Key) bool { return k.Name == key }); at < 0 || !config.Keys()[at].Live {
			t.Errorf("%s is no live key", key)
			continue
		}
		_, err := session.VerbOpen.Call(t.Context(), h, request(key, value))
		if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), key+" is ") || !strings.Contains(err.Error(), " here, not "+value) ||
			errs.Of(err).Remedy != "%fsnet set a "+key+"="+value {
			t.Errorf("%s=%s: %v", key, value, err)
		}
	}

	must(session.On(h, "a").Set(t.Context(), session.Config{Lambda: new(0.25)}))(t) // as the remedy says
	for value, want := range map[string]string{"0.25": "", "0.5": "lambda is 0.25 here, not 0.5: it was set since"} {
		status, err := session.VerbOpen.Call(t.Context(), h, request("lambda", value))
		if err != nil || status.Reason != want {
			t.Errorf("opened again with lambda=%s: %q, %v", value, status.Reason, err)
		}
	}
	if status, err := session.VerbOpen.Call(t.Context(), h, request("", "")); err != nil || status.Reason != "" || status.Config.Lambda != 0.25 {
		t.Errorf("opened again without it: %q, %v", status.Reason, err)
	}

	// A line without data is about the session that is there, and so about the
	// keys it gives.
	for says, c := range map[string]session.Config{
		`session "a" exists: lambda is 0.25 here, not 0.1 - %fsnet set a lambda=0.1`: {Lambda: new(0.1)},
		`session "a" is open with other settings: k is 3, not 4 - `:                  {K: 4},
		"": {K: 3, Lambda: new(0.25)},
	} {
		_, err := session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "a", Directory: dir, Config: c})
		if (err == nil) != (says == "") || err != nil && !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
