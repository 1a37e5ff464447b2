# A wrapper and a job with many options (a batch script of a geodynamics code).
"$PAM" --dry-run -g 1 gmmpirun_wrapper /export/bin/mpipython.exe /export/modules/CitcomS/SimpleApp.pyc --steps=1 --mode=worker
