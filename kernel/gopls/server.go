package gopls

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/internal/process"
)

// Options for Start.
type Options struct {
	Program     string   // gopls
	Directory   string   // of the module and its package main; private
	Environment []string // as exec.Cmd's; nil is this process's
}

// Server is a running gopls. Its methods may be called from any goroutine.
type Server struct {
	process   *process.Process
	client    *jrpc2.Client
	directory string

	turn process.Lock    // one question, with the files it is about
	open map[string]open // the files that it was told of, by name; guarded by turn
}

// open is a file as gopls knows it.
type open struct {
	text    string
	version int
}

// Start starts gopls and waits until it has answered. The context limits the start alone. Kind Unavailable: it does not run.
func Start(ctx context.Context, o Options) (*Server, error) {
	s := &Server{directory: o.Directory, turn: process.NewLock(), open: map[string]open{}}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), o.Program, "serve")
	cmd.Dir, cmd.Env = o.Directory, environment(o.Environment)
	input, inputErr := cmd.StdinPipe()
	output, outputErr := cmd.StdoutPipe()
	if inputErr != nil || outputErr != nil {
		return nil, fault.New(fault.Unavailable, "close some programs", "gopls does not start: no pipe")
	}
	var err error
	if s.process, err = process.Start(cmd); err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "run ./install.sh again", "gopls does not start")
	}
	s.client = jrpc2.NewClient(channel.LSP(output, input), &jrpc2.ClientOptions{
		OnNotify:   func(*jrpc2.Request) {}, // diagnostics, progress
		OnCallback: answer,
		OnCancel: func(client *jrpc2.Client, response *jrpc2.Response) {
			id := map[string]any{"id": json.RawMessage(response.ID())}
			client.Notify(context.WithoutCancel(ctx), "$/cancelRequest", id) //nolint:errcheck // it has ended, then
		},
	})
	if err := s.initialize(ctx); err != nil {
		s.Stop(0)
		return nil, fault.Wrap(err, fault.Unavailable, "run ./install.sh again", "gopls does not answer")
	}
	return s, nil
}

// environment keeps gopls to itself: no process beside it that reports to its authors, no network, and half the memory for a little
// more time.
func environment(env []string) []string {
	if env == nil {
		env = os.Environ()
	}
	return append(env[:len(env):len(env)], "GO_TELEMETRY_CHILD=2", "GOPROXY=off", "GOTOOLCHAIN=local", "GOGC=50")
}

func (s *Server) initialize(ctx context.Context) error {
	root := s.uri("")
	_, err := s.client.Call(ctx, "initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": root,
		"workspaceFolders":      []any{map[string]any{"uri": root, "name": "cells"}},
		"capabilities":          capabilities(),
		"initializationOptions": settings(),
	})
	if err != nil {
		return err
	}
	return s.client.Notify(ctx, "initialized", struct{}{})
}

// answer is what the server asks of its client.
func answer(_ context.Context, r *jrpc2.Request) (any, error) {
	if r.Method() != "workspace/configuration" {
		return nil, nil // registrations and progress, which need no more than an answer
	}
	var asked struct {
		Items []struct{} `json:"items"`
	}
	if err := r.UnmarshalParams(&asked); err != nil {
		return nil, err
	}
	list := make([]any, len(asked.Items))
	for i := range list {
		list[i] = settings()
	}
	return list, nil
}

// uri is a file of the directory as the protocol names it.
func (s *Server) uri(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(s.directory, name))}).String()
}

// Done is closed when gopls has ended.
func (s *Server) Done() <-chan struct{} { return s.process.Done() }

// ID is the id of its process.
func (s *Server) ID() int { return s.process.ID() }

// Reload says that the module's own files were changed on the disk.
func (s *Server) Reload(ctx context.Context, names ...string) error {
	var changes []any
	for _, name := range names {
		changes = append(changes, map[string]any{"uri": s.uri(name), "type": fileChanged})
	}
	return s.client.Notify(ctx, "workspace/didChangeWatchedFiles", map[string]any{"changes": changes})
}

// Stop ends gopls; after grace it is killed. It holds nothing that must be saved.
func (s *Server) Stop(grace time.Duration) {
	s.process.Stop(grace)
	s.client.Close() //nolint:errcheck // its process has ended
}

// tell sends the files as they are now, where they differ from what gopls knows.
func (s *Server) tell(ctx context.Context, files []File) error {
	for _, f := range files {
		known, there := s.open[f.Name]
		if there && known.text == f.Text {
			continue
		}
		known = open{f.Text, known.version + 1}
		document := map[string]any{"uri": s.uri(f.Name), "version": known.version}
		var err error
		if there {
			err = s.client.Notify(ctx, "textDocument/didChange", map[string]any{
				"textDocument": document, "contentChanges": []any{map[string]any{"text": f.Text}},
			})
		} else {
			document["languageId"], document["text"] = "go", f.Text
			err = s.client.Notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": document})
		}
		if err != nil {
			return err
		}
		s.open[f.Name] = known
	}
	return nil
}

// ask asks about a place in one of the files.
func (s *Server) ask(ctx context.Context, method string, files []File, at Position, extra map[string]any, result any) error {
	if err := s.turn.Acquire(ctx); err != nil {
		return err
	}
	defer s.turn.Release()
	if err := s.tell(ctx, files); err != nil {
		return err
	}
	params := map[string]any{"textDocument": map[string]any{"uri": s.uri(at.File)}, "position": toWire(files, at)}
	for name, value := range extra {
		params[name] = value
	}
	return s.client.CallResult(ctx, method, params, result)
}
