// Package atomicfile answers one question: how does a file get new content
// without anyone ever seeing half of it?
package atomicfile
