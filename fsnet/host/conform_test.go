package host_test

import (
	"testing"

	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/sessiontest"
	"fsnetlab/tests/kit/sessiontest/fake"
)

// The conformance suite of sessions passes over the socket.
func TestHost_ConformsOverTheSocket(t *testing.T) {
	sessiontest.Conform(t, func(t *testing.T) session.Caller {
		return dial(t, serve(t, newHost(t, fake.Open)))
	})
}
