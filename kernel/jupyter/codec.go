package jupyter

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
)

// delimiter stands between the routing frames and the message.
const delimiter = "<IDS|MSG>"

// Why frames are dropped.
var (
	ErrMalformed = errors.New("wire: not a Jupyter message")
	ErrSignature = errors.New("wire: the signature does not fit")
	ErrReplay    = errors.New("wire: the same message came before") // of a Router, which remembers
)

// Codec turns messages into frames and back:
//
//	identities… | <IDS|MSG> | HMAC-SHA256 in hexadecimal | header | parent header | metadata | content | buffers…
type Codec struct {
	key []byte // empty: unsigned
}

// NewCodec makes a codec for a connection's key. An empty key leaves messages unsigned and unchecked.
func NewCodec(key string) Codec { return Codec{key: []byte(key)} }

// Encode signs a message.
func (c Codec) Encode(m Message) [][]byte {
	parts := [][]byte{m.HeaderJSON(), orEmpty(m.Parent), orEmpty(m.Metadata), orEmpty(m.Content)}
	frames := make([][]byte, 0, len(m.Identities)+2+len(parts)+len(m.Buffers))
	frames = append(frames, m.Identities...)
	frames = append(frames, []byte(delimiter), c.sign(parts))
	frames = append(frames, parts...)
	return append(frames, m.Buffers...)
}

// Decode checks frames and makes a message of them: ErrSignature or ErrMalformed where they are not one. The message keeps the
// frames' memory.
func (c Codec) Decode(frames [][]byte) (Message, error) {
	at := -1
	for i, f := range frames {
		if string(f) == delimiter {
			at = i
			break
		}
	}
	if at < 0 || len(frames) < at+6 {
		return Message{}, ErrMalformed
	}
	signature, parts := frames[at+1], frames[at+2:at+6]
	if c.signed() && !hmac.Equal(signature, c.sign(parts)) {
		return Message{}, ErrSignature
	}
	m := Message{
		Identities: frames[:at:at], RawHeader: parts[0], Parent: parts[1], Metadata: parts[2], Content: parts[3], Buffers: frames[at+6:],
		signature: signature,
	}
	for _, part := range parts {
		if part = bytes.TrimLeft(part, " \t\r\n"); len(part) == 0 || part[0] != '{' || !json.Valid(part) {
			return Message{}, ErrMalformed
		}
	}
	m.Header = readHeader(m.RawHeader)
	if m.Header.ID == "" || m.Header.Type == "" {
		return Message{}, ErrMalformed
	}
	return m, nil
}

// readHeader takes what it understands: front ends write the date in many ways, and some leave out what they have no use for.
func readHeader(raw json.RawMessage) Header {
	var parts struct {
		ID       json.RawMessage `json:"msg_id"`
		Session  json.RawMessage `json:"session"`
		Username json.RawMessage `json:"username"`
		Date     json.RawMessage `json:"date"`
		Type     json.RawMessage `json:"msg_type"`
		Version  json.RawMessage `json:"version"`
		Subshell json.RawMessage `json:"subshell_id"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return Header{}
	}
	text := func(part json.RawMessage) (s string) {
		json.Unmarshal(part, &s) //nolint:errcheck // "" where it is no text
		return s
	}
	return Header{
		ID: text(parts.ID), Session: text(parts.Session), Username: text(parts.Username), Date: text(parts.Date),
		Type: text(parts.Type), Version: text(parts.Version), Subshell: string(parts.Subshell),
	}
}

// signed reports whether messages are signed.
func (c Codec) signed() bool { return len(c.key) > 0 }

func (c Codec) sign(parts [][]byte) []byte {
	if !c.signed() {
		return []byte{}
	}
	mac := hmac.New(sha256.New, c.key)
	for _, part := range parts {
		mac.Write(part)
	}
	return []byte(hex.EncodeToString(mac.Sum(nil)))
}

func orEmpty(part json.RawMessage) []byte {
	if len(part) == 0 {
		return []byte("{}")
	}
	return part
}
