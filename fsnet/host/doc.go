// Package host holds live trainings and answers the verbs of their sessions, in-process or behind a private socket.
//
// # Nouns
//
//   - a [Host] holds sessions by name and implements session.Service;
//   - a [Training] is what a session holds: any engine's; package trainings opens FsNet's;
//   - a [Past] is the way back to an earlier step of a training, made beside it: for rewind, fork and the matrix of a past step;
//   - [Serve] answers the verbs of any session.Service over a socket of package socket; [Run] is the whole process of `fsnet host`.
//
// # Basics
//
// A session lets one verb at a time use its training. A run holds the training for a chunk of at most about 100 ms (or one step, where a
// step is longer); other verbs get their turn between two chunks, in the order in which they came.
//
//	opener := new(trainings.Opener)
//	h := host.New(host.Options{Open: opener.Open})
//	defer h.Shutdown()
//	status, err := h.Open(ctx, session.OpenRequest{Session: "leukemia", Config: session.Config{Data: "ALLAML", K: 10}})
//
// # Caveats
//
// A panic in a training fails its session and no other. A device that aborts the process ends all sessions: so the host is a process of
// its own. At most [MaxSessions] sessions are open at a time.
package host
