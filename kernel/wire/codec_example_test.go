package wire_test

import (
	"errors"
	"fmt"

	"fsnetlab/kernel/wire"
)

// A message is signed with the key of its connection; with another key nobody takes it.
func ExampleCodec() {
	codec := wire.NewCodec("the key of the connection file")
	frames := codec.Encode(wire.NewMessage("a session", "execute_request", wire.ExecuteRequest{Code: "%fsnet status"}))
	m, err := codec.Decode(frames)
	if err != nil {
		fmt.Println(err)
		return
	}
	request, err := wire.ReadExecuteRequest(m)
	fmt.Println(m.Header.Type, request.Code, err)
	_, err = wire.NewCodec("another").Decode(frames)
	fmt.Println(errors.Is(err, wire.ErrSignature))
	// Output:
	// execute_request %fsnet status <nil>
	// true
}
