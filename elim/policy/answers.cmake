# What a LIM says to clients and to whoever scrapes its metrics.
rollcall_library(lim_answers
  SOURCES answers.cpp choose_hosts.cpp cluster_view.cpp control_right.cpp metrics_text.cpp
  LINK lim_policy rollcall_resreq rollcall_conf rollcall_wire)
