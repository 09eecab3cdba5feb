package gopls

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"fsnetlab/fsnet/errs"
	"fsnetlab/kernel/internal/process"
)

// Options are the options of Start.
type Options struct {
	Program     string   // path of gopls
	Directory   string   // private directory that holds the module and its package main
	Environment []string // as for exec.Cmd; nil means the environment of this process
}

// Server is a running gopls. Its methods may be called from any goroutine.
type Server struct {
	process   *process.Process
	client    *jrpc2.Client
	directory string

	turn process.Lock    // held for one question and the files it is about
	open map[string]open // files sent so far, by name; guarded by turn
}

// open is a file as gopls knows it.
type open struct {
	text    string
	version int
}

// Start starts gopls and waits for its first answer. The context limits only
// the start. The error is of kind Unavailable.
func Start(ctx context.Context, o Options) (*Server, error) {
	s := &Server{directory: o.Directory, turn: process.NewLock(), open: map[string]open{}}

	cmd := exec.CommandContext(context.WithoutCancel(ctx), o.Program, "serve")
	cmd.Dir, cmd.Env = o.Directory, environment(o.Environment)

	input, inputErr := cmd.StdinPipe()
	output, outputErr := cmd.StdoutPipe()
	if inputErr != nil || outputErr != nil {
		return nil, errs.New(errs.Unavailable, "close some programs", "gopls does not start: no pipe")
	}

	var err error
	if s.process, err = process.Start(cmd); err != nil {
		return nil, errs.Wrap(err, errs.Unavailable, "run ./install.sh again", "gopls does not start")
	}

	s.client = jrpc2.NewClient(channel.LSP(output, input), &jrpc2.ClientOptions{
		OnNotify:   func(*jrpc2.Request) {}, // ignores diagnostics and progress
		OnCallback: answer,
		OnCancel: func(client *jrpc2.Client, response *jrpc2.Response) {
			id := map[string]any{"id": json.RawMessage(response.ID())}
			client.Notify(context.WithoutCancel(ctx), "$/cancelRequest", id) //nolint:errcheck // then it has ended
		},
	})

	if err := s.initialize(ctx); err != nil {
		s.Stop(0)
		return nil, errs.Wrap(err, errs.Unavailable, "run ./install.sh again", "gopls does not answer")
	}
	return s, nil
}

// environment returns env with variables that confine gopls: no telemetry
// process, no network, and half the memory at the price of a little time.
func environment(env []string) []string {
	if env == nil {
		env = os.Environ()
	}
	return append(env[:len(env):len(env)], "GO_TELEMETRY_CHILD=2", "GOPROXY=off", "GOTOOLCHAIN=local", "GOGC=50")
}

// initialize performs the protocol's handshake.
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

// answer answers the requests that the server sends.
func answer(_ context.Context, r *jrpc2.Request) (any, error) {
	if r.Method() != "workspace/configuration" {
		return nil, nil // registrations and progress only need some answer
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

// uri returns the URI of a file in the directory.
func (s *Server) uri(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(s.directory, name))}).String()
}

// Done returns a channel that is closed when gopls has ended.
func (s *Server) Done() <-chan struct{} { return s.process.Done() }

// ID returns the process id of gopls.
func (s *Server) ID() int { return s.process.ID() }

// Reload announces that the named files of the module have changed on disk. It
// doesn't wait for an answer.
func (s *Server) Reload(ctx context.Context, names ...string) error {
	var changes []any
	for _, name := range names {
		changes = append(changes, map[string]any{"uri": s.uri(name), "type": fileChanged})
	}
	return s.client.Notify(ctx, "workspace/didChangeWatchedFiles", map[string]any{"changes": changes})
}

// Stop ends gopls, and kills it after grace. gopls holds nothing that must be
// saved.
func (s *Server) Stop(grace time.Duration) {
	s.process.Stop(grace)
	s.client.Close() //nolint:errcheck // its process has ended
}

// sendChanged sends the files that differ from what gopls knows. The caller
// must hold turn.
func (s *Server) sendChanged(ctx context.Context, files []File) error {
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

// ask puts a question about a position in one of the files, and stores the
// answer in result. extra holds further parameters of the method.
func (s *Server) ask(ctx context.Context, method string, files []File, cursor Position, extra map[string]any, result any) error {
	if err := s.turn.Acquire(ctx); err != nil {
		return err
	}
	defer s.turn.Release()

	if err := s.sendChanged(ctx, files); err != nil {
		return err
	}

	params := map[string]any{"textDocument": map[string]any{"uri": s.uri(cursor.File)}, "position": toWire(files, cursor)}
	for name, value := range extra {
		params[name] = value
	}
	return s.client.CallResult(ctx, method, params, result)
}

// File is one file of the package in its current state.
type File struct{ Name, Text string }

// Position is a line and a Unicode character of a file. Both count from 0.
type Position struct {
	File         string
	Line, Column int
}

// fileChanged is the protocol's code for a changed file.
const fileChanged = 2

// place is a position of the protocol, in UTF-16 units.
type place struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start place `json:"start"`
	End   place `json:"end"`
}

// toWire converts a position to the protocol's units.
func toWire(files []File, cursor Position) place {
	units := 0
	for i, r := range []rune(lineOf(files, cursor.File, cursor.Line)) {
		if i == cursor.Column {
			break
		}
		units += utf16.RuneLen(r)
	}
	return place{cursor.Line, units}
}

// column converts the protocol's units to characters.
func column(line string, units int) int {
	n := 0
	for _, r := range line {
		if units <= 0 {
			break
		}
		units -= utf16.RuneLen(r)
		n++
	}
	return n
}

// lineOf returns a line of one of the files, or "". line counts from 0.
func lineOf(files []File, name string, line int) string {
	for _, f := range files {
		if f.Name != name {
			continue
		}
		for text := range strings.SplitSeq(f.Text, "\n") {
			if line == 0 {
				return text
			}
			line--
		}
	}
	return ""
}

// capabilities returns the capabilities of a client that shows completions
// without snippets, and documentation as text.
func capabilities() map[string]any {
	return map[string]any{
		"workspace": map[string]any{"configuration": true, "workspaceFolders": true,
			"didChangeWatchedFiles": map[string]any{"dynamicRegistration": false}},
		"textDocument": map[string]any{
			"hover": map[string]any{"contentFormat": []string{"markdown"}},
			"completion": map[string]any{
				"completionItem": map[string]any{"snippetSupport": false, "documentationFormat": []string{"plaintext"}},
			},
		},
	}
}

// settings turns off everything that the notebook doesn't show.
func settings() map[string]any {
	return map[string]any{
		"hoverKind": "FullDocumentation", "linksInHover": false,
		"matcher": "CaseInsensitive", "deepCompletion": false, "completeFunctionCalls": false, "completionBudget": "700ms",
		"diagnosticsTrigger": "Save", "staticcheck": false, "vulncheck": "Off",
		"semanticTokens": false, "codelenses": map[string]bool{}, "expandWorkspaceToModule": false,
	}
}

// Item is one completion.
type Item struct {
	Text       string
	Start, End int // the characters of the line that it replaces
	// Kind is "function", "method", "field", "variable", "constant", "type",
	// "module", "keyword" or "text".
	Kind   string
	Detail string // type or signature
}

// most limits the number of items.
const most = 200

// Complete returns the completions at a position, likeliest first and 200 at
// most. files must contain cursor.File.
func (s *Server) Complete(ctx context.Context, files []File, cursor Position) ([]Item, error) {
	var list struct {
		Items []struct {
			Label    string `json:"label"`
			Kind     int    `json:"kind"`
			Detail   string `json:"detail"`
			TextEdit *struct {
				Range   *span  `json:"range"`
				NewText string `json:"newText"`
			} `json:"textEdit"`
		} `json:"items"`
	}

	if err := s.ask(ctx, "textDocument/completion", files, cursor, map[string]any{"context": map[string]any{"triggerKind": 1}},
		&list); err != nil {
		return nil, err
	}

	line := lineOf(files, cursor.File, cursor.Line)
	var items []Item
	for _, found := range list.Items {
		item := Item{Text: found.Label, Start: cursor.Column, End: cursor.Column, Kind: kind(found.Kind), Detail: found.Detail}
		if edit := found.TextEdit; edit != nil {
			where := edit.Range
			if where == nil || where.Start.Line != cursor.Line || where.End.Line != cursor.Line {
				continue
			}
			item.Text, item.Start, item.End = edit.NewText, column(line, where.Start.Character), column(line, where.End.Character)
		}
		if items = append(items, item); len(items) == most {
			break
		}
	}
	return items, nil
}

// kind translates the protocol's numbers.
func kind(number int) string {
	switch number {
	case 2:
		return "method"
	case 3, 4:
		return "function"
	case 5, 10:
		return "field"
	case 6, 12:
		return "variable"
	case 7, 8, 13, 22, 25:
		return "type"
	case 9:
		return "module"
	case 14:
		return "keyword"
	case 20, 21:
		return "constant"
	}
	return "text"
}

// ownLink matches a link to a local file. A notebook elsewhere can't follow
// such a link.
var ownLink = regexp.MustCompile(`\[([^\]]*)\]\(file://[^)]*\)`)

// Hover returns the documentation at a position as Markdown, or "".
func (s *Server) Hover(ctx context.Context, files []File, cursor Position) (string, error) {
	var found struct {
		Contents struct {
			Value string `json:"value"`
		} `json:"contents"`
	}
	err := s.ask(ctx, "textDocument/hover", files, cursor, nil, &found)
	return ownLink.ReplaceAllString(found.Contents.Value, "$1"), err
}

// longestSource bounds the size of a file that is read for a declaration, in
// bytes.
const longestSource = 4 << 20

// Source returns the source of the declaration at a position, with its comment,
// or "".
func (s *Server) Source(ctx context.Context, files []File, cursor Position) (string, error) {
	var places []struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}
	if err := s.ask(ctx, "textDocument/definition", files, cursor, nil, &places); err != nil || len(places) == 0 {
		return "", err
	}

	for _, f := range files {
		if s.uri(f.Name) == places[0].URI {
			return declaration(f.Text, places[0].Range.Start.Line+1), nil
		}
	}

	found, err := url.Parse(places[0].URI)
	if err != nil || found.Scheme != "file" {
		return "", err
	}

	path := filepath.FromSlash(found.Path)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > longestSource {
		return "", err
	}

	text, err := os.ReadFile(path)
	return declaration(string(text), places[0].Range.Start.Line+1), err
}

// declaration returns the declaration in a file that contains a line, counted
// from 1. From a group in parentheses it returns a single declaration, but a
// group of constants is returned whole.
func declaration(text string, line int) string {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil || err != nil && len(file.Decls) == 0 {
		return ""
	}

	// False ignores the //line directives of generated files.
	place := func(at token.Pos) token.Position { return files.PositionFor(at, false) }

	of := func(n ast.Node, comment *ast.CommentGroup, before string) string {
		from, to := place(n.Pos()), place(n.End())
		if line < from.Line || line > to.Line {
			return ""
		}

		source := before + text[from.Offset:to.Offset]
		if comment != nil {
			source = text[place(comment.Pos()).Offset:place(comment.End()).Offset] + "\n" + source
		}
		return source
	}

	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if source := of(d, d.Doc, ""); source != "" {
				return source
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				var comment *ast.CommentGroup
				switch s := spec.(type) {
				case *ast.TypeSpec:
					comment = s.Doc
				case *ast.ValueSpec:
					comment = s.Doc
				}
				if d.Lparen.IsValid() && d.Tok != token.CONST {
					if source := of(spec, comment, d.Tok.String()+" "); source != "" {
						return source
					}
				} else if source := of(d, d.Doc, ""); source != "" {
					return source
				}
			}
		}
	}
	return ""
}
