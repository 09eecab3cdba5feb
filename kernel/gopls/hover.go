package gopls

import (
	"context"
	"regexp"
)

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
