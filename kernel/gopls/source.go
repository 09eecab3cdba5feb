package gopls

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"os"
	"path/filepath"
)

// longestSource bounds a file that is read for a declaration, in bytes.
const longestSource = 4 << 20

// Source is the declaration of what stands at a place, as its author wrote it, with its comment; "" where there is none.
func (s *Server) Source(ctx context.Context, files []File, at Position) (string, error) {
	var places []struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}
	if err := s.ask(ctx, "textDocument/definition", files, at, nil, &places); err != nil || len(places) == 0 {
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

// declaration is the declaration of a file that holds a line, from 1: of several in brackets that one alone, but of constants all.
func declaration(text string, line int) string {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil || err != nil && len(file.Decls) == 0 {
		return ""
	}
	place := func(at token.Pos) token.Position { return files.PositionFor(at, false) } // also where the file was made of another one
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
