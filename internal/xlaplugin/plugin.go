//go:build cgo

package xlaplugin

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// These types are the part of PJRT's C interface that we use: pjrt_c_api.h,
// version 0. New functions are always appended, so they do not change it.
type (
	// api is the table of a plugin's functions.
	api struct {
		size      uintptr
		extension uintptr
		version   struct {
			size, extension uintptr
			major, minor    int32
		}
		errorDestroy       uintptr
		_                  [19]uintptr
		compile            uintptr
		_                  [19]uintptr
		executableDestroy  uintptr
		_                  [8]uintptr
		serialize          uintptr
		_                  [1]uintptr
		getExecutable      uintptr
		_                  [4]uintptr
		deserializeAndLoad uintptr
	}
	header struct{ size, _ uintptr } // of arguments

	program struct {
		_          [2]uintptr
		code       *byte
		codeSize   uintptr
		format     *byte
		formatSize uintptr
	}
	compileArgs struct {
		_           [2]uintptr
		client      uintptr
		program     *program
		options     *byte
		optionsSize uintptr
		loaded      uintptr // out
	}
	deserializeArgs struct {
		header
		client   uintptr
		code     *byte
		codeSize uintptr
		loaded   uintptr    // out
		_        [2]uintptr // compile options that replace the program's own
	}
	getExecutableArgs struct {
		header
		loaded     uintptr
		executable uintptr // out
	}
	serializeArgs struct {
		header
		executable uintptr
		code       *byte   // out
		codeSize   uintptr // out
		backing    uintptr // out: holds code
		deleter    uintptr // out: frees backing
	}
	handleArgs struct { // arguments of a function that destroys a handle
		header
		handle uintptr
	}
)

// Wrap loads a plugin and returns the address of a function table (PJRT_Api)
// that compiles through a store and otherwise equals that of the plugin. The
// table is never freed, like plugins. You must call Wrap with the environment
// that the plugin's client will be created in. cuda says that the plugin
// compiles for GPUs.
func Wrap(plugin string, cuda bool, store *Store) (table uintptr, err error) {
	var cards []GPU
	if cuda {
		if cards, err = GPUs(context.Background()); err != nil {
			return 0, err
		}
	}
	machine, err := machine(plugin, cards)
	if err != nil {
		return 0, err
	}
	handle, err := purego.Dlopen(plugin, purego.RTLD_LAZY|purego.RTLD_LOCAL)
	if err != nil {
		return 0, err
	}
	getAPI, err := purego.Dlsym(handle, "GetPjrtApi")
	if err != nil {
		return 0, err
	}
	address, _, _ := purego.SyscallN(getAPI)
	if address == 0 {
		return 0, errors.New("GetPjrtApi returns nothing")
	}
	own := pointerTo[api](address)
	if own.version.major != 0 || own.size < unsafe.Sizeof(api{}) {
		return 0, fmt.Errorf("its interface is %d.%d, which is not known", own.version.major, own.version.minor)
	}
	// Allocate it outside of Go's heap, because C may keep its address.
	memory, err := syscall.Mmap(-1, 0, int(own.size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return 0, err
	}
	copy(memory, unsafe.Slice((*byte)(unsafe.Pointer(own)), own.size))
	ours := (*api)(unsafe.Pointer(unsafe.SliceData(memory)))
	ours.compile = purego.NewCallback((&compiler{own, store, machine}).compile)
	return uintptr(unsafe.Pointer(ours)), nil
}

// pointerTo interprets an address from C as a *T.
func pointerTo[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// compiler replaces a plugin's PJRT_Client_Compile.
type compiler struct {
	plugin  *api
	store   *Store
	machine Key
}

// compile is called from C. It loads the program from the store or, if it is
// not there, lets the plugin compile it and stores it. It returns a PJRT_Error,
// or 0 if it succeeded.
func (c *compiler) compile(args *compileArgs) uintptr {
	key := c.key(args)
	if code := c.store.Read(key); code != nil && c.loadStored(args, code) {
		return 0
	}
	if failed := call(c.plugin.compile, args); failed != 0 {
		return failed
	}
	c.storeProgram(key, args.loaded)
	return 0
}

// key hashes the program, its format, its compile options and the machine.
func (c *compiler) key(args *compileArgs) Key {
	h := sha256.New()
	h.Write(c.machine[:])
	p := args.program
	hashTexts(h, unsafe.Slice(p.format, p.formatSize), unsafe.Slice(p.code, p.codeSize), unsafe.Slice(args.options, args.optionsSize))
	return Key(h.Sum(nil))
}

// loadStored loads a stored program into args.loaded and reports whether the
// plugin accepted it.
func (c *compiler) loadStored(args *compileArgs, code []byte) bool {
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&code[0])
	a := &deserializeArgs{header: newHeader[deserializeArgs](), client: args.client, code: &code[0], codeSize: uintptr(len(code))}
	if !c.succeeded(call(c.plugin.deserializeAndLoad, a)) {
		return false
	}
	args.loaded = a.loaded
	return true
}

// storeProgram stores a compiled program. If that fails, the next process will
// have to compile it again.
func (c *compiler) storeProgram(key Key, loaded uintptr) {
	got := &getExecutableArgs{header: newHeader[getExecutableArgs](), loaded: loaded}
	if !c.succeeded(call(c.plugin.getExecutable, got)) {
		return
	}
	defer call(c.plugin.executableDestroy, &handleArgs{newHeader[handleArgs](), got.executable})
	a := &serializeArgs{header: newHeader[serializeArgs](), executable: got.executable}
	if !c.succeeded(call(c.plugin.serialize, a)) {
		return
	}
	defer purego.SyscallN(a.deleter, a.backing)
	_ = c.store.Write(key, unsafe.Slice(a.code, a.codeSize))
}

// succeeded reports whether a function succeeded. If it did not, try frees its
// error.
func (c *compiler) succeeded(failed uintptr) bool {
	if failed != 0 {
		call(c.plugin.errorDestroy, &handleArgs{newHeader[handleArgs](), failed})
	}
	return failed == 0
}

// call calls a function of the plugin. It returns a PJRT_Error, or 0 if the
// function succeeded.
func call[T any](function uintptr, args *T) uintptr {
	failed, _, _ := purego.SyscallN(function, uintptr(unsafe.Pointer(args)))
	return failed
}

// newHeader returns the header for arguments of type T.
func newHeader[T any]() header {
	var args T
	return header{size: unsafe.Sizeof(args)}
}
