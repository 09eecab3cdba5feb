"""Jupyter's own questions to a kernel (jupyter_kernel_test): each reply is also checked against the protocol's message formats."""

from jupyter_kernel_test import KernelTests as Questions


class TestProtocol(Questions):
    kernel_name = "fsnet"
    language_name = "go"
    file_extension = ".go"

    code_hello_world = '%%\nfmt.Println("hello, world")'
    code_stderr = '%%\nfmt.Fprintln(os.Stderr, "to standard error")'
    code_generate_error = "%fsnet step 10 nosuchsession"
    code_execute_result = [{"code": "%fsnet version", "mime": "text/plain"}]
    code_display_data = [
        {"code": "%fsnet open protocol data=ALLAML k=3 seed=1", "mime": "text/html"},
        {"code": "%fsnet matrix", "mime": "image/png"},
        {"code": "%fsnet matrix", "mime": "application/vnd.vegalite.v5+json"},
    ]
    code_clear_output = "%fsnet clear"
    code_inspect_sample = "%fsnet set lambda"

    completion_samples = [
        {"text": "%fsnet eval", "matches": {"evaluate"}},
        {"text": "%fsnet sel", "matches": {"selection"}},
    ]
    complete_code_samples = ["%fsnet status", "var a = 1", '%%\nfmt.Println("x")', "!ls", ""]
    incomplete_code_samples = ["func a() {", "var a = []int{1,", "%%", "var text = `one"]

    supported_history_operations = ("tail", "range", "search")
    code_history_pattern = "%fsnet v*"
    test_pager = None  # this kernel shows everything below its cell


del Questions  # pytest would ask them of a Python kernel too
