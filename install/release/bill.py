"""Writes THIRD_PARTY_NOTICES, the licences of everything in the program, and a bill of materials (CycloneDX).

go list -deps -json=Module,Standard ./cmd/fsnet | bill.py VERSION GOROOT GOVERSION TREE SBOM
"""

import json
import pathlib
import re
import sys

LICENCE = re.compile(r"(licen[cs]e|copying|notice|patents|unlicense)([._-].*)?(\.md|\.txt)?", re.I)


def modules(text):
    """Returns the modules in the output of go list, without our own, each once."""
    by_path, decoder, at = {}, json.JSONDecoder(), 0
    while at < len(text.rstrip()):
        package, at = decoder.raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
        module = package.get("Module")
        if module and not module.get("Main"):
            by_path[module["Path"]] = module
    return [by_path[path] for path in sorted(by_path)]


def licences(directory):
    return [p for p in sorted(pathlib.Path(directory).iterdir()) if p.is_file() and LICENCE.fullmatch(p.name)]


def component(name, version, **more):
    return {"type": "library", "name": name, "version": version, **more}


def main():
    version, goroot, goversion, tree, sbom = sys.argv[1:]
    linked = modules(sys.stdin.read())
    root = pathlib.Path(__file__).resolve().parents[2]
    parts = [(f"Go {goversion}", [pathlib.Path(goroot) / "LICENSE"]), ("uPlot", sorted((root / "widgets/views/frontend").glob("*LICENSE*")))]
    parts += [(f"{m['Path']} {m['Version']}", licences(m["Dir"])) for m in linked]
    without = [name for name, files in parts if not files]
    if without:
        sys.exit("no licence was found for " + ", ".join(without))
    share = pathlib.Path(tree) / "share/fsnetlab"
    with open(share / "THIRD_PARTY_NOTICES", "w", encoding="utf-8") as out:
        out.write("The program fsnet contains the following, each under its licence. That of the XLA plugin lies beside the plugin.\n")
        for name, files in parts:
            for file in files:
                text = file.read_text(encoding="utf-8", errors="replace").strip()
                out.write(f"\n{'=' * 100}\n{name}: {file.name}\n{'=' * 100}\n\n{text}\n")
    components = [component("go", goversion)]
    components += [component(m["Path"], m["Version"], purl=f"pkg:golang/{m['Path']}@{m['Version']}") for m in linked]
    for record in share.glob("pjrt/ORIGIN.json"):
        plugin = json.loads(record.read_text())
        name = plugin["origin"].rsplit(" ", 1)[-1]
        hashes = [{"alg": "SHA-256", "content": plugin["sha256"]}]
        components.append(component(name, plugin["version"], purl=f"pkg:pypi/{name}@{plugin['version']}", hashes=hashes))
    program = {"type": "application", "name": "fsnet", "version": version}
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": program}, "components": components}
    pathlib.Path(sbom).write_text(json.dumps(bill, indent=1) + "\n", encoding="utf-8")


main()
