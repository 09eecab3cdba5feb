// Package jupyter is Jupyter messaging over ZeroMQ: what a kernel listens with and what a client of a kernel talks with.
//
// # Basics
//
// A [Kernel] runs a [Language], which knows what cells mean; the kernel knows what front ends want: replies, statuses, counts, history,
// questions, interrupts and subshells.
//
//	k, err := jupyter.New(connectionFile, jupyter.KernelOptions{Info: info})
//	k.Run(ctx, language)
//
// A [Connection] is the file by which a front end tells a kernel where to listen and with which key to sign. A [Message] is one Jupyter
// message; a [Codec] signs and checks it. [Listen] opens the five sockets ([Server]), [Dial] connects to another kernel's ([Client]): the
// tests and the benchmark speak to this kernel with it, and this kernel speaks to the one that compiles Go cells. Nothing here knows FsNet
// or GoNB.
//
// # Caveats
//
// What arrives is not trusted: frames and handshakes are bounded in size and time, a message with a wrong or missing signature, one
// that came before (of the last 65,536), and what is no message are counted and dropped, with a line in the log every ten seconds at
// most; a peer that breaks the protocol loses its connection and nothing else. Signatures are compared in constant time. Without a key
// in the connection file nothing is signed or checked, and the log says so. Sockets in the file system have mode 0600.
//
// A subscriber of iopub is welcomed as soon as what is published reaches it. Nobody who publishes or answers waits for a peer: what it does
// not take waits for it, up to a bound, beyond which a subscriber loses messages and then its connection. [Publisher.Pace] is for floods.
//
// A message of usual size is written with one system call: written frame by frame, as ZeroMQ libraries in Go do, it becomes a train of
// small packets.
//
// No other package of the project imports the ZeroMQ library.
package jupyter
