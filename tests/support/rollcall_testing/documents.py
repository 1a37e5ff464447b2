"""The command lines of the documents: what a reader would type.

A line is taken from
  *.md    a block ```sh, and of another block what stands behind a prompt;
          a span `bjobs -l` in the text that begins with a program of ours and has a second word, or is of bench/
  *.scd   a block and, below EXAMPLE or EXAMPLES, an indented line: what stands behind a prompt, or begins with a program of ours
          or NAME=value
A block that begins with #BSUB or #! is a file that the reader writes: one entry with all its lines. A prompt is `$ `, `# ` or
these behind a host's name.
"""

import glob
import os
import re
from dataclasses import dataclass

PROMPT = re.compile(r"^(?:(n\d)([#$])|\$) ")
BENCH = re.compile(r"(build/release/)?bench/\w+$|\./quickstart$")
COMMENT = re.compile(r"\s{2,}# .*$")


@dataclass(frozen=True)
class Command:
    """`place`: README.md:27; `title`: the heading above it; `host` and `user`: of its prompt, "" where it has none."""

    place: str
    title: str
    text: str
    host: str = ""
    user: str = ""

    document = property(lambda self: self.place.split(":")[0])
    is_file = property(lambda self: self.text.startswith(("#BSUB", "#!")))


def documents(root):
    pages = ("README.md", "docs/admin.md", "docs/your-own-elim.md")
    return [*(os.path.join(root, page) for page in pages), *sorted(glob.glob(f"{root}/docs/man/*.scd"))]


def commands(root, programs):
    """Every command line of the documents, in their order. `programs`: the names of ours."""
    return [command for path in documents(root) for command in commands_of(path, programs)]


def commands_of(path, programs):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    name, manual = os.path.basename(path), path.endswith(".scd")
    title, block, found = "", None, []
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            if block is not None:
                found += _of_block(block, title, programs)
            block = None if block is not None else (line[3:], [])
        elif block is not None:
            block[1].append((f"{name}:{number}", line))
        elif line.startswith("#"):
            title = line.lstrip("# ")
        elif not manual:
            found += [Command(f"{name}:{number}", title, span) for span in re.findall(r"`([^`]+)`", line) if _is_ours(span, programs)]
        elif title.startswith("EXAMPLE") and line.startswith("\t"):
            found += [Command(f"{name}:{number}", title, line.strip())]
    return found


def _is_ours(text, programs):
    words = text.split()
    return BENCH.match(words[0]) is not None or len(words) > 1 and words[0] in programs


def _of_block(block, title, programs):
    language, lines = block
    if lines and lines[0][1].startswith(("#BSUB", "#!")):
        return [Command(lines[0][0], title, "\n".join(line for _, line in lines))]
    found = []
    for place, line in lines:
        prompt = PROMPT.match(line)
        if prompt:
            found.append(Command(place, title, COMMENT.sub("", line[prompt.end():]), prompt[1] or "", prompt[2] or ""))
        elif language == "sh" and line.strip():
            found.append(Command(place, title, COMMENT.sub("", line)))
    return found
