package host_test

import (
	"testing"

	"fsnetlab/fsnet/host/rpc"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/sessiontest"
	"fsnetlab/tests/kit/sessiontest/fake"
)

func TestOverTheSocketConforms(t *testing.T) {
	sessiontest.Conform(t, func(t *testing.T) session.Service {
		return dial(t, serve(t, newHost(t, fake.Open), rpc.ServeOptions{}))
	})
}
