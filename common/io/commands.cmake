# What the commands that people type have in common: their main(), the configuration, a talk with a daemon: LIM's here.
rollcall_library(rollcall_commands SOURCES command.cpp start_daemon.cpp daemon_talk.cpp dial_host.cpp host_lookup.cpp lim_client.cpp
  LINK rollcall_config rollcall_conf rollcall_cluster_channel rollcall_process rollcall_wire)
# A static command has another in its place (rollcall_static_command()): the linker takes whole objects.
set_source_files_properties(host_lookup.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
