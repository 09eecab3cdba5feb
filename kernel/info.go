package kernel

import (
	"runtime"
	"strings"

	"fsnetlab/kernel/jupyter"
)

func (k *Kernel) kernelInfo(jupyter.Message) (string, any) {
	return "kernel_info_reply", jupyter.KernelInfo{
		Status: "ok", ProtocolVersion: jupyter.ProtocolVersion, Implementation: "fsnet", ImplementationVersion: k.options.Version,
		LanguageInfo: jupyter.LanguageInfo{
			Name: "go", Version: strings.TrimPrefix(runtime.Version(), "go"), MIMEType: "text/x-go", FileExtension: ".go",
			PygmentsLexer: "go", CodeMirrorMode: "go",
		},
		Banner: "FsNet " + k.options.Version +
			": %fsnet open leukemia data=ALLAML opens a training, %fsnet help lists the verbs; everything else is Go",
		SupportedFeatures: []string{"iopub_welcome", "kernel subshells"}, // of the optional ones the debugger is what we have not
		HelpLinks: []jupyter.HelpLink{
			{Text: "Go", URL: "https://go.dev/ref/spec"},
			{Text: "GoNB", URL: "https://github.com/janpfeifer/gonb"},
			{Text: "GoMLX", URL: "https://gomlx.github.io/"},
		},
	}
}
