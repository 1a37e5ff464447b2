#!/bin/sh
# docs_links.sh ROOT: every relative link and every picture of the *.md files leads to a file that is there.
# shellcheck disable=SC2016 # backquotes are what is looked for
set -eu
cd "$1"

bad=0
checked=0
targets_of() {
  # (link) and src="link", without code blocks, addresses of other machines, and what follows a #.
  sed '/^```/,/^```/d; s/`[^`]*`//g' "$1" | grep -oE '\]\([^) ]+|src="[^"]+' |
    sed -E 's/^\]\(|^src="//; s/#.*//' | grep -vE '^$|^[a-z]+:' || true
}

for document in $(find . -name '*.md' -not -path './build/*' -not -path './.git/*' | sort); do
  for target in $(targets_of "$document"); do
    checked=$((checked + 1))
    [ -e "$(dirname "$document")/$target" ] || { echo "$document: the link to $target leads nowhere" >&2; bad=1; }
  done
done
[ "$checked" -gt 0 ] || { echo "no link found in any document: expected at least README.md's" >&2; bad=1; }
echo "$checked links looked at"
exit "$bad"
