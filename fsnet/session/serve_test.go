package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// serve answers connections as a server does until the test has ended, and
// gives a client and what ends the service sooner.
func serve(t *testing.T, s session.Server) (*session.Client, context.CancelFunc) {
	t.Helper()
	s.Guard = func(doing string, work func() error) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = errs.New(errs.Failed, "", "%s failed: %v", doing, p)
			}
		}()
		return work()
	}
	p := newPeer(t)
	ctx, end := context.WithCancel(t.Context())
	t.Cleanup(end)
	go func() {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		context.AfterFunc(ctx, func() { conn.Close() })
		s.Serve(ctx, conn)
	}()
	client, err := session.Dial(t.Context(), p.path)
	require(t, err)
	t.Cleanup(client.Disconnect)
	return client, end
}

// A verb that advances goes on without its connection, and ends with the
// service. One that asks ends with its connection.
func TestServe_WhatOutlivesAConnection(t *testing.T) {
	begun, ended, asked := make(chan struct{}), make(chan struct{}), make(chan context.Context, 1)
	verbs := session.Handlers{}
	session.Handle(verbs, session.VerbRun, func(ctx context.Context, _ session.RunRequest) (s session.Status, err error) {
		close(begun)
		<-ctx.Done()
		close(ended)
		return s, nil
	})
	session.Handle(verbs, session.VerbStatus, func(ctx context.Context, _ session.NameRequest) (s session.Status, err error) {
		asked <- ctx
		<-ctx.Done()
		return s, nil
	})
	client, end := serve(t, session.Server{Verbs: verbs})
	go session.On(client, "leukemia").Run(t.Context(), session.Until{}) //nolint:errcheck // its connection ends
	<-begun
	go session.On(client, "leukemia").Status(t.Context()) //nolint:errcheck // its connection ends
	asking := <-asked
	client.Disconnect()
	<-asking.Done()
	select {
	case <-ended:
		t.Error("the run ended with its connection")
	default:
	}
	end()
	<-ended
}

// A panic is the error of its request alone. A misspelled word is answered with
// the right one.
func TestServe_ErrorsOfOneRequest(t *testing.T) {
	verbs := session.Handlers{}
	session.Handle(verbs, session.VerbRun, func(context.Context, session.RunRequest) (session.Status, error) { panic("oh") })
	session.Handle(verbs, session.VerbStep, func(context.Context, session.StepRequest) (s session.Status, err error) { return s, nil })
	client, _ := serve(t, session.Server{Verbs: verbs})
	if _, err := session.On(client, "a").Run(t.Context(), session.Until{}); !errs.Is(err, errs.Failed) ||
		!strings.Contains(err.Error(), "run failed: oh") {
		t.Errorf("%v", err)
	}
	for method, c := range map[string]struct {
		params any
		want   string
	}{
		"stp":  {session.StepRequest{Session: "a"}, "did you mean step?"},
		"step": {map[string]any{"sesion": "a"}, "did you mean session?"},
		"run":  {map[string]any{"session": "a", "until": "morning"}, "give an object"},
	} {
		err := client.Call(t.Context(), method, c.params, nil)
		if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", method, err, c.want)
		}
	}
}

// A method that isn't a verb is passed on unchanged.
func TestServe_OtherMethods(t *testing.T) {
	other := func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(fmt.Sprintf(`{"session":%q,"reason":%q}`, method, params)), nil
	}
	client, _ := serve(t, session.Server{Other: other})
	status, err := session.On(client, "a").Status(t.Context())
	if err != nil || status.Session != "status" || status.Reason != `{"session":"a"}` {
		t.Errorf("%+v, %v", status, err)
	}
}

// A watch ends with its client. If it fails after its start, it says so.
func TestServe_Watches(t *testing.T) {
	watched := make(chan context.Context, 2)
	client, _ := serve(t, session.Server{Watch: func(ctx context.Context, r session.WatchRequest, tell func(session.Update)) error {
		watched <- ctx
		tell(session.Update{Progress: session.Progress{Session: r.Session}})
		if r.Session == "fails" {
			return errs.New(errs.Failed, "open it again", "no P yet")
		}
		<-ctx.Done()
		return nil
	}})
	watching, stop := context.WithCancel(t.Context())
	if err := session.On(client, "leukemia").Watch(watching, session.WatchRequest{}, func(session.Update) { stop() }); err != nil {
		t.Error(err)
	}
	<-(<-watched).Done()
	told := 0
	err := session.On(client, "fails").Watch(t.Context(), session.WatchRequest{}, func(session.Update) { told++ })
	if !errs.Is(err, errs.Failed) || !strings.Contains(err.Error(), "no P yet") || told != 1 {
		t.Errorf("told %d times, %v", told, err)
	}
}
