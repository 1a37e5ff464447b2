#!/bin/sh
# docs_no_keys.sh ROOT: no key is shipped. No file of ROOT, as it is cloned or installed, is a key by its form (one line of
# 64 hexadecimal digits), and none is named like one. A key that many sites have is none.
set -eu

# keys_in DIRECTORY: the files there that are keys by form or name, one line each.
keys_in() {
  find "$1" -name build -prune -o -name .git -prune -o -type f -size -66c -print | while read -r file; do
    if grep -qE '^[0-9A-Fa-f]{64}$' "$file" && [ "$(wc -l <"$file")" -le 1 ]; then echo "$file"; fi
  done
  find "$1" -name build -prune -o -name .git -prune -o -type f \( -name '*.key' -o -name '*.key.pub' \) -print
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# The check itself: it finds a planted one.
mkdir "$scratch/tree"
printf '%064d\n' 0 >"$scratch/tree/planted"
[ -n "$(keys_in "$scratch/tree")" ] || { echo "a planted key was not found: this check is broken" >&2; exit 1; }

[ -f "$1/README.md" ] || { echo "$1: found no README.md, expected the top of the project" >&2; exit 1; }
found=$(keys_in "$1")
[ -z "$found" ] || { printf '%s\n' "these are keys, and keys are never shipped:" "$found" >&2; exit 1; }
echo "no key in $1"
