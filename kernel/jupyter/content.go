package jupyter

// The contents of messages, named after their types. They omit entries that
// this kernel neither reads nor writes.

// ExecuteRequest asks to run a cell.
type ExecuteRequest struct {
	Code            string            `json:"code"`
	Silent          bool              `json:"silent"`
	StoreHistory    bool              `json:"store_history"`
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      bool              `json:"allow_stdin"`
	StopOnError     bool              `json:"stop_on_error"`
}

// ReadExecuteRequest reads the content of an execute_request. Missing entries
// get the protocol's defaults.
func ReadExecuteRequest(m Message) (ExecuteRequest, error) {
	r := ExecuteRequest{StoreHistory: true, StopOnError: true}
	if err := m.Decode(&r); err != nil {
		return r, err
	}
	if r.Silent {
		r.StoreHistory = false
	}
	if r.UserExpressions == nil {
		r.UserExpressions = map[string]string{}
	}
	return r, nil
}

// ExecuteReply is sent when a cell has ended.
type ExecuteReply struct {
	Status          string         `json:"status"` // "ok", "error" or "aborted"
	ExecutionCount  int            `json:"execution_count"`
	Payload         []any          `json:"payload"`
	UserExpressions map[string]any `json:"user_expressions"`
}

// ErrorReply is the content of any reply with status error. Without Status, it
// is also the content of a published error.
type ErrorReply struct {
	Status         string   `json:"status,omitempty"`
	ExecutionCount *int     `json:"execution_count,omitempty"`
	Name           string   `json:"ename"`
	Value          string   `json:"evalue"`
	Traceback      []string `json:"traceback"`
}

// Error implements error, so that a [Language] can return an ErrorReply.
func (r ErrorReply) Error() string { return r.Name + ": " + r.Value }

// StatusReply is a reply that holds only a status.
type StatusReply struct {
	Status string `json:"status"` // "ok", "error" or "aborted"
}

// ExecuteInput publishes the code of the cell that is about to run.
type ExecuteInput struct {
	Code           string `json:"code"`
	ExecutionCount int    `json:"execution_count"`
}

// Stream publishes output.
type Stream struct {
	Name string `json:"name"` // "stdout" or "stderr"
	Text string `json:"text"`
}

// DisplayData publishes a MIME bundle. It is the content of display_data and of
// update_display_data.
type DisplayData struct {
	Data      map[string]any `json:"data"`
	Metadata  map[string]any `json:"metadata"`
	Transient Transient      `json:"transient"`
}

// Transient is the part of an output that isn't saved.
type Transient struct {
	DisplayID string `json:"display_id,omitempty"`
}

// ClearOutput empties a cell's output.
type ClearOutput struct {
	Wait bool `json:"wait"`
}

// Status publishes the state of the kernel.
type Status struct {
	State string `json:"execution_state"` // "starting", "busy" or "idle"
}

// KernelInfo describes the kernel.
type KernelInfo struct {
	Status                string       `json:"status"`
	ProtocolVersion       string       `json:"protocol_version"`
	Implementation        string       `json:"implementation"`
	ImplementationVersion string       `json:"implementation_version"`
	LanguageInfo          LanguageInfo `json:"language_info"`
	Banner                string       `json:"banner"`
	HelpLinks             []HelpLink   `json:"help_links"`
	Debugger              bool         `json:"debugger"`
	SupportedFeatures     []string     `json:"supported_features"` // optional features only
}

// LanguageInfo tells a front end how to show code.
type LanguageInfo struct {
	Name           string `json:"name"`
	Version        string `json:"version"`
	MIMEType       string `json:"mimetype"`
	FileExtension  string `json:"file_extension"`
	PygmentsLexer  string `json:"pygments_lexer"`
	CodeMirrorMode string `json:"codemirror_mode"`
}

// HelpLink is an entry of the front end's help menu.
type HelpLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// CompleteRequest asks for completions. CursorPos counts Unicode characters.
type CompleteRequest struct {
	Code      string `json:"code"`
	CursorPos int    `json:"cursor_pos"`
}

// CompleteReply lists replacements for the text between CursorStart and
// CursorEnd.
type CompleteReply struct {
	Status      string         `json:"status"`
	Matches     []string       `json:"matches"`
	CursorStart int            `json:"cursor_start"`
	CursorEnd   int            `json:"cursor_end"`
	Metadata    map[string]any `json:"metadata"`
}

// InspectRequest asks about the name at the cursor.
type InspectRequest struct {
	Code        string `json:"code"`
	CursorPos   int    `json:"cursor_pos"`
	DetailLevel int    `json:"detail_level"`
}

// InspectReply answers with a MIME bundle.
type InspectReply struct {
	Status   string         `json:"status"`
	Found    bool           `json:"found"`
	Data     map[string]any `json:"data"`
	Metadata map[string]any `json:"metadata"`
}

// IsCompleteRequest asks whether a console should run the code or let the user
// continue typing.
type IsCompleteRequest struct {
	Code string `json:"code"`
}

// IsCompleteReply answers an IsCompleteRequest.
type IsCompleteReply struct {
	Status string `json:"status"` // "complete", "incomplete", "invalid" or "unknown"
	Indent string `json:"indent,omitempty"`
}

// HistoryRequest asks for earlier cells.
type HistoryRequest struct {
	Output  bool   `json:"output"`
	Raw     bool   `json:"raw"`
	Access  string `json:"hist_access_type"` // "range", "tail" or "search"
	Session int    `json:"session"`
	Start   int    `json:"start"`
	Stop    int    `json:"stop"`
	N       int    `json:"n"`
	Pattern string `json:"pattern"`
	Unique  bool   `json:"unique"`
}

// HistoryReply lists [session, line, input]. If the request asked for output,
// it lists [session, line, [input, output]].
type HistoryReply struct {
	Status  string  `json:"status"`
	History [][]any `json:"history"`
}

// CommInfoRequest asks for the comms of a target. "" means all comms.
type CommInfoRequest struct {
	Target string `json:"target_name"`
}

// CommInfoReply lists the open comms by their ids.
type CommInfoReply struct {
	Status string                     `json:"status"`
	Comms  map[string]CommInfoRequest `json:"comms"`
}

// Shutdown is the content of shutdown_request and, with Status, of
// shutdown_reply.
type Shutdown struct {
	Status  string `json:"status,omitempty"`
	Restart bool   `json:"restart"`
}

// InputRequest asks the user for a line.
type InputRequest struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"`
}

// InputReply holds the line that the user entered.
type InputReply struct {
	Value string `json:"value"`
}

// SubshellReply names the new subshell.
type SubshellReply struct {
	Status string `json:"status"`
	ID     string `json:"subshell_id"`
}

// SubshellsReply lists all subshells.
type SubshellsReply struct {
	Status string   `json:"status"`
	IDs    []string `json:"subshell_id"` // the protocol uses the singular here, too
}
