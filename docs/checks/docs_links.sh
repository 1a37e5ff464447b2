#!/bin/sh
# docs_links.sh ROOT: every relative link and every picture of the *.md files leads to an existing file, and the text after a # to a
# heading of it.
# shellcheck disable=SC2016 # backquotes are what is looked for
set -eu
cd "$1"

bad=0
checked=0
targets_of() {
  # (link) and src="link", without code blocks and addresses of other machines.
  sed '/^```/,/^```/d; s/`[^`]*`//g' "$1" | grep -oE '\]\([^) ]+|src="[^"]+' |
    sed -E 's/^\]\(|^src="//' | grep -vE '^$|^[a-z]+:' || true
}
# The names that a page's headings have as links.
headings_of() {
  sed -n '/^```/,/^```/d; s/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

for document in $(find . -name '*.md' -not -path './build/*' -not -path './.git/*' | sort); do
  for target in $(targets_of "$document"); do
    checked=$((checked + 1))
    file=${target%%#*}
    page=$document
    [ -z "$file" ] || page=$(dirname "$document")/$file
    [ -e "$page" ] || { echo "$document: the link to $target leads nowhere" >&2; bad=1; continue; }
    [ "$file" = "$target" ] || headings_of "$page" | grep -qx -e "${target#*#}" ||
      { echo "$document: the link to $target leads to no heading" >&2; bad=1; }
  done
done
[ "$checked" -gt 0 ] || { echo "no link found in any document: expected at least README.md's" >&2; bad=1; }
echo "$checked links looked at"
exit "$bad"
