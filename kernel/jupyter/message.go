package jupyter

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"fsnetlab/fsnet/errs"
)

// ProtocolVersion is the version of the Jupyter messaging protocol implemented
// here.
const ProtocolVersion = "5.5"

// Header identifies a message. It has only the known entries; for a received
// message, Message.RawHeader has all of them.
type Header struct {
	ID       string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Type     string `json:"msg_type"`
	Version  string `json:"version"`
	Subshell string `json:"-"` // the received subshell_id as JSON; "" if there is none
}

// Message is one Jupyter message.
type Message struct {
	// Identities are the routing frames. In a received message they name its
	// sender, and so the receiver of its reply. In a published message they
	// hold its topic.
	Identities [][]byte
	Header     Header
	RawHeader  json.RawMessage // as received; nil for a message made here
	Parent     json.RawMessage // header of the message that this one answers; nil means {}
	Metadata   json.RawMessage // nil means {}
	Content    json.RawMessage // nil means {}
	Buffers    [][]byte

	via       *outbox // the connection it came from, or nil
	signature []byte  // as received
}

// NewMessage returns a message of a session. [Content] encodes its content.
func NewMessage(session, messageType string, content any) Message {
	return Message{Header: newHeader(session, messageType), Content: Content(content)}
}

func newHeader(session, messageType string) Header {
	return Header{
		ID: NewID(), Session: session, Username: "kernel", Type: messageType, Version: ProtocolVersion,
		Date: time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
	}
}

// Answer returns a message that answers m. Its parent is m's header, byte for
// byte.
func (m Message) Answer(session, messageType string, content any) Message {
	answer := NewMessage(session, messageType, content)
	answer.Parent = m.HeaderJSON()
	return answer
}

// Reply is Answer, addressed to the sender of m.
func (m Message) Reply(session, messageType string, content any) Message {
	reply := m.Answer(session, messageType, content)
	reply.Identities, reply.via = m.Identities, m.via
	return reply
}

// HeaderJSON returns the header as it was received or will be sent.
func (m Message) HeaderJSON() json.RawMessage {
	if m.RawHeader != nil {
		return m.RawHeader
	}
	return Content(m.Header)
}

// ParentType returns the type of the message that m answers. It returns "" if
// there is none.
func (m Message) ParentType() string { return readHeader(m.Parent).Type }

// ParentID returns the id of the message that m answers. It returns "" if there
// is none.
func (m Message) ParentID() string { return readHeader(m.Parent).ID }

// Decode reads the content into a struct.
func (m Message) Decode(content any) error {
	if err := json.Unmarshal(m.Content, content); err != nil {
		return errs.Wrap(err, errs.Request, "", "the content of a %s", m.Header.Type)
	}
	return nil
}

// NewID returns a random identifier in the form of a UUID.
func NewID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// Content encodes the content of a message. It returns {} if v is nil, and
// panics if v can't be encoded as JSON, because that is a bug.
func Content(v any) json.RawMessage {
	if v == nil {
		return json.RawMessage("{}")
	}
	if raw, ok := v.(json.RawMessage); ok {
		return raw
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("wire: a %T is not JSON: %v", v, err))
	}
	return text
}
