// Package kernelspec tells Jupyter that the kernel is there: a folder with kernel.json and the logo.
package kernelspec
