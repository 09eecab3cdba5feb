// Package jupyter implements Jupyter messaging over ZeroMQ, for a kernel and
// for a client of a kernel.
//
// # Basics
//
// A [Kernel] runs a [Language]. The language knows what cells mean. The kernel
// does what front ends expect: replies, statuses, counts, history, questions,
// interrupts and subshells.
//
//	k, err := jupyter.New(connectionFile, jupyter.KernelOptions{Info: info})
//	k.Run(ctx, language)
//
// A [Connection] is the file of a front end that says where to listen and which
// key to sign with. A [Message] is one Jupyter message; a [Codec] signs and
// checks it. [Listen] opens the five sockets of a [Server]. [Dial] connects a
// [Client] to a kernel. The tests and the benchmark use it to talk to this
// kernel, and this kernel uses it to talk to the one that compiles Go cells.
// Nothing here knows FsNet or GoNB.
//
// Start reading with [Kernel.Run] in serve.go: it starts the loops that read
// the sockets. Kernel.execute runs one cell.
//
// # Caveats
//
// Incoming data is not trusted. Frames and handshakes are bounded in size and
// time. The server counts and drops messages that are malformed, carry a wrong
// or missing signature, or repeat one of the last 65,536, and logs at most one
// line about them every ten seconds. A peer that breaks the protocol loses its
// connection and nothing else. Signatures are compared in constant time. If the
// connection file has no key, nothing is signed or checked, and the log says
// so. Sockets in the file system have mode 0600.
//
// A subscriber of iopub is welcomed as soon as published messages reach it.
// Publishing and answering never wait for a peer. Messages that a peer doesn't
// read are queued up to a bound. Beyond it, a subscriber loses messages and
// then its connection. [Publisher.Pace] slows down a flood.
//
// A message of usual size is written with one system call. If it were written
// frame by frame, it would become a train of small packets. The transport is
// ZMTP 3.0 with the mechanism NULL (zmtp.go).
package jupyter
