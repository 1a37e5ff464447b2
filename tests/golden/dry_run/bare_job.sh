# The old form: a bare job.
"$PAM" --dry-run -t mpijob -n 4 "a b"
