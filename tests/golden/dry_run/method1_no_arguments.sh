# The manual: a launcher without options.
"$PAM" --dry-run -g 1 no_arg_pjl job -x job_option
