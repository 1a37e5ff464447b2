# LIM's rules: the stepper, the host table, where elims run.
rollcall_library(lim_policy
  SOURCES lim.cpp lim_search.cpp lim_follow.cpp lim_master.cpp lim_placement.cpp lim_own.cpp lim_reconfig.cpp
          lim_state.cpp lim_words.cpp lim_rules.cpp lim_report.cpp lim_facts.cpp host_table.cpp host_status.cpp
          resource_map.cpp
  LINK load_policy rollcall_base rollcall_wire)
