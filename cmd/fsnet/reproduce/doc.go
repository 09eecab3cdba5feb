// Package reproduce is fsnet reproduce: the tables and figures of FsNet's paper, measured, beside what the paper says.
//
// The paper's figures are published.csv. What is measured are cells of comparisons (package compare), kept as rows in the folder of the
// output, and curves of single trainings, a file each beside them. Tables are made of the rows that are there, so that a run that was
// stopped goes on, and a repeated one changes no figure.
package reproduce
