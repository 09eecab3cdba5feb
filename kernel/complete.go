package kernel

import (
	"regexp"
	"strings"
	"time"
	"unicode"

	"fsnetlab/kernel/gopls"
	"fsnetlab/kernel/internal/trainer"
	"fsnetlab/kernel/magic"
	"fsnetlab/kernel/wire"
)

// explainWaits is how long gopls leaves the machine to the first cells. A question starts it at once.
const explainWaits = 3 * time.Second

// warm starts what the first cell and the first question need: GoNB first, since a cell is worth more.
func (k *Kernel) warm() {
	k.gonb.get(k.life) //nolint:errcheck // an error shows again, and is reported, when a cell needs it
	if k.gonb.disabled {
		return
	}
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for end := time.Now().Add(explainWaits); k.current() != nil && time.Now().Before(end); {
		select {
		case <-again.C:
		case <-k.life.Done():
			return
		}
	}
	k.explain.keeper.Get(k.life) //nolint:errcheck // the next question tries again
}

func (k *Kernel) complete(m wire.Message) (string, any) {
	var request wire.CompleteRequest
	if err := m.Decode(&request); err != nil {
		return badRequest("complete_reply", err)
	}
	request.CursorPos = within(request.CursorPos, request.Code) // the reply must name a place, too
	reply := wire.CompleteReply{Status: "ok", Matches: []string{}, CursorStart: request.CursorPos, CursorEnd: request.CursorPos, Metadata: map[string]any{}}
	matches, start, end, ok := k.magics.Complete(trainer.WithoutStart(k.life), request.Code, request.CursorPos)
	if ok {
		reply.CursorStart, reply.CursorEnd = start, end
		types := []jupyterType{}
		for _, match := range matches {
			kind, about := k.magics.About(match)
			reply.Matches = append(reply.Matches, match)
			types = append(types, jupyterType{start, end, match, kind, about})
		}
		reply.Metadata[typesKey] = types
		return "complete_reply", reply
	}
	if word, first, ok := specialWord(request.Code, request.CursorPos); ok {
		reply.Matches, reply.CursorStart = k.completeSpecial(word, first), request.CursorPos-len([]rune(word))
		return "complete_reply", reply
	}
	line, column, offset, ok := goPlace(request.Code, request.CursorPos)
	if !ok || k.gonb.disabled {
		return "complete_reply", reply
	}
	fill(&reply, k.explain.complete(k.life, blankMagics(request.Code), line, column), offset)
	return "complete_reply", reply
}

// within is a place in the code, or that end of it which is nearest: JupyterLab asks for places behind what is left of a line.
func within(cursor int, code string) int { return min(max(cursor, 0), len([]rune(code))) }

// typesKey is where JupyterLab looks for what it draws beside a match.
const typesKey = "_jupyter_types_experimental"

// jupyterType is one entry there.
type jupyterType struct {
	Start     int    `json:"start"`
	End       int    `json:"end"`
	Text      string `json:"text"`
	Type      string `json:"type"`
	Signature string `json:"signature,omitempty"`
}

// fill makes the reply of gopls's items, whose line begins offset characters into the cell. All matches replace the same stretch.
func fill(reply *wire.CompleteReply, items []gopls.Item, offset int) {
	types := []jupyterType{}
	for i, item := range items {
		if i > 0 && (item.Start != items[0].Start || item.End != items[0].End) {
			continue
		}
		reply.CursorStart, reply.CursorEnd = offset+item.Start, offset+item.End
		reply.Matches = append(reply.Matches, item.Text)
		types = append(types, jupyterType{reply.CursorStart, reply.CursorEnd, item.Text, iconOf(item.Kind), item.Detail})
	}
	if len(types) > 0 {
		reply.Metadata[typesKey] = types
	}
}

// iconOf is what JupyterLab calls a kind.
func iconOf(kind string) string {
	switch kind {
	case "field":
		return "property"
	case "variable":
		return "instance"
	case "type":
		return "class"
	case "constant":
		return "value"
	case "method":
		return "function"
	}
	return kind
}

// goPlace is the line and the column (in characters) of a cursor, and how many characters stand before that line. ok is false outside
// the cell.
func goPlace(code string, cursor int) (line, column, offset int, ok bool) {
	runes := []rune(code)
	if cursor < 0 || cursor > len(runes) {
		return 0, 0, 0, false
	}
	for i, r := range runes[:cursor] {
		if r == '\n' {
			line, offset = line+1, i+1
		}
	}
	return line, cursor - offset, offset, true
}

func (k *Kernel) inspect(m wire.Message) (string, any) {
	var request wire.InspectRequest
	if err := m.Decode(&request); err != nil {
		return badRequest("inspect_reply", err)
	}
	request.CursorPos = within(request.CursorPos, request.Code)
	if picture, ok := k.magics.Inspect(request.Code, request.CursorPos); ok {
		return "inspect_reply", wire.InspectReply{Status: "ok", Found: true, Data: picture.Bundle(), Metadata: map[string]any{}}
	}
	reply := wire.InspectReply{Status: "ok", Data: map[string]any{}, Metadata: map[string]any{}}
	if _, first, ok := specialWord(request.Code, request.CursorPos); ok {
		if picture, ok := explainSpecial(first); ok {
			reply.Found, reply.Data = true, picture.Bundle()
		}
		return "inspect_reply", reply
	}
	cursor, ok := nameAt(request.Code, request.CursorPos)
	if !ok || k.gonb.disabled {
		return "inspect_reply", reply
	}
	line, column, _, _ := goPlace(request.Code, cursor)
	if text := k.explain.hover(k.life, blankMagics(request.Code), line, column); text != "" {
		text += k.keyOf(text)
		reply.Found, reply.Data = true, map[string]any{"text/markdown": text, "text/plain": plain(text)}
	}
	return "inspect_reply", reply
}

// configField is the documentation of a field of session.Config, whose name on the wire is that of its key.
var configField = regexp.MustCompile("^```go\nfield \\w+ [^\n]*`json:\"(\\w+),omitempty\"`")

// keyOf is what %fsnet says of the key behind a field of session.Config: its symbol, range and default.
func (k *Kernel) keyOf(hover string) string {
	match := configField.FindStringSubmatch(hover)
	if match == nil {
		return ""
	}
	line := "%fsnet set " + match[1]
	p, ok := k.magics.Inspect(line, len(line))
	if !ok {
		return ""
	}
	return "\n\n```\n" + p.Text + "\n```\n"
}

// nameAt is where the name at the cursor begins, or the one before it; between the parentheses of a call it is the function's.
func nameAt(code string, cursor int) (at int, ok bool) {
	runes := []rune(code)
	if cursor < 0 || cursor > len(runes) {
		return 0, false
	}
	if at, ok := nameAround(runes, cursor); ok {
		return at, true
	}
	depth := 0
	for at := cursor - 1; at >= 0 && runes[at] != '\n'; at-- {
		switch runes[at] {
		case ')':
			depth++
		case '(':
			if depth == 0 {
				return nameAround(runes, at)
			}
			depth--
		}
	}
	return 0, false
}

// nameAround is where the name begins that holds a place or ends there.
func nameAround(runes []rune, at int) (begin int, ok bool) {
	part := func(i int) bool {
		return i >= 0 && i < len(runes) && (runes[i] == '_' || unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for part(at - 1) {
		at--
	}
	return at, part(at) && !unicode.IsDigit(runes[at])
}

// plain is Markdown for a terminal: without fences and rules.
func plain(markdown string) string {
	var lines []string
	for line := range strings.SplitSeq(markdown, "\n") {
		if strings.HasPrefix(line, "```") || line == "---" {
			continue
		}
		if line == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}
		lines = append(lines, line)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// blankMagics keeps %fsnet lines from GoNB and every offset where it is.
func blankMagics(code string) string {
	if _, rest, err := magic.Split(code); err != nil || rest == code {
		return code
	}
	return magic.Blank(code)
}
