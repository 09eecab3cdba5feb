package jupyter_test

import (
	"errors"
	"fmt"

	"fsnetlab/kernel/jupyter"
)

// A message is signed with the key of its connection; with another key nobody takes it.
func ExampleCodec() {
	codec := jupyter.NewCodec("the key of the connection file")
	frames := codec.Encode(jupyter.NewMessage("a session", "execute_request", jupyter.ExecuteRequest{Code: "%fsnet status"}))
	m, err := codec.Decode(frames)
	if err != nil {
		fmt.Println(err)
		return
	}
	request, err := jupyter.ReadExecuteRequest(m)
	fmt.Println(m.Header.Type, request.Code, err)
	_, err = jupyter.NewCodec("another").Decode(frames)
	fmt.Println(errors.Is(err, jupyter.ErrSignature))
	// Output:
	// execute_request %fsnet status <nil>
	// true
}
