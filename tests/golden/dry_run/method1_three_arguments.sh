# The manual: a launcher with three words of options.
"$PAM" --dry-run -g 4 3_arg_pjl -a -b group_name job job_option
