package replica

// For the tests of this package.
var (
	AllowedCores = cores
	OnCore       = onCore
	ParseReply   = parseReply
)
