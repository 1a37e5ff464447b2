"""docs/report.schema.json, and what of a report does not fit it.

Only the keywords of JSON Schema that this one uses are known; any other is an error, so that none is ignored. A
field that no schema describes is a problem too: what pam writes is to be described.
"""

import json
import os

PATH = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "report.schema.json")
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}
KNOWN = {"$schema", "title", "description", "type", "required", "properties", "items", "minimum", "maximum", "enum"}


def read():
    with open(PATH, encoding="utf-8") as file:
        return json.load(file)


def problems(value, schema=None, where="$"):
    """One line for each place that does not fit."""
    schema = read() if schema is None else schema
    if set(schema) - KNOWN:
        return [f"{where}: the schema has {set(schema) - KNOWN}, which this test does not know"]
    if not _fits(value, schema):
        expected = schema.get("enum") or " ".join(str(schema[k]) for k in ("type", "minimum", "maximum") if k in schema)
        return [f"{where}: found {value!r}, expected {expected}"]
    found = [f"{where}: without {name}" for name in schema.get("required", ()) if name not in value]
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name, part in value.items():
            inside = f"{where}.{name}"
            found += problems(part, known[name], inside) if name in known else [f"{inside}: in no schema"]
    if isinstance(value, list):
        for k, part in enumerate(value):
            found += problems(part, schema["items"], f"{where}[{k}]")
    return found


def _fits(value, schema):
    if "enum" in schema:
        return value in schema["enum"]
    kind = TYPES[schema["type"]]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        return False
    return not isinstance(value, (int, float)) or schema.get("minimum", value) <= value <= schema.get("maximum", value)
