// Package host is the other end of a live training: it holds data, engines and sessions, in-process or behind a private socket.
//
// # Basics
//
// A [Host] implements session.Service. Each session has one [Training], which it lets in one verb at a time; a run holds it for a chunk
// of at most about 100 ms (or one step, where a step is longer), and other verbs get their turn between two chunks, in the order in
// which they came. [Serve] offers any session.Service over a socket made by [Listen]; [Run] is the whole process of `fsnet host`.
//
//	engine := new(host.Engine)
//	h := host.New(host.Options{Open: engine.Open})
//	defer h.Shutdown()
//	status, err := h.Open(ctx, session.OpenRequest{Session: "leukemia", Config: session.Config{Data: "ALLAML", K: 10}})
//
// # Caveats
//
// A panic in an engine fails its session and no other. A device that aborts the process takes all sessions with it: that is why the host
// is a process of its own. At most [MaxSessions] sessions are open at a time.
package host
