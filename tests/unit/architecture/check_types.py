#!/usr/bin/env python3
"""check_types.py SOURCE_DIR: no two types of the product have one qualified name.

Two definitions of one name are undefined behaviour in the first program that links both, and neither compiler nor linker
says so. Every struct, class, union and enum of common, pam, taskstarter, elim, sched and res counts, of headers and of
source files, but for those in anonymous namespaces and inside functions. Each name that two files define is printed with both places.
Exit: 0 none, 1 some, 2 nothing to check.
"""

import os
import re
import sys

ROOMS = ("common", "pam", "taskstarter", "elim", "sched", "res")
TOKEN = re.compile(r"[A-Za-z_]\w*|::|\S")
BLANKED = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
    re.DOTALL | re.MULTILINE,
)
INSIDE = None  # a scope whose types are nobody else's: an anonymous namespace, a function


def tokens_of(text):
    """(token, line): without comments, texts, characters and what the preprocessor reads."""
    text = BLANKED.sub(lambda found: "\n" * found.group().count("\n") or " ", text)
    line, at = 1, 0
    for found in TOKEN.finditer(text):
        line += text.count("\n", at, found.start())
        at = found.start()
        yield found.group(), line


def name_at(tokens, at):
    """The qualified name, with template arguments, that begins there; and where it ends."""
    words = []
    while at < len(tokens) and (re.match(r"[A-Za-z_]", tokens[at][0]) or tokens[at][0] == "::"):
        if words and words[-1] != "::" and tokens[at][0] != "::":
            break
        words.append(tokens[at][0])
        at += 1
    if at < len(tokens) and tokens[at][0] == "<":
        depth = 0
        while at < len(tokens):
            depth += {"<": 1, ">": -1}.get(tokens[at][0], 0)
            words.append(tokens[at][0])
            at += 1
            if depth == 0:
                break
    return "".join(words), at


def opens_body(tokens, at):
    """Where the brace of a definition is, whose name ends before `at`; none: it is no definition."""
    if at < len(tokens) and tokens[at][0] == "final":
        at += 1
    if at >= len(tokens) or tokens[at][0] not in ("{", ":"):
        return None
    while at < len(tokens) and tokens[at][0] not in ("{", ";", ")"):
        at += 1
    return at if at < len(tokens) and tokens[at][0] == "{" else None


def types_of(text):
    """(qualified name, line) of each definition that other files can meet."""
    tokens = list(tokens_of(text))
    scopes, opened = [], {}  # opened: what the brace at this place begins
    for at, (token, line) in enumerate(tokens):
        if token == "namespace" and at + 1 < len(tokens):
            name, end = name_at(tokens, at + 1)
            if end < len(tokens) and tokens[end][0] == "{":
                opened[end] = name or INSIDE
        elif token in ("struct", "class", "union", "enum"):
            start = at + 1
            if token == "enum" and start < len(tokens) and tokens[start][0] in ("class", "struct"):
                continue  # the next word tells it
            name, end = name_at(tokens, start)
            body = opens_body(tokens, end) if name else None
            if body is None or body in opened:
                continue
            opened[body] = name
            if INSIDE not in scopes:
                yield "::".join([*scopes, name]), line
        elif token == "{":
            scopes.append(opened.get(at, INSIDE))
        elif token == "}" and scopes:
            scopes.pop()


def main():
    top = sys.argv[1]
    places = {}
    for room in ROOMS:
        found = False
        for folder, _, names in sorted(os.walk(os.path.join(top, room))):
            for name in sorted(names):
                if not name.endswith((".hpp", ".cpp", ".h")):
                    continue
                found = True
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    for qualified, line in types_of(file.read()):
                        places.setdefault(qualified, []).append(f"{os.path.relpath(path, top)}:{line}")
        if not found:
            print(f"{top}: no source file in {room}", file=sys.stderr)
            return 2
    bad = {name: where for name, where in places.items() if len({place.split(":")[0] for place in where}) > 1}
    for name, where in sorted(bad.items()):
        print(f"{where[0]}: {name} is also defined in {', '.join(where[1:])}")
    if bad:
        return 1
    print(f"{len(places)} types, each defined once")
    return 0 if places else 2


sys.exit(main())
