// The tool that writes the pages of Go packages, of one exact version.
module site

go 1.26

require github.com/princjef/gomarkdoc v1.1.0
