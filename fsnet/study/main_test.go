package study_test

import (
	"testing"

	"fsnetlab/tests/kit/devicetest"
)

func TestMain(m *testing.M) { devicetest.Main(m) }
