# What a host's load is: from the kernel's texts to the built-in indices, and what a host is called.
rollcall_library(load_policy
  SOURCES load_math.cpp proc_texts.cpp host_model.cpp hwloc_indices.cpp terminal_use.cpp topology_tree.cpp
  LINK rollcall_base)
