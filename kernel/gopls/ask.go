package gopls

import (
	"context"
	"regexp"
)

// Item is something that may stand at a place.
type Item struct {
	Text       string
	Start, End int    // the characters of the line that it replaces
	Kind       string // function · method · field · variable · constant · type · module · keyword · text
	Detail     string // its type or signature
}

// most is how many items are given: nobody reads more.
const most = 200

// Complete gives what may stand at a place, the likeliest first. at.File must be among the files.
func (s *Server) Complete(ctx context.Context, files []File, at Position) ([]Item, error) {
	var list struct {
		Items []struct {
			Label    string `json:"label"`
			Kind     int    `json:"kind"`
			Detail   string `json:"detail"`
			TextEdit *struct {
				Range   *span  `json:"range"`
				Insert  *span  `json:"insert"`
				NewText string `json:"newText"`
			} `json:"textEdit"`
		} `json:"items"`
	}
	if err := s.ask(ctx, "textDocument/completion", files, at, map[string]any{"context": map[string]any{"triggerKind": 1}},
		&list); err != nil {
		return nil, err
	}
	line := lineOf(files, at.File, at.Line)
	var items []Item
	for _, found := range list.Items {
		item := Item{Text: found.Label, Start: at.Column, End: at.Column, Kind: kind(found.Kind), Detail: found.Detail}
		if edit := found.TextEdit; edit != nil {
			where := edit.Range
			if where == nil {
				where = edit.Insert
			}
			if where == nil || where.Start.Line != at.Line || where.End.Line != at.Line {
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

// kind is the protocol's number in words.
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

// ownLink is a link into a file of this machine, which a notebook elsewhere cannot follow.
var ownLink = regexp.MustCompile(`\[([^\]]*)\]\(file://[^)]*\)`)

// Hover is the documentation of what stands at a place, as Markdown; "" where there is none.
func (s *Server) Hover(ctx context.Context, files []File, at Position) (string, error) {
	var found struct {
		Contents struct {
			Value string `json:"value"`
		} `json:"contents"`
	}
	err := s.ask(ctx, "textDocument/hover", files, at, nil, &found)
	return ownLink.ReplaceAllString(found.Contents.Value, "$1"), err
}
