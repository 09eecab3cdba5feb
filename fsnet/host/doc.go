// Package host holds live trainings and answers the verbs of their sessions, in
// the same process or behind a private socket.
//
// Start with live.use and [Host.Watch]. live.use gives the training to one verb
// at a time.
//
// # Nouns
//
//   - A [Host] holds sessions by name and answers the verbs of package
//     session.
//   - A [session.Training] is the engine behind a session. [train.Opener]
//     opens FsNet's.
//   - [Serve] answers verbs over a socket of [Listen]. [Run] is the whole
//     process of `fsnet host`.
//
// # Basics
//
// A session lets one verb at a time use its training: the verb has the turn. A
// run has the turn for a chunk of at most about 100 ms (or one step, if that
// takes longer). Between two chunks other verbs get it in the order in which
// they came. Checkpoints are written soon after a change at rest and every few
// seconds during a run.
//
//	opener := new(train.Opener)
//	h := host.New(host.Options{Open: opener.Open})
//	defer h.Shutdown()
//	status, err := session.On(h, "leukemia").Step(ctx, 200)
//
// # Caveats
//
// A panic in a training fails only its session. But a device that aborts the
// process ends all sessions, so you should run the host in a separate process.
// At most [MaxSessions] sessions are open at a time.
package host
