// Package chart draws what a session knows: its selection matrix, its curves, its chosen features, how well they do and how far it is.
package chart
