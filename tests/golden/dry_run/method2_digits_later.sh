# Digits that are not the word after -g are nobody's number.
"$PAM" --dry-run -g wrapper 4 job
