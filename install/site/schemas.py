"""The JSON schemas of docs/schemas as a page: a table of fields for each object, and for each kind of object inside it."""

import json


def kind(value):
    """Returns the type in words of a value that a schema describes, such as "list of number or null"."""
    if "anyOf" in value:
        return " or ".join(kind(choice) for choice in value["anyOf"])
    if "$ref" in value:
        return value["$ref"].rpartition("/")[2]
    types = value["type"] if isinstance(value["type"], list) else [value["type"]]
    words = []
    for name in types:
        if name == "array":
            name = f"list of {kind(value['items'])}"
        elif name == "object" and "additionalProperties" in value:
            name = f"object of {kind(value['additionalProperties'])}"
        words.append(name + (", RFC 3339" if value.get("format") == "date-time" else ""))
    return " or ".join(words)


def linked(name, value, defined):
    """Returns the kind with a link for each object that has a table."""
    return " ".join(f"[{word}](#{name}-{word.lower()})" if word in defined else word for word in kind(value).split(" "))


def escaped(text):
    """Returns a text for Markdown, in tables too."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_").replace("`", "\\`")


def table(name, fields, defined):
    """Returns a Markdown table of an object's fields: name, type and meaning. defined names the objects of the schema called name that have
    a table themselves; their types are links."""
    required = fields.get("required", [])
    lines = ["| field | type | meaning |", "|---|---|---|"]
    for field, value in fields["properties"].items():
        there = "" if field in required else " *(optional)*"
        lines.append(f"| `{field}` | {linked(name, value, defined)}{there} | {escaped(value['description'])} |")
    return "\n".join(lines)


def page(directory):
    """Returns a section for each schema: the commands that print it, its file and its tables."""
    parts = []
    for path in sorted(directory.glob("*.schema.json"), key=lambda path: path.name.split(".")[0]):
        schema, name = json.loads(path.read_text(encoding="utf-8")), path.name.removesuffix(".schema.json")
        defined = schema.get("$defs", {})
        about = schema.get("description") or f"A list of {kind(schema['items'])}."
        printed = "" if name == "log" else f"Printed by {' · '.join(f'`{command} --json`' for command in schema['title'].split(', '))}. "
        parts.append(f"## {name}\n\n{printed}{escaped(about)} [{path.name}](schemas/{path.name})")
        if "properties" in schema:
            parts.append(table(name, schema, defined))
        for inside, fields in defined.items():
            about = escaped(fields.get("description", ""))
            parts.append(f"### {inside} {{: #{name}-{inside.lower()} }}\n\n{about}\n\n{table(name, fields, defined)}")
    return "\n\n".join(parts) + "\n"
