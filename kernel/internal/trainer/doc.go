// Package trainer is the process that holds the sessions, as those who are not Go cells see it: the kernel and the terminal.
//
// A [Link] starts it when the first verb needs it, and again once it has died; its [Service] is the verbs of all sessions. When the host
// dies, whoever waits for a verb is told what stopped with it; when it hangs, how to wake or to end it.
package trainer
