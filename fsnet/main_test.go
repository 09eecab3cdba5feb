package fsnet_test

import (
	"testing"

	"fsnetlab/fsnet/device/devicetest"
)

func TestMain(m *testing.M) { devicetest.Main(m) }
