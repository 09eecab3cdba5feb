package kernel

import (
	"strings"
	"testing"
)

// Only a Jupyter server limits output, and only if its limits weren't changed.
func TestLimitsOutput_Commands(t *testing.T) {
	for command, want := range map[string]bool{
		"/venv/bin/python3 /venv/bin/jupyter-lab --no-browser":                                     true,
		"/usr/bin/python3 /usr/local/bin/jupyterhub-singleuser":                                    true,
		"python -m jupyter_server":                                                                 true,
		"python /venv/bin/jupyter-lab --ZMQChannelsWebsocketConnection.limit_rate=False":           false,
		"python /venv/bin/jupyter-lab --ServerApp.iopub_data_rate_limit=1e9":                       false,
		"/home/jupyterlab/venv/bin/python /venv/bin/jupyter-execute a.ipynb":                       false,
		"/venv/bin/python /venv/bin/jupyter-console --kernel fsnet":                                false,
		"/venv/bin/python run_notebook.py /home/me/jupyter-lab/a.ipynb --output jupyter-lab.ipynb": false,
		"go test": false,
		"":        false,
	} {
		if got := limitsOutput(strings.Fields(command), ""); got != want {
			t.Errorf("%q: %v, want %v", command, got, want)
		}
	}
	if !limitsOutput([]string{"node"}, "a.ipynb") {
		t.Error("a kernel of a notebook is not known by its session")
	}
}
