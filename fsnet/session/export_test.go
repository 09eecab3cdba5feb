package session

// UseAlone is Use with a connection of its own, as each test has a socket of its own.
func UseAlone(name string, c Config) Session {
	s := Use(name, c)
	s.link = new(link)
	return s
}
