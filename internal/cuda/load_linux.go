//go:build linux && cgo

package cuda

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// load returns NULL, or why the library could not be loaded, which the caller frees.
static char *load(const char *name) {
	if (dlopen(name, RTLD_NOW | RTLD_LOCAL)) return NULL;
	const char *why = dlerror();
	return strdup(why ? why : "the loader does not say why");
}
*/
import "C"

import (
	"errors"
	"unsafe"
)

// load brings a shared library into this process, by path or by the name under which the system knows it.
func load(name string) error {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	why := C.load(text)
	if why == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(why))
	return errors.New(C.GoString(why))
}
