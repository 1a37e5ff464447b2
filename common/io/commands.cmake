# What the commands that people type have in common: their main(), the configuration, a talk with a daemon: LIM's here.
rollcall_library(rollcall_commands SOURCES command.cpp at_once.cpp hosts_down.cpp start_daemon.cpp daemon_talk.cpp system_names.cpp ticket_file.cpp local_place.cpp dial_host.cpp lim_client.cpp
  LINK rollcall_config rollcall_conf rollcall_cluster_channel rollcall_process rollcall_wire rollcall_host_lookup)
# A static command has another in its place (rollcall_static_command()): an archive of its own, which the linker then leaves.
rollcall_library(rollcall_host_lookup SOURCES host_lookup.cpp LINK rollcall_base)
