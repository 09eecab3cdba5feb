package session

import "time"

// SetWriteLimit is for a client that has not been used yet.
func (c *Client) SetWriteLimit(limit time.Duration) { c.limit = limit }

// UseAlone is Use with a connection of its own, as each test has a socket of
// its own.
func UseAlone(name string, c Config) Session {
	s := Use(name, c)
	s.link = new(link)
	return s
}
