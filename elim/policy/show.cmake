# What the ls* commands print.
rollcall_library(show_policy
  SOURCES show_load.cpp show_hosts.cpp show_gpus.cpp show_information.cpp show_identity.cpp show_admin.cpp load_history.cpp fit_picture.cpp
  LINK rollcall_base rollcall_conf rollcall_wire nlohmann_json::nlohmann_json)

# What lsresreq asks of the master's answers.
rollcall_library(answers_view_policy SOURCES answer_view.cpp LINK show_policy rollcall_resreq)
