# A wrapper of one word, from a site's notes.
"$PAM" --dry-run -g 1 gmmpirun_wrapper greetings
