# The rules of MELIM: what an elim says, when it runs, how it is ended.
rollcall_library(melim_policy
  SOURCES elim_end.cpp elim_files.cpp elim_life.cpp elim_life_text.cpp elim_merge.cpp elim_names.cpp elim_orders.cpp
          line_cutter.cpp load_string.cpp
  LINK rollcall_base)
