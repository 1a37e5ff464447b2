# What a host's load is, and what it is called.
rollcall_test(load_test LABEL unit
  SOURCES load_math_test.cpp load_proc_texts_test.cpp load_host_model_test.cpp load_topology_tree_test.cpp
          load_hwloc_indices_test.cpp load_terminal_use_test.cpp
  LINK load_policy hwloc_elim_shell)
rollcall_property_test(load_property_test LABEL unit SOURCES load_property_test.cpp LINK load_policy)
