// Package jupyter implements Jupyter messaging over ZeroMQ, for a kernel and for a client of a
// kernel.
//
// # Basics
//
// A [Kernel] runs a [Language]. The language knows what cells mean; the kernel handles what front
// ends expect: replies, statuses, counts, history, questions, interrupts and subshells.
//
//	k, err := jupyter.New(connectionFile, jupyter.KernelOptions{Info: info})
//	k.Run(ctx, language)
//
// A [Connection] is the file in which a front end says where to listen and which key to sign with.
// A [Message] is one Jupyter message; a [Codec] signs and checks it. [Listen] opens the five
// sockets ([Server]), [Dial] connects to another kernel's ([Client]): the tests and the benchmark
// use it to speak to this kernel, and this kernel to speak to the one that compiles Go cells.
// Nothing here knows FsNet or GoNB.
//
// # Caveats
//
// Incoming data is not trusted. Frames and handshakes are bounded in size and time. Messages that
// are malformed, carry a wrong or missing signature, or repeat one of the last 65,536 are counted
// and dropped, with at most one log line every ten seconds. A peer that breaks the protocol loses
// its connection and nothing else. Signatures are compared in constant time. Without a key in the
// connection file nothing is signed or checked, and the log says so. Sockets in the file system
// have mode 0600.
//
// A subscriber of iopub is welcomed as soon as published messages reach it. Publishing and
// answering never wait for a peer: messages it does not read wait for it up to a bound, beyond
// which a subscriber loses messages and then its connection. [Publisher.Pace] slows down a flood.
//
// A message of usual size is written with one system call; written frame by frame it would become a
// train of small packets. The transport is ZMTP 3.0 with the mechanism NULL (zmtp.go).
package jupyter
