package ipywidgets

import (
	"encoding/json"
	"fmt"
)

// splitter takes the binary values out of a state: the protocol sends them beside the JSON text, with the path to where each belongs.
type splitter struct {
	paths   [][]any
	buffers [][]byte
}

// split is the value without its binary parts and with references for models. In an object a binary value is left out, in a list it is
// null.
func (s *splitter) split(value any, path []any) any {
	switch v := value.(type) {
	case *Model:
		return reference + v.id
	case []*Model:
		names := make([]any, len(v))
		for i, w := range v {
			names[i] = reference + w.id
		}
		return names
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, each := range v {
			if s.take(each, path, name) {
				continue
			}
			object[name] = s.split(each, extended(path, name))
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, each := range v {
			if !s.take(each, path, i) {
				list[i] = s.split(each, extended(path, i))
			}
		}
		return list
	}
	return value
}

func (s *splitter) take(value any, path []any, last any) bool {
	bytes, ok := value.([]byte)
	if ok {
		s.paths = append(s.paths, extended(path, last))
		s.buffers = append(s.buffers, bytes)
	}
	return ok
}

func (s *splitter) listed() [][]any {
	if s.paths == nil {
		return [][]any{}
	}
	return s.paths
}

func extended(path []any, last any) []any { return append(path[:len(path):len(path)], last) }

// envelope is the data of a message that carries state; the method is "" in an Open.
func envelope(method string, state map[string]any) (json.RawMessage, [][]byte) {
	var s splitter
	body := map[string]any{"state": s.split(state, nil), "buffer_paths": s.listed()}
	if method != "" {
		body["method"] = method
	}
	return encode(body), s.buffers
}

func encode(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("ipywidgets: a %T is not JSON: %v", v, err)) // every value was checked when it was set
	}
	return text
}

// put sets the binary values of a state that arrived, each at its path.
func put(state map[string]any, paths [][]any, buffers [][]byte) error {
	if len(paths) > len(buffers) {
		return fmt.Errorf("%d binary values for %d paths", len(buffers), len(paths))
	}
	for i, path := range paths {
		if err := putOne(state, path, buffers[i]); err != nil {
			return err
		}
	}
	return nil
}

func putOne(at any, path []any, buffer []byte) error {
	for depth, step := range path {
		last := depth == len(path)-1
		switch node := at.(type) {
		case map[string]any:
			name, ok := step.(string)
			if !ok {
				return fmt.Errorf("the path of a binary value has no name at %d", depth)
			}
			if last {
				node[name] = buffer
				return nil
			}
			at = node[name]
		case []any:
			index, ok := step.(float64)
			if !ok || index != float64(int(index)) || index < 0 || int(index) >= len(node) {
				return fmt.Errorf("the path of a binary value leaves its list at %d", depth)
			}
			if last {
				node[int(index)] = buffer
				return nil
			}
			at = node[int(index)]
		default:
			return fmt.Errorf("the path of a binary value leads nowhere at %d", depth)
		}
	}
	return fmt.Errorf("the path of a binary value is empty")
}
