# Empty words, blanks, quotes, newlines, bytes that are no text, words that look like options or assignments.
"$PAM" --dry-run -t -v -n 3 -g 3 pjl "" "two words" "" " " "it's" "a
b" "\$HOME \`id\` *" "$(printf "\377\001")" -g --dry-run -t A=1 --x=y : "\\" \" -- TaskStarter
