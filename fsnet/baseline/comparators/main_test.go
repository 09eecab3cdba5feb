package comparators

import (
	"testing"

	"fsnetlab/tests/kit/devicetest"
)

func TestMain(m *testing.M) { devicetest.Main(m) }
